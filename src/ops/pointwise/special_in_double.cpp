#include "ops/pointwise/special_in_double.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace tsc::special {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

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

}  // namespace

double polygamma(int64_t n, double x) {
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

double bessel_i0(double x) {
  const double quarter = x * x / 4;
  // The power series: all its terms are positive.
  double term = 1;
  double sum = 1;
  for (int k = 1; term > sum * 1e-17 && sum < kInfinity; k++) {
    term *= quarter / (static_cast<double>(k) * k);
    sum += term;
  }
  return sum;
}

}  // namespace tsc::special
