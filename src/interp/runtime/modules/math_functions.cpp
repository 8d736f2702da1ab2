#include "interp/runtime/modules/math_functions.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "core/system/interrupt.h"
#include "interp/runtime/objects/operators.h"

namespace tsc::interp {

void throw_domain_error() { throw_error(ErrorKind::ValueError, "math domain error"); }
void throw_range_error() { throw_error(ErrorKind::OverflowError, "math range error"); }

// --- Gamma ---

namespace {

// The rational approximation of Boost's lanczos13m53: a sum of 13 terms over 13, and its g.
constexpr double kLanczosG = 6.024680040776729583740234375;
constexpr double kLanczosGMinusHalf = 5.524680040776729583740234375;
constexpr double kNumerator[] = {
    23531376880.410759688572007674451636754734846804940,
    42919803642.649098768957899047001988850926355848959,
    35711959237.355668049440185451547166705960488635843,
    17921034426.037209699919755754458931112671403265390,
    6039542586.3520280050642916443072979210699388420708,
    1439720407.3117216736632230727949123939715485786372,
    248874557.86205415651146038641322942321632125127801,
    31426415.585400194380614231628318205362874684987640,
    2876370.6289353724412254090516208496135991145378768,
    186056.26539522349504029498971604569928220784236328,
    8071.6720023658162106380029022722506138218516325024,
    210.82427775157934587250973392071336271166969580291,
    2.5066282746310002701649081771338373386264310793408,
};
constexpr double kDenominator[] = {0,        39916800, 120543840, 150917976, 105258076,
                                   45995730, 13339535, 2637558,   357423,    32670,
                                   1925,     66,       1};
constexpr int kTerms = std::size(kNumerator);

double lanczos_sum(double x) {
  double numerator = 0;
  double denominator = 0;
  if (x < 5.0) {
    for (int i = kTerms - 1; i >= 0; i--) {
      numerator = numerator * x + kNumerator[i];
      denominator = denominator * x + kDenominator[i];
    }
  } else {
    // By powers of 1/x, which do not overflow.
    for (int i = 0; i < kTerms; i++) {
      numerator = numerator / x + kNumerator[i];
      denominator = denominator / x + kDenominator[i];
    }
  }
  return numerator / denominator;
}

// sin(pi * x), exact at the multiples of a half.
double sin_pi(double x) {
  constexpr double kPi = std::numbers::pi;
  const double y = std::fmod(std::fabs(x), 2.0);
  double result = 0;
  switch (static_cast<int>(std::round(2.0 * y))) {
    case 0: result = std::sin(kPi * y); break;
    case 1: result = std::cos(kPi * (y - 0.5)); break;
    case 2: result = std::sin(kPi * (1.0 - y)); break;
    case 3: result = -std::cos(kPi * (y - 1.5)); break;
    default: result = std::sin(kPi * (y - 2.0)); break;
  }
  return std::copysign(1.0, x) * result;
}

// `value` times or over y**power, in two steps where one would overflow.
double scale_by_power(double value, double y, double power, double magnitude, bool divide) {
  const auto apply = [&](double factor) { value = divide ? value / factor : value * factor; };
  if (magnitude < 140.0) {
    apply(std::pow(y, power));
  } else {
    const double half = std::pow(y, magnitude / 2.0 - 0.25);
    apply(half);
    apply(half);
  }
  return value;
}

}  // namespace

double gamma_function(double x) {
  if (!std::isfinite(x)) {
    if (std::isnan(x) || x > 0) {
      return x;
    }
    throw_domain_error();
  }
  if (x == 0 || (x < 0 && x == std::floor(x))) {
    throw_domain_error();
  }
  if (x == std::floor(x) && x <= 23) {
    double product = 1;
    for (int i = 2; i < static_cast<int>(x); i++) {
      product *= i;
    }
    return product;
  }
  const double magnitude = std::fabs(x);
  if (magnitude < 1e-20) {
    return 1.0 / x;
  }
  if (magnitude > 200.0) {
    if (x < 0) {
      return 0.0 / sin_pi(x);
    }
    throw_range_error();
  }
  const double y = magnitude + kLanczosGMinusHalf;
  // The rounding error of the sum.
  const double error = magnitude > kLanczosGMinusHalf ? (y - magnitude) - kLanczosGMinusHalf
                                                      : (y - kLanczosGMinusHalf) - magnitude;
  const double correction = error * kLanczosG / y;
  double result = 0;
  if (x < 0) {
    result =
        -std::numbers::pi / sin_pi(magnitude) / magnitude * std::exp(y) / lanczos_sum(magnitude);
    result -= correction * result;
    return scale_by_power(result, y, magnitude - 0.5, magnitude, true);
  }
  result = lanczos_sum(magnitude) / std::exp(y);
  result += correction * result;
  return scale_by_power(result, y, magnitude - 0.5, magnitude, false);
}

double log_gamma(double x) {
  constexpr double kLogPi = 1.144729885849400174143427351353058711647;
  if (!std::isfinite(x)) {
    return std::isnan(x) ? x : std::numeric_limits<double>::infinity();
  }
  if (x == std::floor(x) && x <= 2.0) {
    if (x <= 0) {
      throw_domain_error();
    }
    return 0.0;
  }
  const double magnitude = std::fabs(x);
  if (magnitude < 1e-20) {
    return -std::log(magnitude);
  }
  double result = std::log(lanczos_sum(magnitude)) - kLanczosG;
  result += (magnitude - 0.5) * (std::log(magnitude + kLanczosG - 0.5) - 1);
  if (x < 0) {
    result = kLogPi - std::log(std::fabs(sin_pi(magnitude))) - std::log(magnitude) - result;
  }
  return result;
}

// --- Sums ---

double exact_sum(const std::vector<double>& values) {
  // Partial sums that do not overlap, smallest first: together they are the sum, exactly.
  std::vector<double> partials;
  double special = 0;
  bool has_special = false;
  bool has_infinity = false;
  for (const double value : values) {
    throw_if_interrupted();
    double x = value;
    size_t kept = 0;
    for (size_t i = 0; i < partials.size(); i++) {
      double y = partials[i];
      if (std::fabs(x) < std::fabs(y)) {
        std::swap(x, y);
      }
      const double high = x + y;
      const double low = y - (high - x);
      if (low != 0) {
        partials[kept++] = low;
      }
      x = high;
    }
    partials.resize(kept);
    if (x == 0) {
      continue;
    }
    if (!std::isfinite(x)) {
      if (std::isfinite(value)) {
        throw_error(ErrorKind::OverflowError, "intermediate overflow in fsum");
      }
      has_special = true;
      has_infinity |= std::isinf(value);
      special += value;
      partials.clear();
    } else {
      partials.push_back(x);
    }
  }
  if (has_special) {
    if (has_infinity && std::isnan(special)) {
      throw_error(ErrorKind::ValueError, "-inf + inf in fsum");
    }
    return special;
  }
  if (partials.empty()) {
    return 0.0;
  }
  size_t i = partials.size() - 1;
  double high = partials[i];
  double low = 0;
  while (i > 0) {
    const double x = high;
    const double y = partials[--i];
    high = x + y;
    low = y - (high - x);
    if (low != 0) {
      break;
    }
  }
  // A half that was rounded to even, where the next partial sum says otherwise.
  if (i > 0 && ((low < 0 && partials[i - 1] < 0) || (low > 0 && partials[i - 1] > 0))) {
    const double twice = low * 2;
    const double x = high + twice;
    if (twice == x - high) {
      high = x;
    }
  }
  return high;
}

namespace {

// A sum of products that accumulates its rounding errors, in three places.
struct Accumulator {
  double sum = 1.0;
  double lost[3] = {0, 0, 0};

  void add(double x, int place) {
    const double before = sum;
    sum += x;
    lost[place] += (before - sum) + x;
  }
  double total() const { return sum - 1.0 + (lost[0] + lost[1] + lost[2]); }
};

// Two halves of 26 bits each, whose products are exact.
struct Split {
  explicit Split(double x) {
    constexpr double kFactor = 134217729.0;  // 2**27 + 1
    const double t = x * kFactor;
    high = t - (t - x);
    low = x - high;
  }
  double high, low;
};

}  // namespace

double euclidean_norm(std::vector<double> coordinates) {
  double largest = 0;
  bool has_nan = false;
  for (double& x : coordinates) {
    x = std::fabs(x);
    has_nan |= std::isnan(x);
    largest = std::max(largest, std::isnan(x) ? 0.0 : x);
  }
  if (std::isinf(largest)) {
    return largest;
  }
  if (has_nan) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (largest == 0 || coordinates.size() <= 1) {
    return largest;
  }
  int exponent = 0;
  std::frexp(largest, &exponent);
  if (exponent < -1023) {
    // Subnormal: brought to where the scale below does not overflow.
    for (double& x : coordinates) {
      x /= std::numeric_limits<double>::min();
    }
    return std::numeric_limits<double>::min() * euclidean_norm(std::move(coordinates));
  }
  const double scale = std::ldexp(1.0, -exponent);
  Accumulator squares;
  for (const double coordinate : coordinates) {
    const Split x(coordinate * scale);
    squares.add(x.high * x.high, 0);
    squares.add(2.0 * x.high * x.low, 1);
    squares.lost[2] += x.low * x.low;
  }
  const double root = std::sqrt(squares.total());
  // One step of Newton's method, with the square taken exactly.
  const Split r(root);
  squares.add(-r.high * r.high, 0);
  squares.add(-2.0 * r.high * r.low, 1);
  squares.add(-r.low * r.low, 2);
  return (root + squares.total() / (2.0 * root)) / scale;
}

// --- Integers ---

int64_t greatest_common_divisor(int64_t a, int64_t b) {
  uint64_t x = a < 0 ? 0 - static_cast<uint64_t>(a) : static_cast<uint64_t>(a);
  uint64_t y = b < 0 ? 0 - static_cast<uint64_t>(b) : static_cast<uint64_t>(b);
  while (y != 0) {
    x %= y;
    std::swap(x, y);
  }
  if (x > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    throw_integer_overflow();
  }
  return static_cast<int64_t>(x);
}

int64_t least_common_multiple(int64_t a, int64_t b) {
  if (a == 0 || b == 0) {
    return 0;
  }
  int64_t result = 0;
  if (!int_multiply(a / greatest_common_divisor(a, b), b, result)) {
    throw_integer_overflow();
  }
  return result < 0 ? -result : result;
}

int64_t factorial(int64_t n) {
  if (n < 0) {
    throw_error(ErrorKind::ValueError, "factorial() not defined for negative values");
  }
  return permutations(n, n);
}

namespace {

void check_not_negative(int64_t value, char name) {
  if (value < 0) {
    throw_error(ErrorKind::ValueError, "{} must be a non-negative integer", name);
  }
}

}  // namespace

int64_t permutations(int64_t n, int64_t k) {
  check_not_negative(n, 'n');
  check_not_negative(k, 'k');
  if (k > n) {
    return 0;
  }
  int64_t result = 1;
  for (int64_t i = 0; i < k; i++) {
    if (!int_multiply(result, n - i, result)) {
      throw_integer_overflow();
    }
  }
  return result;
}

int64_t binomial(int64_t n, int64_t k) {
  check_not_negative(n, 'n');
  check_not_negative(k, 'k');
  if (k > n) {
    return 0;
  }
  k = std::min(k, n - k);
  // Each product of binomials is divisible by i; twice the width holds it before it is divided.
  unsigned __int128 result = 1;
  for (int64_t i = 1; i <= k; i++) {
    result = result * static_cast<uint64_t>(n - k + i) / static_cast<uint64_t>(i);
    if (result > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      throw_integer_overflow();
    }
  }
  return static_cast<int64_t>(result);
}

int64_t integer_square_root(int64_t n) {
  if (n < 0) {
    throw_error(ErrorKind::ValueError, "isqrt() argument must be nonnegative");
  }
  const auto value = static_cast<uint64_t>(n);
  auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(n)));
  while (root * root > value) {
    root--;
  }
  while ((root + 1) * (root + 1) <= value) {
    root++;
  }
  return static_cast<int64_t>(root);
}

}  // namespace tsc::interp
