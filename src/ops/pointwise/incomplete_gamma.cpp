// igamma and igammac. Power series, continued fraction and asymptotic expansion: NIST, Digital
// Library of Mathematical Functions, 8.7, 8.9 and 8.12.
#include "ops/pointwise/incomplete_gamma.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "core/dispatch_types.h"
#include "gen/ops/special.h"
#include "gen/ops/special_native.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/strided.h"
#include "ops/structured/tensor_iterator.h"

namespace tsc {
namespace special {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// x ** a * exp(-x) / gamma(a)
double power_over_gamma(double a, double x) {
  return std::exp(a * std::log(x) - x - std::lgamma(a));
}

// The logarithm of gamma(1 + a), without rounding 1 + a for small a.
double log_gamma_of_next(double a) {
  constexpr double kSquare = std::numbers::pi * std::numbers::pi / 12;
  return a < 1e-6 ? a * (kSquare * a - std::numbers::egamma) : std::lgamma(1 + a);
}

// For x below a, or small.
double lower_by_series(double a, double x) {
  double term = 1, sum = 1;
  for (double n = a + 1; term > sum * kEpsilon; n++) {
    term *= x / n;
    sum += term;
  }
  return sum * std::exp(a * std::log(x) - x - log_gamma_of_next(a));
}

// For x about 1 or less, where 1 - lower would lose what is left.
double upper_by_series(double a, double x) {
  double term = 1, sum = 0;
  for (double n = 1; n < 200; n++) {
    term *= -x / n;
    sum += term / (a + n);
    if (std::abs(term) < kEpsilon * std::abs(sum)) {
      break;
    }
  }
  const double logarithm = a * std::log(x) - log_gamma_of_next(a);
  return -std::expm1(logarithm) - std::exp(logarithm) * a * sum;
}

// For x above a, by Lentz's method.
double upper_by_fraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double product = d;
  for (double n = 1; n < 1e4; n++) {
    const double numerator = n * (a - n);
    b += 2;
    d = numerator * d + b;
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    c = b + numerator / c;
    c = std::abs(c) < kTiny ? kTiny : c;
    const double factor = c * d;
    product *= factor;
    if (std::abs(factor - 1) < kEpsilon) {
      break;
    }
  }
  return product * power_over_gamma(a, x);
}

double polynomial(double x, std::span<const double> lowest_first) {
  double sum = 0;
  for (size_t i = lowest_first.size(); i-- > 0;) {
    sum = sum * x + lowest_first[i];
  }
  return sum;
}

constexpr double kFirst[] = {
    -0.33333333333333333,   0.083333333333333333,    -0.014814814814814815,
    0.0011574074074074074,  0.0003527336860670194,   -0.00017875514403292181,
    0.39192631785224378e-4, -0.21854485106799922e-5, -0.185406221071516e-5,
    0.8296711340953086e-6,  -0.17665952736826079e-6, 0.67078535434014986e-8,
    0.10261809784240308e-7, -0.43820360184533532e-8, 0.91476995822367902e-9};
constexpr double kSecond[] = {
    -0.0018518518518518519,  -0.0034722222222222222, 0.0026455026455026455,
    -0.00099022633744855967, 0.00020576131687242798, -0.40187757201646091e-6,
    -0.18098550334489978e-4, 0.76491609160811101e-5, -0.16120900894563446e-5,
    0.46471278028074343e-8,  0.1378633446915721e-6,  -0.5752545603517705e-7,
    0.11951628599778147e-7};

// For large a, and x near it. sign: 1 for the upper function, -1 for the lower one.
double by_expansion(double a, double x, double sign) {
  const double distance = (x - a) / a;
  // Half of eta squared is the distance less log(1 + distance).
  const double phi = distance - std::log1p(distance);
  const double small =
      std::abs(distance) < 1e-3
          ? distance * distance * (0.5 - distance * (1.0 / 3 - distance * (0.25 - distance * 0.2)))
          : phi;
  const double eta = std::copysign(std::sqrt(2 * small), distance);
  const double rest = std::exp(-a * small) / std::sqrt(2 * std::numbers::pi * a) *
                      (polynomial(eta, kFirst) + polynomial(eta, kSecond) / a);
  return 0.5 * std::erfc(sign * eta * std::sqrt(a / 2)) + sign * rest;
}

constexpr double kLarge = 1e4;

bool is_near(double a, double x) { return a > kLarge && std::abs(x - a) < 0.3 * a; }

// What needs no computation: true, with the value.
bool is_simple(double a, double x, double at_zero, double& value) {
  const double at_infinity = 1 - at_zero;
  if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (std::isinf(a) && std::isinf(x))) {
    value = kNan;
  } else if (a == 0 || std::isinf(x)) {
    value = at_infinity;
  } else if (x == 0 || std::isinf(a)) {
    value = at_zero;
  } else {
    return false;
  }
  return true;
}

}  // namespace

double gamma_lower(double a, double x) {
  double value = 0;
  if (is_simple(a, x, 0, value)) {
    return value;
  }
  if (is_near(a, x)) {
    return by_expansion(a, x, -1);
  }
  return x > 1 && x > a ? 1 - gamma_upper(a, x) : lower_by_series(a, x);
}

double gamma_upper(double a, double x) {
  double value = 0;
  if (is_simple(a, x, 1, value)) {
    return value;
  }
  if (is_near(a, x)) {
    return by_expansion(a, x, 1);
  }
  if (x > 1.1) {
    return x < a ? 1 - lower_by_series(a, x) : upper_by_fraction(a, x);
  }
  // Where the lower function is below about a half, nothing is lost.
  const bool lower_is_small = x <= 0.5 ? -0.4 / std::log(x) < a : x * 1.1 < a;
  return lower_is_small ? 1 - lower_by_series(a, x) : upper_by_series(a, x);
}

}  // namespace special

namespace {

// Operands of any dtype, promoted to the common one and then to double, a run at a time.
class DoubleLoop {
 public:
  using Function = double (*)(double, double);

  DoubleLoop(const TensorIteratorBase& iterator, Function function)
      : common_(iterator.common_dtype()), function_(function) {
    for (int k = 0; k < 3; k++) {
      types_[k] = iterator.dtype(k);
    }
  }

  void operator()(char* const* data, const int64_t* strides, int64_t size0, int64_t size1) const {
    constexpr int64_t kRun = 256;
    double a[kRun], b[kRun];
    for (int64_t j = 0; j < size1; j++) {
      for (int64_t i = 0; i < size0; i += kRun) {
        const int64_t count = std::min(kRun, size0 - i);
        const auto place = [&](int k) { return data[k] + j * strides[3 + k] + i * strides[k]; };
        read(a, place(1), strides[1], types_[1], count);
        read(b, place(2), strides[2], types_[2], count);
        for (int64_t n = 0; n < count; n++) {
          a[n] = function_(a[n], b[n]);
        }
        write(place(0), strides[0], a, count);
      }
    }
  }

 private:
  static void convert(char* to, ScalarType to_type, const char* from, ScalarType from_type,
                      int64_t count) {
    const int64_t strides[] = {static_cast<int64_t>(element_size(to_type)),
                               static_cast<int64_t>(element_size(from_type)), 0, 0};
    char* const data[] = {to, const_cast<char*>(from)};
    cpu::CopyLoop(to_type, from_type)(data, strides, count, 1);
  }
  void read(double* to, const char* from, int64_t stride, ScalarType type, int64_t count) const {
    alignas(16) char stored[256 * 16];
    alignas(16) char promoted[256 * 16];
    cpu::gather(stored, {const_cast<char*>(from), stride, 0}, element_size(type), count, 1);
    const char* source = stored;
    if (type != common_) {
      convert(promoted, common_, stored, type, count);
      source = promoted;
    }
    convert(reinterpret_cast<char*>(to), ScalarType::Double, source, common_, count);
  }
  void write(char* to, int64_t stride, const double* from, int64_t count) const {
    alignas(16) char rounded[256 * 16];
    alignas(16) char stored[256 * 16];
    convert(rounded, common_, reinterpret_cast<const char*>(from), ScalarType::Double, count);
    convert(stored, types_[0], rounded, common_, count);
    cpu::scatter({to, stride, 0}, stored, element_size(types_[0]), count, 1);
  }

  ScalarType common_;
  Function function_;
  ScalarType types_[3];
};

void run_in_double(const TensorIteratorBase& iterator, const char* name,
                   DoubleLoop::Function function) {
  if (!is_floating_point(iterator.common_dtype())) {
    throw_dtype_not_implemented(name, iterator.common_dtype());
  }
  constexpr int64_t kGrain = 1024;
  const DoubleLoop loop(iterator, function);
  iterator.for_each([&](char** data, const int64_t* strides, int64_t size0,
                        int64_t size1) { loop(data, strides, size0, size1); },
                    kGrain);
}

}  // namespace

TSC_META_FUNC(igamma)(const Tensor& self, const Tensor& other) { build_binary_op(self, other); }
TSC_IMPL_FUNC(igamma_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_in_double(*this, "igamma_cpu", &special::gamma_lower);
}

TSC_META_FUNC(igammac)(const Tensor& self, const Tensor& other) { build_binary_op(self, other); }
TSC_IMPL_FUNC(igammac_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_in_double(*this, "igammac_cpu", &special::gamma_upper);
}

namespace native {

Tensor special_gammainc(const Tensor& self, const Tensor& other) { return igamma(self, other); }
const Tensor& special_gammainc_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return igamma_out(self, other, out);
}
Tensor special_gammaincc(const Tensor& self, const Tensor& other) { return igammac(self, other); }
const Tensor& special_gammaincc_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return igammac_out(self, other, out);
}

}  // namespace native
}  // namespace tsc
