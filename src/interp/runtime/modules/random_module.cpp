// The module random: CPython's generator, seeds and algorithms, so that a seed gives CPython's
// stream. Each function belongs to the module (over the hidden instance) and to class Random.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <optional>

#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/containers/set.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/modules/random.h"
#include "interp/runtime/objects/bytes.h"
#include "interp/runtime/objects/module.h"
#include "interp/runtime/objects/number.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"

namespace tsc::interp {

namespace {

size_t below_length(RandomObject& random, size_t length) {
  return static_cast<size_t>(random.twister.below(length));
}

// --- Seeds and state ---

std::vector<uint32_t> words_of(uint64_t value) {
  std::vector<uint32_t> words = {static_cast<uint32_t>(value)};
  if (value >> 32 != 0) {
    words.push_back(static_cast<uint32_t>(value >> 32));
  }
  return words;
}

// The bytes as one big-endian integer, least significant word first.
std::vector<uint32_t> words_of(std::span<const uint8_t> bytes) {
  std::vector<uint32_t> words;
  for (size_t end = bytes.size(); end > 0; end -= std::min<size_t>(4, end)) {
    uint32_t word = 0;
    for (size_t at = end - std::min<size_t>(4, end); at < end; at++) {
      word = word << 8 | bytes[at];
    }
    words.push_back(word);
  }
  while (words.size() > 1 && words.back() == 0) {
    words.pop_back();
  }
  return words;
}

std::vector<uint32_t> seed_words(const IValue* seed) {
  if (seed == nullptr || seed->is_none()) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return words_of(static_cast<uint64_t>(now.count()) * 2654435761u ^
                    static_cast<uint64_t>(getpid()) << 32);
  }
  if (seed->is_int() || seed->is_bool()) {
    const int64_t value = seed->as_int();
    return words_of(value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value));
  }
  if (seed->is_double()) {
    return words_of(static_cast<uint64_t>(hash_double(seed->as_double())));
  }
  std::string text;
  if (seed->is_string()) {
    text = seed->as_string();
  } else if (is_object_of(*seed, kBytesType)) {
    text = seed->as_object<BytesObject>()->data;
  } else {
    throw_error(ErrorKind::TypeError,
                "The only supported seed types are: None,\nint, float, str, bytes, and bytearray.");
  }
  std::vector<uint8_t> bytes(text.begin(), text.end());
  const auto digest = sha512(bytes);
  bytes.insert(bytes.end(), digest.begin(), digest.end());
  return words_of(bytes);
}

IValue random_seed(RandomObject& random, Interpreter&, Arguments& arguments) {
  random.twister.seed(seed_words(find_argument(arguments, 0)));
  random.next_gauss.reset();
  return {};
}

IValue random_getstate(RandomObject& random, Interpreter&, Arguments&) {
  std::vector<IValue> words(random.twister.words().begin(), random.twister.words().end());
  words.emplace_back(random.twister.position());
  return make_tuple({IValue(3), make_tuple(std::move(words)), IValue(random.next_gauss)});
}

IValue random_setstate(RandomObject& random, Interpreter&, Arguments& arguments) {
  const std::vector<IValue> state = items_of(arguments[0]);
  const std::vector<IValue> words = state.size() == 3 ? items_of(state[1]) : std::vector<IValue>();
  if (words.size() != MersenneTwister::kSize + 1) {
    throw_error(ErrorKind::ValueError, "state vector is the wrong size");
  }
  std::array<uint32_t, MersenneTwister::kSize> array{};
  for (size_t i = 0; i < array.size(); i++) {
    array[i] = static_cast<uint32_t>(to_index(words[i]));
  }
  const int64_t position = to_index(words.back());
  if (position < 0 || position > static_cast<int64_t>(array.size())) {
    throw_error(ErrorKind::ValueError, "invalid state");
  }
  random.twister.restore(array, static_cast<size_t>(position));
  random.next_gauss.reset();
  if (state[2].is_double()) {
    random.next_gauss = state[2].as_double();
  }
  return {};
}

// --- Integers ---

IValue random_getrandbits(RandomObject& random, Interpreter&, Arguments& arguments) {
  const int64_t count = to_index(arguments[0]);
  if (count < 0) {
    throw_error(ErrorKind::ValueError, "number of bits must be non-negative");
  }
  const uint64_t value = count > 64 ? UINT64_MAX : random.twister.bits(static_cast<int>(count));
  if (count > 64 || value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    throw_integer_overflow();
  }
  return value;
}

int64_t in_range(RandomObject& random, int64_t start, int64_t stop, int64_t step) {
  if (step == 0) {
    throw_error(ErrorKind::ValueError, "zero step for randrange()");
  }
  const int64_t width = stop - start;
  if (step == 1) {
    if (width <= 0) {
      throw_error(ErrorKind::ValueError, "empty range for randrange() ({}, {}, {})", start, stop,
                  width);
    }
    return start + static_cast<int64_t>(random.twister.below(static_cast<uint64_t>(width)));
  }
  const int64_t count = step > 0 ? (width + step - 1) / step : (width + step + 1) / step;
  if (count <= 0) {
    throw_error_text(ErrorKind::ValueError, "empty range for randrange()");
  }
  return start + step * static_cast<int64_t>(random.twister.below(static_cast<uint64_t>(count)));
}

IValue random_randrange(RandomObject& random, Interpreter&, Arguments& arguments) {
  if (!has_value(arguments, 1)) {
    const int64_t stop = to_index(arguments[0]);
    if (stop <= 0) {
      throw_error_text(ErrorKind::ValueError, "empty range for randrange()");
    }
    return in_range(random, 0, stop, 1);
  }
  return in_range(random, to_index(arguments[0]), to_index(arguments[1]),
                  given(arguments, 2) ? to_index(arguments[2]) : 1);
}

IValue random_randint(RandomObject& random, Interpreter&, Arguments& arguments) {
  return in_range(random, to_index(arguments[0]), to_index(arguments[1]) + 1, 1);
}

IValue random_randbytes(RandomObject& random, Interpreter&, Arguments& arguments) {
  const auto count = static_cast<size_t>(std::max<int64_t>(0, to_index(arguments[0])));
  // The bytes of getrandbits(count * 8), the lowest first: whole words, then the remaining bytes.
  std::string bytes;
  while (bytes.size() < count) {
    throw_if_interrupted();
    const size_t left = std::min<size_t>(4, count - bytes.size());
    const uint64_t word = random.twister.bits(static_cast<int>(left) * 8);
    for (size_t i = 0; i < left; i++) {
      bytes += static_cast<char>(word >> (8 * i));
    }
  }
  return make_bytes(std::move(bytes));
}

// --- Sequences ---

IValue random_choice(RandomObject& random, Interpreter&, Arguments& arguments) {
  const auto length = static_cast<size_t>(length_of(arguments[0]));
  if (length == 0) {
    throw_error(ErrorKind::IndexError, "Cannot choose from an empty sequence");
  }
  return get_item(arguments[0], IValue(below_length(random, length)));
}

IValue random_shuffle(RandomObject& random, Interpreter&, Arguments& arguments) {
  const IValue& sequence = arguments[0];
  for (auto i = static_cast<size_t>(length_of(sequence)); i-- > 1;) {
    throw_if_interrupted();
    const size_t j = below_length(random, i + 1);
    const IValue a = get_item(sequence, IValue(i));
    const IValue b = get_item(sequence, IValue(j));
    set_item(sequence, IValue(i), b);
    set_item(sequence, IValue(j), a);
  }
  return {};
}

IValue random_sample(RandomObject& random, Interpreter&, Arguments& arguments) {
  IValue population = arguments[0];
  if (type_of(population).get_item == nullptr || population.tag() == Tag::Dict) {
    throw_error(ErrorKind::TypeError,
                "Population must be a sequence.  For dicts or sets, use sorted(d).");
  }
  if (has_value(arguments, 2)) {
    // Repeats are drawn as if they were written out.
    const std::vector<IValue> items = items_of(population);
    const std::vector<IValue> counts = items_of(arguments[2]);
    if (items.size() != counts.size()) {
      throw_error(ErrorKind::ValueError, "The number of counts does not match the population");
    }
    std::vector<IValue> repeated;
    for (size_t i = 0; i < items.size(); i++) {
      repeated.insert(repeated.end(),
                      static_cast<size_t>(std::max<int64_t>(0, to_index(counts[i]))), items[i]);
    }
    population = make_list(std::move(repeated));
  }
  const auto n = length_of(population);
  const int64_t k = to_index(arguments[1]);
  if (k < 0 || k > n) {
    throw_error(ErrorKind::ValueError, "Sample larger than population or is negative");
  }
  // Draws from a list of all where there are few; otherwise an index drawn before is drawn again.
  double set_size = 21;
  if (k > 5) {
    set_size += std::pow(4, std::ceil(std::log(static_cast<double>(k) * 3) / std::log(4.0)));
  }
  std::vector<IValue> result;
  if (static_cast<double>(n) <= set_size) {
    std::vector<IValue> pool = items_of(population);
    for (int64_t i = 0; i < k; i++) {
      throw_if_interrupted();
      const size_t j = below_length(random, static_cast<size_t>(n - i));
      result.push_back(pool[j]);
      pool[j] = pool[static_cast<size_t>(n - i - 1)];
    }
  } else {
    std::vector<size_t> selected;
    for (int64_t i = 0; i < k; i++) {
      throw_if_interrupted();
      size_t j = below_length(random, static_cast<size_t>(n));
      auto place = std::lower_bound(selected.begin(), selected.end(), j);
      while (place != selected.end() && *place == j) {
        j = below_length(random, static_cast<size_t>(n));
        place = std::lower_bound(selected.begin(), selected.end(), j);
      }
      selected.insert(place, j);
      result.push_back(get_item(population, IValue(j)));
    }
  }
  return make_list(std::move(result));
}

IValue random_choices(RandomObject& random, Interpreter&, Arguments& arguments) {
  const std::vector<IValue> population = items_of(arguments[0]);
  const int64_t k = given(arguments, 3) ? to_index(arguments[3]) : 1;
  std::vector<IValue> result;
  const auto n = static_cast<double>(population.size());
  if (!has_value(arguments, 1) && !has_value(arguments, 2)) {
    for (int64_t i = 0; i < k; i++) {
      throw_if_interrupted();
      if (population.empty()) {
        throw_out_of_range("list ");
      }
      result.push_back(
          population[static_cast<size_t>(std::floor(random.twister.next_double() * n))]);
    }
    return make_list(std::move(result));
  }
  if (has_value(arguments, 1) && has_value(arguments, 2)) {
    throw_error(ErrorKind::TypeError, "Cannot specify both weights and cumulative weights");
  }
  const bool is_cumulative = has_value(arguments, 2);
  std::vector<double> cumulative;
  double total = 0;
  for (const IValue& weight : items_of(arguments[is_cumulative ? 2 : 1])) {
    total = is_cumulative ? to_double(weight) : total + to_double(weight);
    cumulative.push_back(total);
  }
  if (cumulative.size() != population.size()) {
    throw_error(ErrorKind::ValueError, "The number of weights does not match the population");
  }
  if (total <= 0) {
    throw_error(ErrorKind::ValueError, "Total of weights must be greater than zero");
  }
  if (!std::isfinite(total)) {
    throw_error(ErrorKind::ValueError, "Total of weights must be finite");
  }
  for (int64_t i = 0; i < k; i++) {
    throw_if_interrupted();
    const double point = random.twister.next_double() * total;
    const auto place = std::upper_bound(cumulative.begin(), cumulative.end() - 1, point);
    result.push_back(population[static_cast<size_t>(place - cumulative.begin())]);
  }
  return make_list(std::move(result));
}

// --- Distributions ---

double argument_or(const Arguments& arguments, size_t i, double otherwise) {
  return given(arguments, i) ? to_double(arguments[i]) : otherwise;
}

double checked_division(double a, double b) {
  if (b == 0) {
    throw_error_text(ErrorKind::ZeroDivisionError, "float division by zero");
  }
  return a / b;
}

IValue random_random(RandomObject& random, Interpreter&, Arguments&) {
  return random.twister.next_double();
}

IValue random_uniform(RandomObject& random, Interpreter&, Arguments& arguments) {
  const double a = to_double(arguments[0]);
  const double b = to_double(arguments[1]);
  return a + (b - a) * random.twister.next_double();
}

IValue random_triangular(RandomObject& random, Interpreter&, Arguments& arguments) {
  double low = argument_or(arguments, 0, 0);
  double high = argument_or(arguments, 1, 1);
  double u = random.twister.next_double();
  if (high == low) {
    return low;
  }
  double c = has_value(arguments, 2) ? (to_double(arguments[2]) - low) / (high - low) : 0.5;
  if (u > c) {
    u = 1 - u;
    c = 1 - c;
    std::swap(low, high);
  }
  return low + (high - low) * std::sqrt(u * c);
}

double normal(RandomObject& random, double mu, double sigma) {
  const double magic = 4 * std::exp(-0.5) / std::sqrt(2.0);
  while (true) {
    const double u1 = random.twister.next_double();
    const double u2 = 1.0 - random.twister.next_double();
    const double z = magic * (u1 - 0.5) / u2;
    if (z * z / 4.0 <= -std::log(u2)) {
      return mu + z * sigma;
    }
  }
}

IValue random_normalvariate(RandomObject& random, Interpreter&, Arguments& arguments) {
  return normal(random, argument_or(arguments, 0, 0), argument_or(arguments, 1, 1));
}

IValue random_lognormvariate(RandomObject& random, Interpreter&, Arguments& arguments) {
  return std::exp(normal(random, to_double(arguments[0]), to_double(arguments[1])));
}

IValue random_gauss(RandomObject& random, Interpreter&, Arguments& arguments) {
  const double mu = argument_or(arguments, 0, 0);
  const double sigma = argument_or(arguments, 1, 1);
  double z = 0;
  if (random.next_gauss.has_value()) {
    z = *random.next_gauss;
    random.next_gauss.reset();
  } else {
    const double angle = random.twister.next_double() * (2 * std::numbers::pi);
    const double radius = std::sqrt(-2.0 * std::log(1.0 - random.twister.next_double()));
    z = std::cos(angle) * radius;
    random.next_gauss = std::sin(angle) * radius;
  }
  return mu + z * sigma;
}

IValue random_expovariate(RandomObject& random, Interpreter&, Arguments& arguments) {
  return checked_division(-std::log(1.0 - random.twister.next_double()), to_double(arguments[0]));
}

double gamma_variate(RandomObject& random, double alpha, double beta) {
  if (alpha <= 0 || beta <= 0) {
    throw_error(ErrorKind::ValueError, "gammavariate: alpha and beta must be > 0.0");
  }
  MersenneTwister& twister = random.twister;
  if (alpha > 1) {
    const double a = std::sqrt(2.0 * alpha - 1.0);
    const double b = alpha - std::log(4.0);
    const double c = alpha + a;
    const double magic = 1.0 + std::log(4.5);
    while (true) {
      const double u1 = twister.next_double();
      if (!(u1 > 1e-7 && u1 < 0.9999999)) {
        continue;
      }
      const double u2 = 1.0 - twister.next_double();
      const double v = std::log(u1 / (1.0 - u1)) / a;
      const double x = alpha * std::exp(v);
      const double z = u1 * u1 * u2;
      const double r = b + c * v - x;
      if (r + magic - 4.5 * z >= 0.0 || r >= std::log(z)) {
        return x * beta;
      }
    }
  }
  if (alpha == 1) {
    return -std::log(1.0 - twister.next_double()) * beta;
  }
  while (true) {
    const double u = twister.next_double();
    const double b = (std::numbers::e + alpha) / std::numbers::e;
    const double p = b * u;
    const double x = p <= 1.0 ? std::pow(p, 1.0 / alpha) : -std::log((b - p) / alpha);
    const double u1 = twister.next_double();
    if (p > 1.0 ? u1 <= std::pow(x, alpha - 1.0) : u1 <= std::exp(-x)) {
      return x * beta;
    }
  }
}

IValue random_gammavariate(RandomObject& random, Interpreter&, Arguments& arguments) {
  return gamma_variate(random, to_double(arguments[0]), to_double(arguments[1]));
}

IValue random_betavariate(RandomObject& random, Interpreter&, Arguments& arguments) {
  const double alpha = to_double(arguments[0]);
  const double beta = to_double(arguments[1]);
  const double y = gamma_variate(random, alpha, 1.0);
  return y == 0 ? 0.0 : y / (y + gamma_variate(random, beta, 1.0));
}

IValue random_paretovariate(RandomObject& random, Interpreter&, Arguments& arguments) {
  const double u = 1.0 - random.twister.next_double();
  return std::pow(u, checked_division(-1.0, to_double(arguments[0])));
}

IValue random_weibullvariate(RandomObject& random, Interpreter&, Arguments& arguments) {
  const double u = 1.0 - random.twister.next_double();
  return to_double(arguments[0]) *
         std::pow(-std::log(u), checked_division(1.0, to_double(arguments[1])));
}

IValue random_vonmisesvariate(RandomObject& random, Interpreter&, Arguments& arguments) {
  constexpr double kTwoPi = 2 * std::numbers::pi;
  MersenneTwister& twister = random.twister;
  const double mu = to_double(arguments[0]);
  const double kappa = to_double(arguments[1]);
  if (kappa <= 1e-6) {
    return kTwoPi * twister.next_double();
  }
  const double s = 0.5 / kappa;
  const double r = s + std::sqrt(1.0 + s * s);
  double z = 0;
  while (true) {
    z = std::cos(std::numbers::pi * twister.next_double());
    const double d = z / (r + z);
    const double u2 = twister.next_double();
    if (u2 < 1.0 - d * d || u2 <= (1.0 - d) * std::exp(d)) {
      break;
    }
  }
  const double q = 1.0 / r;
  const double f = (q + z) / (1.0 + q * z);
  const double u3 = twister.next_double();
  return float_modulo(u3 > 0.5 ? mu + std::acos(f) : mu - std::acos(f), kTwoPi);
}

// --- Tables ---

RandomObject& hidden_instance() {
  static auto* instance = new IValue(make_random());
  return *instance->as_object<RandomObject>();
}

using RandomFunction = IValue (*)(RandomObject&, Interpreter&, Arguments&);

template <RandomFunction function>
IValue as_function(Interpreter& interpreter, Arguments& arguments) {
  return function(hidden_instance(), interpreter, arguments);
}

template <RandomFunction function>
IValue as_method(Interpreter& interpreter, Arguments& arguments) {
  const IValue self = arguments[0];
  Arguments rest = arguments;
  rest.values++;
  rest.positional--;
  return function(*self.as_object<RandomObject>(), interpreter, rest);
}

IValue construct_random(Interpreter& interpreter, Arguments& arguments) {
  IValue random = make_random();
  random_seed(*random.as_object<RandomObject>(), interpreter, arguments);
  return random;
}

constexpr BuiltinDef kConstructor = {"Random", construct_random, 0, 1, "x"};

// name, least and most arguments by position, names
#define TSC_FORALL_RANDOM_FUNCTIONS(_)                 \
  _(betavariate, 2, 2, "alpha beta")                   \
  _(choice, 1, 1, "seq")                               \
  _(choices, 1, 2, "population weights cum_weights k") \
  _(expovariate, 1, 1, "lambd")                        \
  _(gammavariate, 2, 2, "alpha beta")                  \
  _(gauss, 0, 2, "mu sigma")                           \
  _(getrandbits, 1, 1, "")                             \
  _(getstate, 0, 0, "")                                \
  _(lognormvariate, 2, 2, "mu sigma")                  \
  _(normalvariate, 0, 2, "mu sigma")                   \
  _(paretovariate, 1, 1, "alpha")                      \
  _(randbytes, 1, 1, "n")                              \
  _(randint, 2, 2, "a b")                              \
  _(random, 0, 0, "")                                  \
  _(randrange, 1, 3, "start stop step")                \
  _(sample, 2, 2, "population k counts")               \
  _(seed, 0, 2, "a version")                           \
  _(setstate, 1, 1, "state")                           \
  _(shuffle, 1, 1, "x")                                \
  _(triangular, 0, 3, "low high mode")                 \
  _(uniform, 2, 2, "a b")                              \
  _(vonmisesvariate, 2, 2, "mu kappa")                 \
  _(weibullvariate, 2, 2, "alpha beta")

constexpr BuiltinDef kRandomFunctions[] = {
#define TSC_RANDOM_FUNCTION(name, min, max, names) \
  {#name, as_function<random_##name>, min, max, names},
    TSC_FORALL_RANDOM_FUNCTIONS(TSC_RANDOM_FUNCTION)
#undef TSC_RANDOM_FUNCTION
};
constexpr BuiltinDef kRandomMethods[] = {
#define TSC_RANDOM_METHOD(name, min, max, names) \
  {#name, as_method<random_##name>, min, max, names, "Random"},
    TSC_FORALL_RANDOM_FUNCTIONS(TSC_RANDOM_METHOD)
#undef TSC_RANDOM_METHOD
};

constinit const Type kRandomType = {
    .name = "Random", .module = "random", .methods = kRandomMethods, .constructor = &kConstructor};

constexpr ModuleConstant kRandomConstants[] = {{"Random", [] { return type_value(kRandomType); }}};

}  // namespace

RandomObject::RandomObject() : Object(kRandomType) { twister.seed(seed_words(nullptr)); }

IValue make_random() { return IValue::adopt(Tag::Object, new RandomObject()); }

constinit const ModuleInfo kRandomModule = {
    .name = "random", .functions = kRandomFunctions, .constants = kRandomConstants};

}  // namespace tsc::interp
