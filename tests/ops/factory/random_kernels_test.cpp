#include "ops/factory/random_kernels.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <sstream>

#include "core/dispatch_types.h"
#include "core/tensor_factory.h"
#include "ops/cpu/kernels.h"

namespace {

using namespace tsc;

// One case a line; tests/parity/random/record.py says what it holds.
constexpr std::string_view kCases =
#include "parity/random/cases.inc"
    ;

struct Case {
  std::string kind;
  std::string dtype;
  uint64_t seed = 0;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t offset = 0;
  std::vector<double> numbers;
  uint64_t hash = 0;
  uint32_t next_word = 0;
  std::vector<double> elements;
};

template <class T>
void read_list(std::istream& in, std::vector<T>& list) {
  size_t count = 0;
  in >> count;
  list.resize(count);
  for (T& value : list) {
    std::string word;
    in >> word;
    value = static_cast<T>(std::strtod(word.c_str(), nullptr));
  }
}

Case parse_case(const std::string& line) {
  std::istringstream in(line);
  Case recorded;
  in >> recorded.kind >> recorded.dtype >> recorded.seed;
  read_list(in, recorded.sizes);
  read_list(in, recorded.strides);
  in >> recorded.offset;
  read_list(in, recorded.numbers);
  in >> recorded.hash >> recorded.next_word;
  read_list(in, recorded.elements);
  REQUIRE(in);
  return recorded;
}

ScalarType dtype_of(const std::string& name) {
#define TSC_MATCH(cpp_type, type_name, python_name, short_name, number) \
  if (name == #type_name) {                                             \
    return ScalarType::type_name;                                       \
  }
  TSC_FORALL_SCALAR_TYPES(TSC_MATCH)
#undef TSC_MATCH
  return ScalarType::Undefined;
}

void run(const Case& recorded, const Tensor& tensor, CPUGeneratorImpl& generator) {
  const std::string& kind = recorded.kind;
  const auto number = [&](size_t i) { return recorded.numbers.at(i); };
  if (kind == "Uniform") {
    random_kernels::fill_uniform(tensor, number(0), number(1), generator);
  } else if (kind == "Normal") {
    random_kernels::fill_normal(tensor, number(0), number(1), generator);
  } else if (kind == "Integers") {
    const auto range = static_cast<uint64_t>(number(1) - number(0));
    random_kernels::fill_integers(tensor, range, static_cast<int64_t>(number(0)), generator);
  } else if (kind == "NaturalRange") {
    random_kernels::fill_natural_range(tensor, generator);
  } else if (kind == "AllBits") {
    random_kernels::fill_all_bits(tensor, generator);
  } else if (kind == "Bernoulli") {
    random_kernels::fill_bernoulli(tensor, number(0), generator);
  } else if (kind == "Exponential") {
    random_kernels::fill_exponential(tensor, number(0), generator);
  } else if (kind == "Cauchy") {
    random_kernels::fill_cauchy(tensor, number(0), number(1), generator);
  } else if (kind == "LogNormal") {
    random_kernels::fill_log_normal(tensor, number(0), number(1), generator);
  } else if (kind == "Geometric") {
    random_kernels::fill_geometric(tensor, number(0), generator);
  } else {
    REQUIRE(kind == "Permutation");
    random_kernels::fill_permutation(tensor, generator);
  }
}

uint64_t fnv1a(const Tensor& tensor) {
  uint64_t value = 0xcbf29ce484222325u;
  for (size_t i = 0; i < tensor.nbytes(); i++) {
    value = (value ^ tensor.data_ptr<uint8_t>()[i]) * 0x100000001b3u;
  }
  return value;
}

double read_element(const Tensor& tensor, int64_t i) {
  return dispatch_real_types(tensor.dtype(), "read", [&]<class T>() {
    return static_cast<double>(tensor.data_ptr<T>()[i]);
  });
}

double tolerance(ScalarType dtype) {
  return dtype == ScalarType::Double ? 1e-13 : dtype == ScalarType::Float ? 3e-7 : 1e-2;
}

Tensor zeros(int64_t count, ScalarType dtype) {
  Tensor tensor = empty_tensor(count, dtype);
  std::memset(tensor.data(), 0, tensor.nbytes());
  return tensor;
}

}  // namespace

TEST_CASE("seeds give the numbers that PyTorch draws, in every layout") {
  std::istringstream lines{std::string(kCases)};
  for (std::string line; std::getline(lines, line);) {
    const Case recorded = parse_case(line);
    int64_t extent = 1 + recorded.offset;
    for (size_t i = 0; i < recorded.sizes.size(); i++) {
      extent += (recorded.sizes[i] - 1) * recorded.strides[i];
    }
    const Tensor memory = zeros(extent, dtype_of(recorded.dtype));
    CPUGeneratorImpl generator(recorded.seed);
    run(recorded, view_tensor(memory, recorded.sizes, recorded.strides, recorded.offset),
        generator);
    CAPTURE(line);
    if (recorded.hash != 0) {
      CHECK(fnv1a(memory) == recorded.hash);
    }
    const int64_t places[] = {0, std::min(int64_t{1}, extent - 1), extent - 1};
    for (size_t i = 0; i < recorded.elements.size(); i++) {
      const double found = read_element(memory, places[i]);
      const double expected = recorded.elements[i];
      CHECK(std::abs(found - expected) <= tolerance(memory.dtype()) * std::abs(expected));
    }
    CHECK(generator.random() % ((1u << 28) - 1) == recorded.next_word);
  }
}

TEST_CASE("every instruction set makes the same numbers") {
  std::vector<uint32_t> words(2 * 37);
  Mt19937(5).fill(words);
  for (const cpu::CpuLevel level : {cpu::CpuLevel::avx2, cpu::CpuLevel::avx512}) {
    if (level > cpu::cpu_level()) {
      continue;
    }
    const cpu::RandomFill& base = *cpu::random_fill.at(cpu::CpuLevel::baseline);
    const cpu::RandomFill& other = *cpu::random_fill.at(level);
    std::vector<float> floats[2] = {std::vector<float>(64), std::vector<float>(64)};
    base.uniform_float(floats[0].data(), words.data(), 64, -3.3f, 5.7f);
    other.uniform_float(floats[1].data(), words.data(), 64, -3.3f, 5.7f);
    CHECK(floats[0] == floats[1]);
    base.uniform_float(floats[0].data(), words.data(), 64, 0, 1);
    other.uniform_float(floats[1].data(), words.data(), 64, 0, 1);
    base.uniform_to_normal(floats[0].data(), 4, 0.1f, 0.7f);
    other.uniform_to_normal(floats[1].data(), 4, 0.1f, 0.7f);
    CHECK(floats[0] == floats[1]);
    std::vector<double> doubles[2] = {std::vector<double>(37), std::vector<double>(37)};
    base.uniform_double(doubles[0].data(), words.data(), 37, 0.1, 0.7);
    other.uniform_double(doubles[1].data(), words.data(), 37, 0.1, 0.7);
    CHECK(doubles[0] == doubles[1]);
  }
}

TEST_CASE("a normal number of a pair is kept for the next call") {
  CPUGeneratorImpl generator(1);
  const Tensor pair = empty_tensor(2, ScalarType::Double);
  random_kernels::fill_normal(pair, 0, 1, generator);
  generator.set_seed(1);
  const Tensor one = empty_tensor(1, ScalarType::Double);
  random_kernels::fill_normal(one, 0, 1, generator);
  CHECK(generator.next_double_normal.has_value());
  CHECK(*one.data_ptr<double>() == pair.data_ptr<double>()[0]);
  random_kernels::fill_normal(one, 0, 1, generator);
  CHECK(!generator.next_double_normal.has_value());
  CHECK(*one.data_ptr<double>() == pair.data_ptr<double>()[1]);
}

TEST_CASE("probabilities broadcast, and must be probabilities") {
  CPUGeneratorImpl generator(1);
  const Tensor p = empty_tensor(3, ScalarType::Float);
  const float values[] = {0, 1, 0};
  std::memcpy(p.data(), values, sizeof(values));
  const Tensor drawn = zeros(6, ScalarType::Long);
  const Tensor table = view_tensor(drawn, {2, 3}, {3, 1}, 0);
  random_kernels::fill_bernoulli(table, view_tensor(p, {2, 3}, {0, 1}, 0), generator);
  const int64_t expected[] = {0, 1, 0, 0, 1, 0};
  CHECK(std::memcmp(drawn.data(), expected, sizeof(expected)) == 0);
  p.data_ptr<float>()[2] = 1.5f;
  CHECK_THROWS_AS(random_kernels::fill_bernoulli(table, p, generator), Error);
}

TEST_CASE("categories are drawn by their weights") {
  CPUGeneratorImpl generator(42);
  const Tensor weights = empty_tensor({2, 3}, ScalarType::Double);
  const double values[] = {1, 0, 3, 0, 2, 0};
  std::memcpy(weights.data(), values, sizeof(values));
  const Tensor drawn = empty_tensor({2, 1000}, ScalarType::Long);
  random_kernels::draw_categories(drawn, weights, generator);
  const int64_t* const first = drawn.data_ptr<int64_t>();
  CHECK(std::count(first, first + 1000, 1) == 0);
  CHECK(std::abs(std::count(first, first + 1000, 2) - 750) < 50);
  CHECK(std::count(first + 1000, first + 2000, 1) == 1000);
  CHECK_NOTHROW(random_kernels::check_weights(weights));
  for (const double wrong : {-1.0, std::numeric_limits<double>::infinity()}) {
    weights.data_ptr<double>()[0] = wrong;
    CHECK_THROWS_WITH(random_kernels::check_weights(weights),
                      "probability tensor contains either `inf`, `nan` or element < 0");
  }
  std::memset(weights.data(), 0, 3 * sizeof(double));
  CHECK_THROWS_WITH(random_kernels::check_weights(weights),
                    "invalid multinomial distribution (sum of probabilities <= 0)");
}

TEST_CASE("standard deviations are not negative, and numbers") {
  const Tensor deviations = zeros(4, ScalarType::Half);
  CHECK(random_kernels::is_non_negative(view_tensor(deviations, {2, 3}, {2, 0}, 0)));
  deviations.data_ptr<Half>()[2] = Half(-0.5f);
  CHECK(random_kernels::is_non_negative(view_tensor(deviations, {2}, {1}, 0)));
  CHECK(!random_kernels::is_non_negative(deviations));
  deviations.data_ptr<Half>()[2] = Half(std::numeric_limits<float>::quiet_NaN());
  CHECK(!random_kernels::is_non_negative(deviations));
  CHECK(random_kernels::is_non_negative(empty_tensor(0, ScalarType::Long)));
}
