#include "ops/pointwise/special_in_double.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <span>

namespace tsc::special {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double polynomial(double x, std::span<const double> highest_first) {
  double sum = 0;
  for (const double coefficient : highest_first) {
    sum = sum * x + coefficient;
  }
  return sum;
}

// B(2k) / (2k), of Stirling's series.
constexpr double kDigammaSeries[] = {1.0 / 12,  -691.0 / 32760, 1.0 / 132, -1.0 / 240,
                                     1.0 / 252, -1.0 / 120,     1.0 / 12};

// B(2k) / (2k)!, of the Euler-Maclaurin formula.
constexpr double kZetaSeries[] = {1.0 / 12,
                                  -1.0 / 720,
                                  1.0 / 30240,
                                  -1.0 / 1209600,
                                  1.0 / 47900160,
                                  -691.0 / 1307674368000,
                                  1.0 / 74724249600,
                                  -3617.0 / 10670622842880000,
                                  43867.0 / 5109094217170944000,
                                  -174611.0 / 802857662698291200000.0,
                                  77683.0 / 14101100039391805440000.0,
                                  -236364091.0 / 1693824136731743669452800000.0};

double trigamma(double x) {
  // Below 1/2 by reflection.
  if (x < 0.5) {
    const double sine = std::sin(std::numbers::pi * x);
    return std::numbers::pi * std::numbers::pi / (sine * sine) - trigamma(1 - x);
  }
  double sum = 0;
  for (; x < 10; x += 1) {
    sum += 1 / (x * x);
  }
  const double z = 1 / (x * x);
  constexpr double kSeries[] = {7.0 / 6,  -691.0 / 2730, 5.0 / 66, -1.0 / 30,
                                1.0 / 42, -1.0 / 30,     1.0 / 6};
  return sum + (1 + 1 / (2 * x) + z * polynomial(z, kSeries)) / x;
}

// Giles's approximation of the inverse error function around 0, good to 1e-7 for |x| < 0.996.
double erf_inverse_guess(double x) {
  constexpr double kCentre[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                -0.00417768164,  0.246640727,    1.50140941};
  return x * polynomial(-std::log1p(-x * x) - 2.5, kCentre);
}

constexpr double kTwoOverSqrtPi = 2 * std::numbers::inv_sqrtpi;

// The y, not below 0, for which erfc(y) is `tail`, between 0 and 1/2.
double erfc_inverse(double tail) {
  if (tail == 0) {
    return kInfinity;
  }
  const double logarithm = std::log(tail);
  double y = tail > 0.005 ? erf_inverse_guess(1 - tail)
                          : std::sqrt(-logarithm - 0.5 * std::log(-std::numbers::pi * logarithm));
  // Newton's method for the logarithm, which is almost a parabola.
  for (int i = 0; i < 4; i++) {
    const double value = std::erfc(y);
    y += (std::log(value) - logarithm) * value / (kTwoOverSqrtPi * std::exp(-y * y));
  }
  return y;
}

// exp(-x) * I(x) of order 0 or 1 for x not below 0.
double bessel_scaled(int order, double x) {
  if (x <= 50) {
    // The power series: all its terms are positive.
    const double quarter = x * x / 4;
    double term = order == 0 ? 1 : x / 2;
    double sum = term;
    for (int k = 1; term > sum * 1e-17; k++) {
      term *= quarter / (k * (k + order));
      sum += term;
    }
    return sum * std::exp(-x);
  }
  if (x == kInfinity) {
    return 0;
  }
  double term = 1;
  double sum = 1;
  for (int k = 1; k <= 20; k++) {
    const double odd = 2 * k - 1;
    term *= (odd * odd - 4 * order) / (8 * x * k);
    sum += term;
  }
  return sum / std::sqrt(2 * std::numbers::pi * x);
}

// Large x overflow only where the function itself does.
double unscaled(double scaled, double x) {
  return x > 700 ? scaled * std::exp(x / 2) * std::exp(x / 2) : scaled * std::exp(x);
}

}  // namespace

double digamma(double x) {
  if (x == 0) {
    return std::copysign(kInfinity, -x);
  }
  if (x < 0) {
    // By reflection; there is a pole at each negative integer.
    double whole = 0;
    const double fraction = std::modf(x, &whole);
    return fraction == 0
               ? kNan
               : digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * fraction);
  }
  double sum = 0;
  for (; x < 10; x += 1) {
    sum -= 1 / x;
  }
  const double z = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x - (x < 1e17 ? z * polynomial(z, kDigammaSeries) : 0);
}

double polygamma(int64_t n, double x) {
  if (n == 0) {
    return digamma(x);
  }
  if (n == 1) {
    return trigamma(x);
  }
  const auto order = static_cast<double>(n);
  return (n % 2 == 1 ? 1.0 : -1.0) * std::exp(std::lgamma(order + 1)) * zeta(order + 1, x);
}

double zeta(double x, double q) {
  if (x == 1) {
    return kInfinity;
  }
  if (x < 1) {
    return kNan;
  }
  if (q <= 0) {
    if (q == std::floor(q)) {
      return kInfinity;
    }
    if (x != std::floor(x)) {
      return kNan;  // a power of a negative number
    }
  }
  double sum = std::pow(q, -x);
  double a = q;
  double term = 0;
  for (int i = 0; i < 9 || a <= 9; i++) {
    a += 1;
    term = std::pow(a, -x);
    sum += term;
    if (std::abs(term) < std::numeric_limits<double>::epsilon() / 2 * std::abs(sum)) {
      return sum;
    }
  }
  sum += term * a / (x - 1) - 0.5 * term;
  double factor = 1;
  double k = 0;
  for (const double coefficient : kZetaSeries) {
    factor *= x + k;
    term /= a;
    const double step = factor * term * coefficient;
    sum += step;
    if (std::abs(step) < std::numeric_limits<double>::epsilon() / 2 * std::abs(sum)) {
      break;
    }
    factor *= x + k + 1;
    term /= a;
    k += 2;
  }
  return sum;
}

double erf_inverse(double x) {
  const double magnitude = std::abs(x);
  if (!(magnitude <= 1)) {
    return kNan;
  }
  if (magnitude >= 0.5) {
    return std::copysign(erfc_inverse(1 - magnitude), x);
  }
  double y = erf_inverse_guess(x);
  for (int i = 0; i < 2; i++) {
    y -= (std::erf(y) - x) / (kTwoOverSqrtPi * std::exp(-y * y));
  }
  return y;
}

double erfc_scaled(double x) {
  if (x < 4) {
    // exp() overflows below -26.7.
    return std::exp(x * x) * std::erfc(x);
  }
  if (x > 1e8) {
    return std::numbers::inv_sqrtpi / x;
  }
  // The continued fraction, from its end.
  double denominator = x;
  for (int k = 80; k >= 1; k--) {
    denominator = x + 0.5 * k / denominator;
  }
  return std::numbers::inv_sqrtpi / denominator;
}

double log_ndtr(double x) {
  const double t = x / std::numbers::sqrt2;
  return x < -1 ? std::log(erfc_scaled(-t) / 2) - t * t : std::log1p(-std::erfc(t) / 2);
}

double ndtr_inverse(double probability) {
  if (!(probability >= 0 && probability <= 1)) {
    return kNan;
  }
  return probability < 0.25   ? -std::numbers::sqrt2 * erfc_inverse(2 * probability)
         : probability > 0.75 ? std::numbers::sqrt2 * erfc_inverse(2 * (1 - probability))
                              : std::numbers::sqrt2 * erf_inverse(2 * probability - 1);
}

double bessel_i0_scaled(double x) { return bessel_scaled(0, std::abs(x)); }
double bessel_i1_scaled(double x) { return std::copysign(bessel_scaled(1, std::abs(x)), x); }
double bessel_i0(double x) { return unscaled(bessel_i0_scaled(x), std::abs(x)); }
double bessel_i1(double x) { return unscaled(bessel_i1_scaled(x), std::abs(x)); }

}  // namespace tsc::special
