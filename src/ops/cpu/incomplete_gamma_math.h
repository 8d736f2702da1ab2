#pragma once
// The incomplete gamma functions of vectors: power series, continued fraction and asymptotic
// expansion (NIST, Digital Library of Mathematical Functions, 8.7, 8.9 and 8.12). Each lane goes
// on until it has converged, and then waits for the others. Floats compute in double, and stop
// earlier.

#include "ops/cpu/gamma_math.h"
#include "ops/cpu/special_math.h"

namespace tsc::cpu::TSC_ISA {
namespace gamma {

// Where a series has converged, and where a fraction has that is looked at every fourth step.
template <class Fit>
struct Tolerance {
  static constexpr double kSeries = 0x1p-53;
  static constexpr double kFraction = 0x1p-51;
};
template <>
struct Tolerance<OfFloat> {
  static constexpr double kSeries = 0x1p-38;
  static constexpr double kFraction = 0x1p-37;
};

using Doubles = Wide<double>;
using Lanes = Mask<double>;

TSC_INLINE bool any(Lanes mask) { return !hn::AllFalse(Doubles::D(), mask.m); }

// The logarithm of gamma(1 + a), without rounding 1 + a for small a.
template <class Fit>
TSC_INLINE Doubles log_gamma_of_next(Doubles a) {
  const Lanes small = a < Doubles(0.5);
  const Doubles result = log_gamma_of_positive<Fit>(a + Doubles(1));
  return any(small) ? select(small, with_slope(kSlopeAtOne, Fit::kOne, a), result) : result;
}

// For x below a, or small. The sum grows by four terms at a time, over a common denominator.
template <class Fit>
Doubles __attribute__((noinline)) lower_by_series(Lanes lanes, Doubles a, Doubles x) {
  using W = Doubles;
  W term(1);
  W sum(1);
  W n = a + W(1);
  for (Lanes open = lanes; any(open);) {
    const W n1 = n + W(1);
    const W n2 = n + W(2);
    const W n3 = n + W(3);
    const W factor = term / ((n * n1) * (n2 * n3));
    const W x2 = x * x;
    const W last = factor * (x2 * x2);
    // x n1 n2 n3 + x^2 n2 n3 + x^3 n3 + x^4
    const W step = mul_add(factor * x, mul_add(n1, n2 * n3, x * mul_add(n2, n3, x * n3)), last);
    sum = select(open, sum + step, sum);
    term = select(open, last, term);
    n = n + W(4);
    open = open && term > sum * W(Tolerance<Fit>::kSeries);
  }
  const W factor = exp(a * log(x) - x - log_gamma_of_next<Fit>(a));
  // So far from x that nothing is left, while the terms might overflow.
  return select(a > W(1e30), W(0), sum * factor);
}

// For x about 1 or less, where 1 - lower would lose what is left.
template <class Fit>
Doubles __attribute__((noinline)) upper_by_series(Lanes lanes, Doubles a, Doubles x) {
  using W = Doubles;
  W term(1);
  W sum(0);
  double n = 1;
  for (Lanes open = lanes; any(open) && n < 200; n++) {
    term = select(open, term * x * W(-1 / n), term);
    const W step = term / (a + W(n));
    sum = select(open, sum + step, sum);
    open = open && abs(term) >= abs(sum) * W(Tolerance<Fit>::kSeries);
  }
  const W logarithm = a * log(x) - log_gamma_of_next<Fit>(a);
  return -expm1(logarithm) - exp(logarithm) * a * sum;
}

// For x above a: 1 / (b0 + a1 / (b1 + a2 / (b2 + ...))), with an = n (a - n) and bn = x + 2 n + 1 - a.
// Numerators and denominators go by the three-term recurrence; every fourth denominator becomes 1.
template <class Fit>
Doubles __attribute__((noinline)) upper_by_fraction(Lanes lanes, Doubles a, Doubles x) {
  using W = Doubles;
  W b = x + W(1) - a;
  W upper(1);
  W upper_before(0);
  W lower = b;
  W lower_before(1);
  W value(0);
  double n = 1;
  for (Lanes open = lanes; any(open) && n < 1e4;) {
    for (int k = 0; k < 4; k++, n++) {
      b = b + W(2);
      const W numerator = (a - W(n)) * W(n);
      const W next_upper = mul_add(b, upper, numerator * upper_before);
      const W next_lower = mul_add(b, lower, numerator * lower_before);
      upper_before = upper;
      lower_before = lower;
      upper = next_upper;
      lower = next_lower;
    }
    const W scale = W(1) / lower;
    upper = upper * scale;
    upper_before = upper_before * scale;
    lower_before = lower_before * scale;
    lower = W(1);
    const W change = abs(upper - value);
    value = select(open, upper, value);
    open = open && change > abs(value) * W(Tolerance<Fit>::kFraction);
  }
  const W factor = exp(a * log(x) - x - log_gamma_of_positive<Fit>(a));
  // So far from a that nothing is left, while the recurrence might overflow.
  return select(x > W(1e10), W(0), value * factor);
}

// For large a, and x near it. sign: 1 for the upper function, -1 for the lower one.
inline Doubles __attribute__((noinline)) by_expansion(Doubles a, Doubles x, double sign) {
  using W = Doubles;
  constexpr double kFirst[] = {
      0.91476995822367902e-9,  -0.43820360184533532e-8, 0.10261809784240308e-7,
      0.67078535434014986e-8,  -0.17665952736826079e-6, 0.8296711340953086e-6,
      -0.185406221071516e-5,   -0.21854485106799922e-5, 0.39192631785224378e-4,
      -0.00017875514403292181, 0.0003527336860670194,   0.0011574074074074074,
      -0.014814814814814815,   0.083333333333333333,    -0.33333333333333333};
  constexpr double kSecond[] = {
      0.11951628599778147e-7,  -0.5752545603517705e-7,  0.1378633446915721e-6,
      0.46471278028074343e-8,  -0.16120900894563446e-5, 0.76491609160811101e-5,
      -0.18098550334489978e-4, -0.40187757201646091e-6, 0.00020576131687242798,
      -0.00099022633744855967, 0.0026455026455026455,   -0.0034722222222222222,
      -0.0018518518518518519};
  const W distance = (x - a) / a;
  // Half of eta squared is the distance less log(1 + distance).
  const W square = distance * distance;
  const W series =
      square * (W(0.5) - distance * (W(1.0 / 3) - distance * (W(0.25) - distance * W(0.2))));
  const W half = select(abs(distance) < W(1e-3), series, distance - log1p(distance));
  const W eta = copysign(sqrt(half + half), distance);
  const W rest = exp(-(a * half)) / sqrt(W(2 * kPi) * a) *
                 (polynomial(kFirst, eta) + polynomial(kSecond, eta) / a);
  return W(0.5) * erfc(W(sign) * eta * sqrt(a * W(0.5))) + W(sign) * rest;
}

// What needs no computation has its value in `result`; the other lanes are returned.
TSC_INLINE Lanes find_simple(Doubles a, Doubles x, double at_zero, Doubles& result) {
  using W = Doubles;
  const W zero(0);
  const W infinity(std::numeric_limits<double>::infinity());
  const Lanes none =
      !(a >= zero && x >= zero) || (a == zero && x == zero) || (a == infinity && x == infinity);
  const Lanes far = a == zero || x == infinity;
  const Lanes start = x == zero || a == infinity;
  result = select(none, W(std::numeric_limits<double>::quiet_NaN()),
                  select(far, W(1 - at_zero), W(at_zero)));
  return !(none || far || start);
}
// Lanes for the expansion.
TSC_INLINE Lanes find_near(Doubles a, Doubles x) {
  return a > Doubles(1e4) && abs(x - a) < Doubles(0.3) * a;
}

template <class Fit>
Doubles __attribute__((noinline)) lower(Doubles a, Doubles x) {
  using W = Doubles;
  W result(0);
  const Lanes open = find_simple(a, x, 0, result);
  const Lanes near = open && find_near(a, x);
  const Lanes right = open && !near && x > W(1) && x > a;
  const Lanes fraction = right && x > W(1.1);
  const Lanes series = open && !near && !fraction;
  if (any(near)) result = select(near, by_expansion(a, x, -1), result);
  if (any(fraction)) {
    result = select(fraction, W(1) - upper_by_fraction<Fit>(fraction, a, x), result);
  }
  if (any(series)) result = select(series, lower_by_series<Fit>(series, a, x), result);
  return result;
}

template <class Fit>
Doubles __attribute__((noinline)) upper(Doubles a, Doubles x) {
  using W = Doubles;
  W result(0);
  const Lanes open = find_simple(a, x, 1, result);
  const Lanes near = open && find_near(a, x);
  const Lanes small = open && !near && x <= W(1.1);
  // Where the lower function is below about a half, nothing is lost.
  Lanes series = open && !near && !small && x < a;
  const Lanes fraction = open && !near && !small && !series;
  Lanes direct = small;
  if (any(small)) {
    const Lanes half = x <= W(0.5);
    const Lanes below = (half && W(-0.4) / log(x) < a) || (!half && x * W(1.1) < a);
    series = series || (small && below);
    direct = small && !below;
  }
  if (any(near)) result = select(near, by_expansion(a, x, 1), result);
  if (any(fraction)) result = select(fraction, upper_by_fraction<Fit>(fraction, a, x), result);
  if (any(direct)) result = select(direct, upper_by_series<Fit>(direct, a, x), result);
  if (any(series)) result = select(series, W(1) - lower_by_series<Fit>(series, a, x), result);
  return result;
}

}  // namespace gamma

TSC_INLINE Wide<double> gamma_lower(Wide<double> a, Wide<double> x) {
  return gamma::lower<gamma::OfDouble>(a, x);
}
TSC_INLINE Wide<double> gamma_upper(Wide<double> a, Wide<double> x) {
  return gamma::upper<gamma::OfDouble>(a, x);
}
TSC_INLINE Wide<float> gamma_lower(Wide<float> a, Wide<float> x) {
  return in_doubles(a, x, gamma::lower<gamma::OfFloat>);
}
TSC_INLINE Wide<float> gamma_upper(Wide<float> a, Wide<float> x) {
  return in_doubles(a, x, gamma::upper<gamma::OfFloat>);
}

}  // namespace tsc::cpu::TSC_ISA
