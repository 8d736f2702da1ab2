#pragma once
// The logarithm of the gamma function, and that one's first two derivatives, of vectors. Floats
// compute in double, and are rounded correctly but for rare ties. Of positive doubles the logarithm errs
// by less than 2.5 units in the last place, most next to its minimum; SLEEF's, which negative ones get,
// by less than 1.

#include "ops/cpu/log_math.h"
#include "ops/cpu/trig_math.h"

namespace tsc::cpu::TSC_ISA {
namespace gamma {

// (log(gamma(1 + t)) - c t) / t^2 for -0.31 <= t <= 0.51 and the same of gamma(2 + t) for |t| <= 1/2,
// where c is the logarithm's derivative at t = 0; and in z = 1 / x^2 what Stirling's formula lacks
// from x = 8 on, times x. Errors 2^-37 and 2^-54.
struct OfFloat {
  static constexpr double kOne[] = {
      -0.02999501669720455, 0.07418799331144979, -0.08946589557839361, 0.08647699179007609,
      -0.08973119111057876, 0.09959202043295202, -0.11137645852115079, 0.12554061779544815,
      -0.14404981870139003, 0.16955636146877853, -0.20738553477579724, 0.2705808162703324,
      -0.4006856345135754,  0.8224670334117244};
  static constexpr double kTwo[] = {
      -1.1141260643282279e-05, 2.4154595381278688e-05,  -4.443127310208696e-05,
      9.839697643190869e-05,   -0.00022321993569119868, 0.0005098091580313527,
      -0.0011927500611949558,  0.0028905020821439896,   -0.007385551111513343,
      0.020580808605237744,    -0.06735230105291024,    0.3224670334234966};
  static constexpr double kStirling[] = {-0.0005701454580984145, 0.0007934092867435821,
                                         -0.0027777770272392, 0.08333333333296676};
};
struct OfDouble {
  static constexpr double kOne[] = {
      0.011057895449281315, -0.03698367747099226, 0.05594353560962435, -0.055682134313055624,
      0.050247534766494704, -0.05093273973540737, 0.05510906684831432, -0.058977374233720944,
      0.06257453418885357,  -0.06666358374669588, 0.07142697509696076, -0.07693235413479727,
      0.08335411977321283,  -0.09095403745409539, 0.10009944978952579, -0.1113342651533012,
      0.12550966964673216,  -0.1440498967803278,  0.16955717699641695, -0.20738555102859654,
      0.27058080842778776,  -0.4006856343865316,  0.8224670334241132};
  static constexpr double kTwo[] = {
      -1.3029870239068415e-07, 2.7475390051909663e-07,  -4.3454173670260496e-07,
      9.242852225162277e-07,   -2.043022895180944e-06,  4.3828545383846665e-06,
      -9.43891959627718e-06,   2.050601970174762e-05,   -4.492628637818162e-05,
      9.945761692157133e-05,   -0.00022315475602710603, 0.0005096695196526673,
      -0.00119275391176255,    0.002890510330865901,    -0.007385551028673429,
      0.02058080842778338,     -0.0673523010531981,     0.3224670334241132};
  static constexpr double kStirling[] = {
      0.005065830821990134,  -0.0018903792026145536, 0.0008414700110573563, -0.0005952365838084739,
      0.0007936507897492187, -0.002777777777773982,  0.08333333333333333};
};
// Euler's constant, negative, and 1 less it: each with what its rounding loses.
inline constexpr double kSlopeAtOne[] = {-0.5772156649015329, 4.942915152430645e-18};
inline constexpr double kSlopeAtTwo[] = {0.42278433509846713, 4.942915152430645e-18};
inline constexpr double kPi = 3.14159265358979323846;

// c t + t^2 p(t).
template <size_t N>
TSC_INLINE Wide<double> with_slope(const double (&slope)[2], const double (&rest)[N],
                                   Wide<double> t) {
  using W = Wide<double>;
  const W first = t * W(slope[0]);
  const W lost = mul_add(t, W(slope[0]), -first) + t * W(slope[1]);
  return first + mul_add(t * t, polynomial(rest, t), lost);
}

// sin(pi x), exactly 0 for integers; NaN for infinity.
TSC_INLINE Wide<double> sine_of_turns(Wide<double> x) {
  const Wide<double> rest = x - round_even(x);
  return sin(rest * Wide<double>(kPi));
}

// The logarithm of gamma(x) for x from 0 on. Between 1/2 and 8 it is that of gamma(2 + t), more or
// less the logarithm of the factors that lead there.
template <class Fit>
TSC_INLINE Wide<double> log_gamma_of_positive(Wide<double> x) {
  using W = Wide<double>;
  const W::D d;
  const Mask<double> large = x >= W(8);
  W z = x;
  W product(1);
  for (Mask<double> above = x >= W(2.5) && !large; !hn::AllFalse(d, above.m);
       above = z >= W(2.5) && !large) {
    z = select(above, z - W(1), z);
    product = select(above, product * z, product);
  }
  const Mask<double> tiny = x < W(0.5);
  const Mask<double> below = x < W(0.7);
  const Mask<double> about_one = tiny || (x < W(1.5) && !below);
  const W t = select(tiny, x, select(x < W(1.5), x - W(1), z - W(2)));
  const LogParts<double> parts = log_parts(select(large || below, x, product));
  const LogSum sum = sum_of_parts(parts);
  W result(0);
  if (!hn::AllTrue(d, large.m)) {
    W fit(0);
    if (!hn::AllFalse(d, about_one.m)) fit = with_slope(kSlopeAtOne, Fit::kOne, t);
    if (!hn::AllTrue(d, about_one.m)) {
      fit = select(about_one, fit, with_slope(kSlopeAtTwo, Fit::kTwo, t));
    }
    result = fit + select(below, -sum.lower, sum.lower) + select(below, -sum.upper, sum.upper);
    // Denormal numbers, too, which have no parts.
    const Mask<double> near_zero = x < W(0x1p-1000);
    if (!hn::AllFalse(d, near_zero.m)) result = select(near_zero, -log(x), result);
  }
  if (!hn::AllFalse(d, large.m)) {
    // (x - 1/2) (log(x) - 1) + log(2 pi) / 2 - 1/2, with what the product's rounding loses.
    const W inverse = W(1) / x;
    const W rest =
        mul_add(polynomial(Fit::kStirling, inverse * inverse), inverse, W(0.41893853320467274178));
    const W factor = x - W(0.5);
    const W less = sum.upper - W(1);
    const W first = factor * less;
    const W whole = first + (mul_add(factor, less, -first) + mul_add(factor, sum.lower, rest));
    result = select(large, select(x > W(0x1p900), first, whole), result);
  }
  return result;
}

// By reflection: the logarithm of pi / |x sin(pi x)|, which is 1 / x^2 next to 0. As exact as doubles
// need to be for floats.
TSC_INLINE Wide<double> log_gamma_of_float(Wide<double> x) {
  using W = Wide<double>;
  const W size = abs(x);
  const W result = log_gamma_of_positive<OfFloat>(size);
  const Mask<double> negative = x < W(0);
  if (hn::AllFalse(W::D(), negative.m)) return result;
  const Mask<double> near_zero = size < W(0x1p-60);
  const W sine = abs(sine_of_turns(size)) * W(1 / kPi);
  const W reflected = -log(select(near_zero, size, size * sine)) - select(near_zero, W(0), result);
  const W infinity(std::numeric_limits<double>::infinity());
  return select(negative, select(size == infinity, infinity, reflected), result);
}
// SLEEF's is as exact for negative doubles, too.
inline Wide<double> __attribute__((noinline))
replace_negative(Mask<double> negative, Wide<double> x, Wide<double> result) {
  return select(negative, sleef_lgamma(x), result);
}
TSC_INLINE Wide<double> log_gamma(Wide<double> x) {
  const Wide<double> result = log_gamma_of_positive<OfDouble>(abs(x));
  const Mask<double> negative = x < Wide<double>(0);
  return hn::AllFalse(Wide<double>::D(), negative.m) ? result
                                                     : replace_negative(negative, x, result);
}

// Adds steps(t, t + 1), the sum of two terms of a recurrence, and 2 to t, until all t are 10.
template <class Steps>
TSC_INLINE Wide<double> climb_to_ten(Wide<double>& t, Steps steps) {
  using W = Wide<double>;
  W sum(0);
  for (Mask<double> below = t < W(10); !hn::AllFalse(W::D(), below.m); below = t < W(10)) {
    sum = select(below, sum + steps(t, t + W(1)), sum);
    t = select(below, t + W(2), t);
  }
  return sum;
}

// The logarithmic derivative: Stirling's series from 10 on, below it by recurrence, two steps a
// division, and for negative numbers by reflection.
TSC_INLINE Wide<double> digamma(Wide<double> x) {
  using W = Wide<double>;
  // B(2k) / (2k).
  constexpr double kSeries[] = {1.0 / 12,  -691.0 / 32760, 1.0 / 132, -1.0 / 240,
                                1.0 / 252, -1.0 / 120,     1.0 / 12};
  const W::D d;
  const Mask<double> negative = x < W(0);
  W t = select(negative, W(1) - x, x);
  const W steps =
      climb_to_ten(t, [](W first, W second) { return (first + second) / (first * second); });
  const W z = W(1) / (t * t);
  const W series = mul_add(z, polynomial(kSeries, z), W(0.5) / t);
  W result = log(t) - series - steps;
  if (!hn::AllFalse(d, negative.m)) {
    const W fraction = x - trunc(x);
    const W reflected = result - W(kPi) / tan(W(kPi) * fraction);
    const W nan(std::numeric_limits<double>::quiet_NaN());
    result = select(negative, select(fraction == W(0), nan, reflected), result);
  }
  const W infinity(std::numeric_limits<double>::infinity());
  return select(x == W(0), copysign(infinity, -x), result);
}

// The derivative of digamma, likewise.
TSC_INLINE Wide<double> trigamma(Wide<double> x) {
  using W = Wide<double>;
  // B(2k)
  constexpr double kSeries[] = {7.0 / 6,  -691.0 / 2730, 5.0 / 66, -1.0 / 30,
                                1.0 / 42, -1.0 / 30,     1.0 / 6};
  const W::D d;
  const Mask<double> negative = x < W(0);
  W t = select(negative, W(1) - x, x);
  const W steps = climb_to_ten(t, [](W first, W second) {
    const W a = first * first;
    const W b = second * second;
    return (a + b) / (a * b);
  });
  const W inverse = W(1) / t;
  const W z = inverse * inverse;
  const W series = mul_add(z, polynomial(kSeries, z), mul_add(inverse, W(0.5), W(1)));
  W result = mul_add(series, inverse, steps);
  if (!hn::AllFalse(d, negative.m)) {
    const W sine = sine_of_turns(x);
    result = select(negative, W(kPi * kPi) / (sine * sine) - result, result);
  }
  return result;
}

}  // namespace gamma

TSC_INLINE Wide<double> lgamma(Wide<double> x) { return gamma::log_gamma(x); }
TSC_INLINE Wide<float> lgamma(Wide<float> x) {
  return in_doubles(x, [](Wide<double> part) { return gamma::log_gamma_of_float(part); });
}
TSC_INLINE Wide<double> digamma(Wide<double> x) { return gamma::digamma(x); }
TSC_INLINE Wide<float> digamma(Wide<float> x) {
  return in_doubles(x, [](Wide<double> part) { return gamma::digamma(part); });
}
TSC_INLINE Wide<double> trigamma(Wide<double> x) { return gamma::trigamma(x); }
TSC_INLINE Wide<float> trigamma(Wide<float> x) {
  return in_doubles(x, [](Wide<double> part) { return gamma::trigamma(part); });
}

}  // namespace tsc::cpu::TSC_ISA
