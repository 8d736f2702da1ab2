#pragma once
// exp, tanh, atan and erf of vectors, inline because their speed counts most: calls of SLEEF take two
// to four times as long. Also functions that SLEEF has for small arguments only. log_math.h has the
// logarithms.
//
// The polynomials are minimax fits by Remez' exchange, with their errors beside them. Measured over
// floats of all sizes, exp errs by less than 1.1 units in the last place, erf by less than 1.2, atan by
// less than 1.4, tanh by less than 1.6 and expm1 by less than 1.0. Of doubles, exp and atan err by less
// than 1.0, erf and expm1 by less than 1.5 and tanh by less than 1.6.

#include <limits>

#include "ops/cpu/erf_tables.h"
#include "ops/cpu/wide_math.h"
#include "ops/cpu/wide_table.h"

namespace tsc::cpu::TSC_ISA {

template <class T>
struct ExpConstants;

template <>
struct ExpConstants<float> {
  static constexpr float kLog2E = 1.44269504088896340736f;
  // ln 2 in two parts. The upper has zeros at its end, so that its product with n is exact.
  static constexpr float kLn2High = 0.693145751953125f;
  static constexpr float kLn2Low = 1.42860682030941723212e-6f;
  // Adding it rounds to an integer, which then stands in the lowest bits, with an exponent's bias.
  static constexpr float kRounder = 0x1.8p23f + 127;
  static constexpr int kMantissaBits = 23;
  static constexpr float kOverflow = 89.0f;     // exp is infinite from here on
  static constexpr float kUnderflow = -104.0f;  // and zero up to here
  // (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2, highest power first; error of exp 2^-34.
  static constexpr float kPolynomial[] = {1.97903407805e-4f, 1.39446596091e-3f, 8.33349707617e-3f,
                                          4.16662949476e-2f, 1.66666658689e-1f, 5.00000006768e-1f};
};

template <>
struct ExpConstants<double> {
  static constexpr double kLog2E = 1.44269504088896340736;
  static constexpr double kLn2High = 0x1.62e42fefa38p-1;
  static constexpr double kLn2Low = 0x1.ef35793c7673p-45;
  static constexpr double kRounder = 0x1.8p52 + 1023;
  static constexpr int kMantissaBits = 52;
  static constexpr double kOverflow = 710.0;
  static constexpr double kUnderflow = -745.5;
  // Error of exp 2^-64.
  static constexpr double kPolynomial[] = {
      2.0826626093960624501e-9, 2.5112036799361423742e-8, 2.7557581850931389455e-7,
      2.7557234862049678484e-6, 2.4801586926630752285e-5, 1.9841269896383667459e-4,
      1.3888888889115628883e-3, 8.3333333333170343227e-3, 4.1666666666666094278e-2,
      1.6666666666666668342e-1, 5.0000000000000000439e-1};
};

// 2^n, from n + kRounder, for n in the range of normal exponents.
template <class T>
TSC_INLINE Wide<T> power_of_two(Wide<T> rounded) {
  using D = typename Wide<T>::D;
  const auto bits = hn::BitCast(hn::RebindToSigned<D>(), rounded.v);
  return {hn::BitCast(D(), hn::ShiftLeft<ExpConstants<T>::kMantissaBits>(bits))};
}

// exp(x) = 2^n * fraction. Gives the fraction, in [0.7, 1.5], and n + kRounder.
template <class T>
struct ExpParts {
  Wide<T> fraction;
  Wide<T> rounded;
};
// x = n ln 2 + r, and n + kRounder.
template <class T>
struct ReducedPower {
  Wide<T> r;
  Wide<T> rounded;
};
template <class T>
TSC_INLINE ReducedPower<T> reduce_power(Wide<T> x) {
  using W = Wide<T>;
  using C = ExpConstants<T>;
  const W rounded = mul_add(x, W(C::kLog2E), W(C::kRounder));
  const W n = rounded - W(C::kRounder);
  const W r = mul_add(n, W(-C::kLn2High), x);
  return {mul_add(n, W(-C::kLn2Low), r), rounded};
}
template <class T>
TSC_INLINE ExpParts<T> exp_parts(Wide<T> x) {
  const auto [r, rounded] = reduce_power(x);
  return {mul_add(r * r, polynomial(ExpConstants<T>::kPolynomial, r), r) + Wide<T>(1), rounded};
}
// Two functions for which AVX-512 has an instruction.
//
#if HWY_TARGET <= HWY_AVX3
// Correctly rounded: Newton's iteration from 14 bits on, and P. Markstein's last step (Computation of
// elementary functions on the IBM RISC System/6000 processor, IBM J. Res. Dev. 34, 1990), in a third of
// the instruction's time. The root of a number so small that the remainder might be lost, and of
// infinity, NaN and negative numbers, is the instruction's.
TSC_INLINE Wide<double> sqrt(Wide<double> x) {
  using W = Wide<double>;
  const W::D d;
  const Mask<double> usual = (x > W(0x1p-900)) && (x < W(0x1p1023));
  if (!hn::AllTrue(d, usual.m)) return {hn::Sqrt(x.v)};
  const W inverse{W::V{_mm512_rsqrt14_pd(x.v.raw)}};
  W root = x * inverse;
  W half = inverse * W(0.5);  // of the inverse
  for (int i = 0; i < 2; i++) {
    const W rest{hn::NegMulAdd(root.v, half.v, hn::Set(d, 0.5))};
    root = mul_add(root, rest, root);
    half = mul_add(half, rest, half);
  }
  const W remainder{hn::NegMulAdd(root.v, root.v, x.v)};
  return mul_add(remainder, half, root);
}
#endif

// fraction * 2^n, rounded once; zero where `is_zero`, by no arithmetic, which takes a hundred times
// as long where its result is denormal. Otherwise in two steps, the first of which is exact,
// because 2^n may be out of range where the product is not.
//
// The smaller of |x| and a positive bound; any of them for NaN.
#if HWY_TARGET <= HWY_AVX3
TSC_INLINE Wide<float> scale(Mask<float> is_zero, Wide<float> fraction, Wide<float> n) {
  return {Wide<float>::V{_mm512_maskz_scalef_ps(hn::Not(is_zero.m).raw, fraction.v.raw, n.v.raw)}};
}
TSC_INLINE Wide<double> scale(Mask<double> is_zero, Wide<double> fraction, Wide<double> n) {
  return {Wide<double>::V{_mm512_maskz_scalef_pd(hn::Not(is_zero.m).raw, fraction.v.raw, n.v.raw)}};
}
TSC_INLINE Wide<float> bounded_magnitude(Wide<float> x, Wide<float> bound) {
  constexpr int kSmallerMagnitude = 0b10;
  constexpr int kClearedSign = 0b1000;
  return {Wide<float>::V{_mm512_range_ps(x.v.raw, bound.v.raw, kSmallerMagnitude | kClearedSign)}};
}
#else
template <class T>
TSC_INLINE Wide<T> scale(Mask<T> is_zero, Wide<T> fraction, Wide<T> n) {
  using W = Wide<T>;
  const W rounder(ExpConstants<T>::kRounder);
  const W half = mul_add(n, W(0.5), rounder);
  const W rest = (n - (half - rounder)) + rounder;
  return select(is_zero, W(0), fraction) * power_of_two(half) * power_of_two(rest);
}
TSC_INLINE Wide<float> bounded_magnitude(Wide<float> x, Wide<float> bound) {
  return {hn::Min(bound.v, abs(x).v)};
}
#endif

template <class T>
TSC_INLINE Wide<T> exp(Wide<T> x) {
  using W = Wide<T>;
  using C = ExpConstants<T>;
  const Mask<T> is_zero = x < W(C::kUnderflow);
  // Min and Max give their second operand when one is NaN.
  x.v = hn::Max(W(C::kUnderflow).v, hn::Min(W(C::kOverflow).v, x.v));
  const auto [fraction, rounded] = exp_parts(x);
  return scale(is_zero, fraction, rounded - W(C::kRounder));
}

#if HWY_TARGET <= HWY_AVX3
// As above, with one coefficient less. No bound is needed below, where the instruction stores zeros.
TSC_INLINE Wide<float> exp(Wide<float> x) {
  using W = Wide<float>;
  using C = ExpConstants<float>;
  // Error of exp 2^-28.
  constexpr float kPolynomial[] = {1.38146283241e-3f, 8.36871675212e-3f, 4.16683876113e-2f,
                                   1.6666520634e-1f, 4.99999934488e-1f};
  const __mmask16 stays = _mm512_cmp_ps_mask(x.v.raw, W(C::kUnderflow).v.raw, _CMP_NLT_UQ);
  const W bounded{hn::Min(W(C::kOverflow).v, x.v)};
  const W n = mul_add(bounded, W(C::kLog2E), W(C::kRounder)) - W(C::kRounder);
  const W r = mul_add(n, W(-C::kLn2Low), mul_add(n, W(-C::kLn2High), bounded));
  const W fraction = mul_add(r * r, polynomial(kPolynomial, r), r) + W(1);
  return {W::V{_mm512_maskz_scalef_ps(stays, fraction.v.raw, n.v.raw)}};
}

// x = n ln 2 + r, where n is a multiple of 1/16: 2^n is its integer's power times one from a table.
namespace exp_table {
alignas(64) inline constexpr double kPower[16] = {
    1.000000000000,     1.0442737824274138, 1.0905077326652577, 1.1387886347566916,
    1.189207115002721,  1.241857812073484,  1.2968395546510096, 1.3542555469368927,
    1.4142135623730951, 1.4768261459394993, 1.5422108254079407, 1.6104903319492543,
    1.681792830507429,  1.7562521603732995, 1.8340080864093424, 1.9152065613971474};
// Lost by rounding.
alignas(64) inline constexpr double kPowerRest[16] = {
    0.00000000000000000,    8.551889705537965e-17, -3.046782079812471e-17,
    8.912812676025408e-17,  3.982015231465646e-17, 4.658027591836937e-17,
    2.5382502794888315e-17, 7.70094837980299e-17,  -9.667293313452913e-17,
    -3.483994556892796e-17, 7.949834809697621e-17, 2.4707192569797888e-17,
    8.199010020581497e-17,  2.960140695448873e-17, 3.283107224245627e-17,
    -1.0619946056195963e-16};
// Adding it rounds to sixteenths, which then stand in the lowest bits.
inline constexpr double kRounder = 0x1.8p48;

// exp(r) - 1 for |r| <= ln(2)/32; error of exp 2^-56.
TSC_INLINE Wide<double> less_one(Wide<double> r) {
  constexpr double kPolynomial[] = {0.0013889129242196903, 0.00833347219045204, 0.04166666665963965,
                                    0.16666666664409285, 0.5000000000000006};
  return mul_add(r * r, polynomial(kPolynomial, r), r);
}
}  // namespace exp_table
TSC_INLINE Wide<double> exp(Wide<double> x) {
  using W = Wide<double>;
  using C = ExpConstants<double>;
  const Mask<double> is_zero = x < W(C::kUnderflow);
  x.v = hn::Min(W(C::kOverflow).v, x.v);  // the second one if it is NaN
  const W rounded = mul_add(x, W(C::kLog2E), W(exp_table::kRounder));
  const W n = rounded - W(exp_table::kRounder);
  const W r = mul_add(n, W(-C::kLn2Low), mul_add(n, W(-C::kLn2High), x));
  const Interval<double> sixteenths = interval<0>(rounded);
  const W power = pick(exp_table::kPower, sixteenths);
  const W rest = mul_add(power, exp_table::less_one(r), pick(exp_table::kPowerRest, sixteenths));
  return scale(is_zero, power + rest, n);  // by the integer below n
}
#endif

// With x = n + r / ln 2.
template <class T>
TSC_INLINE Wide<T> exp2(Wide<T> x) {
  using W = Wide<T>;
  using C = ExpConstants<T>;
  constexpr T kOverflow = std::is_same_v<T, float> ? T(130) : T(1026);
  constexpr T kUnderflow = std::is_same_v<T, float> ? T(-151) : T(-1076);
  const Mask<T> is_zero = x < W(kUnderflow);
  x.v = hn::Max(W(kUnderflow).v, hn::Min(W(kOverflow).v, x.v));
  const W n = round_even(x);
  const W r = (x - n) * W(0.693147180559945309417);
  return scale(is_zero, mul_add(r * r, polynomial(C::kPolynomial, r), r) + W(1), n);
}

TSC_INLINE Wide<float> tanh(Wide<float> x) {
  using W = Wide<float>;
  using C = ExpConstants<float>;
  // (tanh(x) - x) / x^3 as a polynomial in x^2 for |x| <= 0.56; error of tanh 2^-29.
  constexpr float kSmall[] = {-6.19872530943e-3f, 2.10205554478e-2f, -5.38405190276e-2f,
                              1.33324805554e-1f, -3.33333146776e-1f};
  const W square = x * x;
  const W small = mul_add(polynomial(kSmall, square) * square, x, x);

  // 1 - 2 / (exp(2|x|) + 1), which is 1 to the last bit from 9.02 on. With 2|x| = n ln 2 + 2r,
  // exp(2|x|) / 2 is 2^n exp(2r) / 2. The error of n ln 2, taken in one part, is lost in the last
  // step.
  // exp(2r) / 2 for |r| <= ln(2)/4; error 2^-30.
  constexpr float kLarge[] = {
      4.46595941838e-2f, 1.34002727593e-1f, 3.33328659419e-1f, 6.66656599138e-1f, 1.0f, 1.0f, 0.5f};
  const W bounded = bounded_magnitude(x, W(9.1f));
  const W rounded = mul_add(bounded, W(2 * C::kLog2E), W(C::kRounder));
  const W r = mul_add(rounded - W(C::kRounder), W(-0.5f * 0.693147180559945309417f), bounded);
  const W half_exp = polynomial(kLarge, r);
  const W large = W(1) - W(1) / mul_add(power_of_two(rounded), half_exp, W(0.5f));
  // NaN is never greater, and comes out of `small`; 0 comes without its sign.
  return copysign(select(square > W(0.3025f), large, small), x);
}

TSC_INLINE Wide<double> tanh(Wide<double> x) {
  using W = Wide<double>;
  // (tanh(x) - x) / x^3 as a polynomial in x^2 for |x| <= 0.61; error of tanh 2^-61.
  constexpr double kSmall[] = {
      6.268607179986344e-06, -3.068326539650335e-05, 9.203326954704287e-05, -0.00023727210157768164,
      0.000589542017329867,  -0.0014557465061688696, 0.003592117107505747,  -0.008863234619471102,
      0.02186948848771336,   -0.05396825396673981,   0.13333333333330954,   -0.3333333333333332};
  const W square = x * x;
  const W small = mul_add(polynomial(kSmall, square) * square, x, x);
  // 1 - 2 / (exp(2|x|) + 1), which is 1 to the last bit from 19.1 on.
  const W size = abs(x);
  const W doubled = select(size > W(20), W(40), size + size);
  const auto [fraction, rounded] = exp_parts(doubled);
  const W large = W(1) - W(2) / (mul_add(fraction, power_of_two(rounded), W(1)));
  // NaN is never greater, and comes out of `small`; 0 comes without its sign.
  return copysign(select(square > W(0.36), large, small), x);
}

// (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2, so that exp(r) - 1 has an error of 2^-32 and 2^-68.
template <class T>
struct Expm1Constants;
template <>
struct Expm1Constants<float> {
  static constexpr float kNegligible = 0x1p-26f;  // below it exp(x) - 1 is x
  static constexpr float kSmallest = -20.0f;      // and below this -1
  static constexpr float kPolynomial[] = {1.98458611625e-4f, 1.39406165998e-3f, 8.33338937655e-3f,
                                          4.16663610423e-2f, 1.66666663705e-1f, 5.00000004414e-1f};
};
template <>
struct Expm1Constants<double> {
  static constexpr double kNegligible = 0x1p-55;
  static constexpr double kSmallest = -40.0;
  static constexpr double kPolynomial[] = {
      1.6059713541771334e-10, 2.092141145226794e-09, 2.505216774658813e-08,  2.755725249096892e-07,
      2.7557319117559582e-06, 2.480158734935334e-05, 0.00019841269841342773, 0.001388888888887233,
      0.008333333333333312,   0.04166666666666669,   0.16666666666666666,    0.5};
};

// With x = n ln 2 + r it is 2 (2^(n-1) (exp(r) - 1) + 2^(n-1) - 1/2): the power is in range wherever
// the result is. What r and the first sum lose by rounding joins the rest of the series.
template <class T>
TSC_INLINE Wide<T> expm1(Wide<T> x) {
  using W = Wide<T>;
  using C = ExpConstants<T>;
  using C1 = Expm1Constants<T>;
  // Min and Max give their second operand when one is NaN.
  const W bounded{hn::Max(W(C1::kSmallest).v, hn::Min(W(C::kOverflow).v, x.v))};
  const W rounded = mul_add(bounded, W(C::kLog2E), W(C::kRounder));
  const W n = rounded - W(C::kRounder);
  const W first = mul_add(n, W(-C::kLn2High), bounded);
  const W r = mul_add(n, W(-C::kLn2Low), first);
  const W lost = mul_add(n, W(-C::kLn2Low), first - r);
  const W rest = mul_add(r * r, polynomial(C1::kPolynomial, r), lost);
  const W power = power_of_two(rounded - W(1));
  const W offset = power - W(0.5);
  const W sum = mul_add(power, r, offset);
  const W sum_lost = mul_add(power, r, offset - sum);
  const W half = sum + mul_add(power, rest, sum_lost);
  return select(abs(x) < W(C1::kNegligible), x, half + half);
}

TSC_INLINE Wide<float> atan(Wide<float> x) {
  using W = Wide<float>;
  // (atan(t) / t - 1) / t^2 as a polynomial in t^2 for |t| <= 1; error of atan 2^-28.
  constexpr float kPolynomial[] = {-1.79362270921e-3f, 1.09146103215e-2f,  -3.11778545670e-2f,
                                   5.79576025312e-2f,  -8.40345086483e-2f, 1.09521859630e-1f,
                                   -1.42642417167e-1f, 1.99985482877e-1f,  -3.33332990892e-1f};
  constexpr float kHalfPi = 0x1.921fb6p+0f;
  constexpr float kHalfPiRest = -4.37113900e-8f;
  const W magnitude = abs(x);
  const Mask<float> large = magnitude > W(1);  // where atan(t) = pi/2 - atan(1/t)
  const W t = select(large, W(1) / magnitude, magnitude);
  const W square = t * t;
  const W small = mul_add(t * square, polynomial(kPolynomial, square), t);
  return copysign(select(large, (W(kHalfPi) - small) + W(kHalfPiRest), small), x);
}
#if HWY_TARGET <= HWY_AVX3
// atan(s) = atan(c) + atan(t) for s = |x| and t = (s - c) / (1 + c s), with one of sixteen c for
// the intervals of 2 + 32 s / 9, four between two powers of two. The angle of each is nearly a
// double; of the last it is pi/2, rounded.
TSC_INLINE Wide<double> atan(Wide<double> x) {
  using W = Wide<double>;
  alignas(64) static constexpr double kTangent[16] = {
      0.000000000000000,  0.19850003811199998, 0.3500218716130737, 0.49023500223428434,
      0.6939032646085013, 0.9745394490692451,  1.2560359782856763, 1.5378746393918068,
      1.9369216842369277, 2.5042594841643395,  3.070619797312029,  3.6361316592592923,
      4.4330445079348655, 5.570496489611543,   6.704140346482007,  1.633123935319537e+16};
  alignas(64) static constexpr double kAngle[16] = {
      0.0000000000000,    0.19595287365544212, 0.33669430398709693, 0.455805138262479,
      0.606622465238178,  0.7725044529136292,  0.8984039688379903,  0.9942467432011025,
      1.0942072279968882, 1.190876603003134,   1.2559611311852301,  1.3024138050845355,
      1.348931227309538,  1.3931710643441926,  1.4227264748397037,  1.5707963267948966};
  // (atan(t) / t - 1) / t^2 as a polynomial in t^2 for |t| <= 0.141; error of atan 2^-63.
  constexpr double kPolynomial[] = {
      -0.06220322825078255, 0.07678295239101134, -0.09090681901596835, 0.11111109116382151,
      -0.14285714276620012, 0.19999999999981474, -0.3333333333333332};
  // Min gives its second operand for NaN.
  const W s{hn::Min(W(0x1p60).v, abs(x).v)};
  const W place = mul_add(s, W(32.0 / 9), W(2));
  const Interval<double> i = interval<50>(W{hn::Min(place.v, W(31).v)});
  const W c = pick(kTangent, i);
  const W t = (s - c) / mul_add(c, s, W(1));
  const W square = t * t;
  const W angle = mul_add(t * square, polynomial_in_pairs(kPolynomial, square), t);
  return copysign(pick(kAngle, i) + angle, x);
}
#else
TSC_INLINE Wide<double> atan(Wide<double> x) { return sleef_atan(x); }
#endif

#if HWY_TARGET <= HWY_AVX3
// 1 to the last bit from 3.92 on.
TSC_INLINE Wide<float> erf(Wide<float> x) {
  using W = Wide<float>;
  const W t = bounded_magnitude(x, W(3.95f));
  const W place = t + W(4);
  const Interval<float> i = interval<19>(place);
  const W base = select(place < W(4.25f), t, pick(kErfOfFloat.value, i));
  const W h = t - pick(kErfOfFloat.centre, i);
  const W result = mul_add(h, polynomial(kErfOfFloat.coefficients, i, h), base);
  return copysign(select(x == x, result, x), x);
}
#else
TSC_INLINE Wide<float> erf(Wide<float> x) {
  using W = Wide<float>;
  // erf(x) / x - 1 as a polynomial in x^2 for |x| <= 0.93; error of erf 2^-31.
  constexpr float kSmall[] = {8.31677191686e-5f,  -8.13001174849e-4f, 5.19990657006e-3f,
                              -2.68589414577e-2f, 1.12836871874e-1f,  -3.76126331883e-1f,
                              1.28379166580e-1f};
  const W square = x * x;
  const W small = mul_add(polynomial(kSmall, square), x, x);

  // 1 - exp(-t + t p(t)), t = |x|, where p is (log(1 - erf(t)) + t) / t for 0.92 <= t <= 4; error
  // of erf 2^-30. It is 1 to the last bit from 3.92 on.
  constexpr float kLarge[] = {-1.12312673983e-5f, 3.22803494619e-4f,  -3.64245765780e-3f,
                              2.37620602375e-2f,  -1.06236874779e-1f, -6.35151318017e-1f,
                              -1.28648489880e-1f};
  const W t = bounded_magnitude(x, W(4.0f));
  const auto [fraction, rounded] = exp_parts(mul_add(polynomial(kLarge, t), t, -t));
  const W large = W(1) - fraction * power_of_two(rounded);
  // NaN is never greater, and comes out of `small`.
  return copysign(select(square > W(0.93f * 0.93f), large, small), x);
}
#endif

// erf(x) for |x| <= 1, by a polynomial in x^2; error of erf 2^-68.
TSC_INLINE Wide<double> small_erf(Wide<double> x) {
  constexpr double kSmall[] = {
      -4.222898898727847e-12,  8.703791796635955e-11,   -1.2163042541408398e-09,
      1.4792145869174777e-08,  -1.6364614435560966e-07, 1.6462043408949137e-06,
      -1.4925647465183309e-05, 0.00012055332899360506,  -0.0008548327021853268,
      0.005223977625422087,    -0.026866170645129733,   0.11283791670955119,
      -0.37612638903183754,    0.1283791670955126};
  return mul_add(polynomial(kSmall, x * x), x, x);
}
TSC_INLINE Wide<double> erf(Wide<double> x) {
  using W = Wide<double>;
  // As for floats, in t for 1 <= t <= 6, error 2^-60.
  constexpr double kLarge[] = {
      1.2152299511233823e-14,  -7.347156332003605e-13,  2.0864736432816375e-11,
      -3.7018183491860766e-10, 4.602280580609222e-09,   -4.260002688340582e-08,
      3.0413451617277427e-07,  -1.7083229683368416e-06, 7.6025486046150105e-06,
      -2.6563327205289562e-05, 6.99731693498989e-05,    -0.00012054302745418407,
      3.6975951392166137e-05,  0.000533655968204962,    -0.0016561048045607854,
      0.00018719836842405292,  0.01913742763068882,     -0.10277516951192905,
      -0.6366193150824522,     -0.12837920528007313};
  const W small = small_erf(x);
  // NaN is never greater, and comes out of `small`.
  const Mask<double> far = abs(x) > W(1);
  if (hn::AllFalse(W::D(), far.m)) return small;
  const W size = abs(x);
  const W t = select(size > W(6), W(6), size);
  const auto [fraction, rounded] = exp_parts(mul_add(polynomial(kLarge, t), t, -t));
  const W large = W(1) - fraction * power_of_two(rounded);
  return copysign(select(far, large, small), x);
}

// 2 Phi(x), where Phi is the normal distribution's function: erfc(-x / sqrt(2)). NaN gives a number.
TSC_INLINE Wide<float> twice_normal_cdf(Wide<float> x) {
  using W = Wide<float>;
  // log2(erfc(t / sqrt(2))) / t for t <= 5.55; error of erfc 2^-26, and relative to it 2^-20.
  constexpr float kLog2[] = {-2.83004784052e-8f, 8.39737424485e-7f,  -1.07098358058e-5f,
                             7.46832229197e-5f,  -2.72739009233e-4f, -1.57596277859e-5f,
                             6.96742208675e-3f,  -5.24556264281e-2f, -4.59216147661e-1f,
                             -1.15110468864f};
  // (2^r - 1) / r for |r| <= 1/2; error of 2^r 2^-28.
  constexpr float kPower[] = {0x1.41fbbcp-13f, 0x1.5f3e52p-10f, 0x1.3b2d4cp-7f,
                              0x1.c6aee8p-5f,  0x1.ebfbdcp-3f,  0x1.62e430p-1f};
  constexpr float kEnd = 5.54f;  // from here on the sum of 1 and erf is 2 or 0, rounded
  const W t = bounded_magnitude(x, W(kEnd));
  const W power = t * polynomial(kLog2, t);
  const W rounded = power + W(ExpConstants<float>::kRounder);
  const W r = power - (rounded - W(ExpConstants<float>::kRounder));
  const W upper = mul_add(polynomial(kPower, r), r, W(1)) * power_of_two(rounded);
  return select(x < W(-kEnd), W(0), select(x < W(0), upper, W(2) - upper));
}
TSC_INLINE Wide<double> twice_normal_cdf(Wide<double> x) {
  return Wide<double>(1) + erf(x * Wide<double>(0.70710678118654752440));
}

// Arguments from which exp(x / 2) squared is needed.
template <class T>
inline constexpr T kLargeForSinh = std::is_same_v<T, float> ? T(80) : T(700);

template <class T>
TSC_INLINE Wide<T> sinh(Wide<T> x) {
  using W = Wide<T>;
  const W half = exp(abs(x) * W(0.5));
  const W large = copysign(half * W(0.5) * half, x);
  return select(abs(x) > W(kLargeForSinh<T>), large, sleef_sinh(x));
}

template <class T>
TSC_INLINE Wide<T> cosh(Wide<T> x) {
  using W = Wide<T>;
  const W half = exp(abs(x) * W(0.5));
  return select(abs(x) > W(kLargeForSinh<T>), half * W(0.5) * half, sleef_cosh(x));
}

}  // namespace tsc::cpu::TSC_ISA
