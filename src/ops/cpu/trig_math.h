// sin, cos and tan of vectors, each lane by itself. (SLEEF's choose a method for the whole vector
// by its largest argument, so that an element's last bit would depend on its neighbours.)
//
// x is reduced to r in [-pi/4, pi/4] by subtracting n * pi/2, with pi/2 in parts of 33 bits, whose
// products with n are exact (W. J. Cody and W. Waite, Software Manual for the Elementary Functions,
// 1980). With fused multiply-add two parts do, except for lanes next to a multiple of pi/2, or
// large. Lanes above kLargest go to the C library one by one. Floats compute in double: their sines
// and cosines are rounded correctly but for rare ties, and the tangent errs by less than 0.8 units in
// the last place. Doubles err by less than 1, the tangent by 2.4.
#pragma once

#include "ops/cpu/wide_table.h"

namespace tsc::cpu::TSC_ISA {

namespace trig {

inline constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
inline constexpr double kHalfPi[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69,
                                     0x1.b839a252049c1p-104};
inline constexpr double kHalfPiRest = 0x1.0b4611a626331p-34;  // pi/2 - kHalfPi[0]
inline constexpr double kRounder = 0x1.8p52;
inline constexpr double kLargest = 0x1p20;

// Minimax fits on [0, (pi/4)^2], highest power first: (sin(r) - r) / r^3 and
// (cos(r) - 1 + r^2/2) / r^4 in r^2. Errors of sine 2^-58 and 2^-37, of cosine 2^-64 and 2^-43.
inline constexpr double kSine[] = {1.5896067489171604052e-10, -2.5050745037385767021e-8,
                                   2.7557313604523079549e-6,  -1.9841269829542595897e-4,
                                   8.3333333333220621686e-3,  -1.6666666666666630512e-1};
inline constexpr double kCosine[] = {-1.1358423518512787123e-11, 2.0875698708582133736e-9,
                                     -2.7557314163977087436e-7,  2.4801587288800028732e-5,
                                     -1.3888888888872975935e-3,  4.1666666666666592471e-2};
// For floats, to pi/2: tan(r) / r as a quotient, of which the lower part is (pi^2/4 - r^2) (1 - r^2 / 56.5),
// with an error of 2^-30; and sin(r) / r, with 2^-35.
inline constexpr double kTangentUpper[] = {1.77842981631275769e-5, 0.00340013382713470532,
                                           -0.285199671793038858, 2.46740109812265728};
inline constexpr double kTangentLower[] = {0.0436356881572930956, -1.10766674497044569,
                                           2.46740110027233965};
inline constexpr double kSineToHalfPi[] = {-2.3868110735322191618e-8, 2.752395764155731404e-6,
                                           -1.9840832556931737425e-4, 8.3333307184160631091e-3,
                                           -1.6666666608766282618e-1, 9.9999999997882351938e-1};

enum class Function : uint8_t { sin, cos, tan };

using Doubles = Wide<double>;

// The function of n * pi/2 + r from r's sine and cosine.
template <Function F>
TSC_INLINE Doubles combine(Doubles sine, Doubles cosine, Doubles rounded) {
  const typename Doubles::D d;
  const hn::RebindToSigned<typename Doubles::D> di;
  auto quadrant = hn::BitCast(di, rounded.v);
  if constexpr (F == Function::cos) quadrant = hn::Add(quadrant, hn::Set(di, 1));
  const Mask<double> odd{hn::RebindMask(d, hn::TestBit(quadrant, hn::Set(di, 1)))};
  if constexpr (F == Function::tan) {
    return select(odd, -cosine, sine) / select(odd, sine, cosine);
  } else {
    // Bit 1 of the quadrant is the sign.
    const auto sign = hn::ShiftLeft<62>(hn::And(quadrant, hn::Set(di, 2)));
    return {hn::Xor(select(odd, cosine, sine).v, hn::BitCast(d, sign))};
  }
}

// x = n * pi/2 + high + low, with n + kRounder.
struct Reduced {
  Doubles rounded;
  Doubles high;
  Doubles low;
};
TSC_INLINE Reduced reduce_exactly(Doubles x) {
  const Doubles rounded = mul_add(x, Doubles(kTwoOverPi), Doubles(kRounder));
  const Doubles n = rounded - Doubles(kRounder);
  const Doubles first = x - n * Doubles(kHalfPi[0]);
  const Doubles second = n * Doubles(kHalfPi[1]);
  const Doubles middle = first - second;
  const Doubles third = n * Doubles(kHalfPi[2]);
  const Doubles high = middle - third;
  const Doubles low =
      ((first - middle) - second) + (((middle - high) - third) - n * Doubles(kHalfPi[3]));
  return {rounded, high, low};
}

template <Function F>
TSC_INLINE Doubles of_reduced(Reduced x) {
  const Doubles square = x.high * x.high;
  const Doubles half = square * Doubles(0.5);
  const Doubles rest = mul_add(-half, x.low, x.low);  // low * cos(high)
  Doubles sine = x.high + mul_add(square * x.high, polynomial(kSine, square), rest);
  sine = select(x.high == Doubles(0), x.high, sine);  // keeps -0
  const Doubles one_less = Doubles(1) - half;
  const Doubles lost = (Doubles(1) - one_less) - half;
  const Doubles cosine =
      one_less + (lost + mul_add(square * square, polynomial(kCosine, square), -(x.high * x.low)));
  return combine<F>(sine, cosine, x.rounded);
}

#if HWY_TARGET <= HWY_AVX2
// x less n times first + rest, with fused multiply-add: the first difference is exact, and low is
// what the second one loses, unless they cancel.
TSC_INLINE Reduced reduce(Doubles x, Doubles rounded, double rounder, double first, double rest) {
  const Doubles n = rounded - Doubles(rounder);
  const Doubles upper{hn::NegMulAdd(n.v, Doubles(first).v, x.v)};
  const Doubles high{hn::NegMulAdd(n.v, Doubles(rest).v, upper.v)};
  return {rounded, high, Doubles{hn::NegMulAdd(n.v, Doubles(rest).v, (upper - high).v)}};
}
// Where they do, and where x is so large that n is not exact; low is NaN where it is infinite.
TSC_INLINE Mask<double> is_hard(Doubles size, Reduced reduced) {
  return !(abs(reduced.high) >= mul_add(size, Doubles(0x1p-30), reduced.low));
}
#endif
#if HWY_TARGET <= HWY_AVX3
// Sine and cosine of multiples of pi/16, and what rounding loses of the sine.
alignas(64) inline constexpr double kSines[16] = {
    0.0000000000000000, 0.19509032201612828, 0.3826834323650898, 0.5555702330196022,
    0.7071067811865476, 0.8314696123025452,  0.9238795325112867, 0.9807852804032304,
    1.0000000000000000, 0.9807852804032304,  0.9238795325112867, 0.8314696123025452,
    0.7071067811865476, 0.5555702330196022,  0.3826834323650898, 0.19509032201612828};
alignas(64) inline constexpr double kSineRests[16] = {
    0.00000000000000000,    -7.991079068461731e-18, -1.0050772696461588e-17,
    4.709410940561677e-17,  -4.833646656726457e-17, 1.4073856984728024e-18,
    1.7645047084336677e-17, 1.8546939997825006e-17, 0.00000000000000000,
    1.8546939997825006e-17, 1.7645047084336677e-17, 1.4073856984728024e-18,
    -4.833646656726457e-17, 4.709410940561677e-17,  -1.0050772696461588e-17,
    -7.991079068461731e-18};
alignas(64) inline constexpr double kCosines[16] = {
    1.0000000000000000,  0.9807852804032304,   0.9238795325112867,  0.8314696123025452,
    0.7071067811865476,  0.5555702330196022,   0.3826834323650898,  0.19509032201612828,
    0.0000000000000000,  -0.19509032201612828, -0.3826834323650898, -0.5555702330196022,
    -0.7071067811865476, -0.8314696123025452,  -0.9238795325112867, -0.9807852804032304};
// (sin(r) - r) / r^3 and (cos(r) - 1) / r^2 for |r| <= pi/32; errors of sine 2^-66 and of cosine
// 2^-63.
inline constexpr double kShortSine[] = {2.7551282149238383e-06, -0.0001984126934659722,
                                        0.008333333333317905, -0.16666666666666666};
inline constexpr double kShortCosine[] = {2.479494664247461e-05, -0.0013888888344762312,
                                          0.04166666666649696, -0.49999999999999983};

// |x| = n pi/16 + r, and of a tangent n pi/32 + r.
struct TableReduced : Reduced {
  Interval<double> n;  // whose lowest four bits count
  Mask<double> hard;
};
TSC_INLINE TableReduced reduce_to_table(Doubles size, double rounder, double step) {
  const Doubles rounded = mul_add(size, Doubles(kTwoOverPi / step), Doubles(rounder));
  const Reduced reduced = reduce(size, rounded, rounder, kHalfPi[0] * step, kHalfPiRest * step);
  return {reduced, interval<0>(rounded), is_hard(size, reduced)};
}
// With the sign of x, or without, and turned by n's bit 4.
TSC_INLINE Doubles with_sign(Doubles result, Interval<double> n, Doubles x) {
  const typename Doubles::D d;
  const hn::RebindToUnsigned<typename Doubles::D> du;
  const auto sign = hn::Xor(hn::ShiftLeft<59>(n), hn::BitCast(du, x.v));
  return {hn::Xor(result.v, hn::And(hn::BitCast(d, sign), hn::SignBit(d)))};
}
// sin(n pi/16 + r) = sin(n pi/16) cos(r) + cos(n pi/16) sin(r); the cosine's n is 8 more.
template <Function F>
TSC_INLINE Doubles by_table(Doubles x, Mask<double>& hard) {
  const TableReduced reduced =
      reduce_to_table(abs(x), kRounder + (F == Function::cos ? 8 : 0), 1.0 / 8);
  hard = reduced.hard;
  const Doubles r = reduced.high;
  const Doubles sine = pick(kSines, reduced.n);
  const Doubles cosine = pick(kCosines, reduced.n);
  const Doubles square = r * r;
  const Doubles sine_rest =
      mul_add(square * r, polynomial_in_pairs(kShortSine, square), reduced.low);
  const Doubles cosine_less = square * polynomial_in_pairs(kShortCosine, square);
  const Doubles sum = mul_add(cosine, r, sine);
  const Doubles lost = mul_add(cosine, r, sine - sum);
  const Doubles rest = mul_add(sine, cosine_less, pick(kSineRests, reduced.n));
  const Doubles result = sum + (mul_add(cosine, sine_rest, lost) + rest);
  return with_sign(result, reduced.n, F == Function::cos ? abs(x) : x);
}
// tan(n pi/32 + r) = t + u + u (t^2 + t u) / (1 - t u) with t = tan(n pi/32) and u = tan(r); and
// -1 / u where n pi/32 is pi/2. In the second quarter of a turn it is -tan(-x).
alignas(64) inline constexpr double kTangents[16] = {
    0.0000000000000,     0.09849140335716425, 0.198912367379658,  0.3033466836073424,
    0.41421356237309503, 0.5345111359507917,  0.6681786379192989, 0.8206787908286604,
    1.0000000000000,     1.2185035255879764,  1.496605762665489,  1.8708684117893895,
    2.414213562373095,   3.2965582089383205,  5.027339492125848,  10.15317038760886};
alignas(64) inline constexpr double kTangentRests[16] = {
    0.00000000000000000,     5.3100671162822435e-18,  8.391794477636538e-19,
    -1.2766990847826405e-17, 1.4349369327986523e-17,  -5.2626469389262167e-17,
    4.1042270233610004e-17,  -2.2923147594675738e-17, 0.00000000000000000,
    -2.1244788699148428e-17, 6.974100888958305e-17,   2.945807107795785e-17,
    1.2537167179050217e-16,  -9.53295779936916e-17,   2.95379181037367e-17,
    5.362306887894472e-16};
alignas(64) inline constexpr double kTangentSquares[16] = {
    0.00000000000000,   0.009700556535263626, 0.03956612989658004, 0.09201921045557308,
    0.1715728752538099, 0.28570215445540564,  0.44646269217168955, 0.673513677715992,
    1.00000000000000,   1.4847508418703281,   2.23982880884355,    3.5001486142313527,
    5.82842712474619,   10.867296024918627,   25.27414236908818,   103.08686891981746};
template <>
TSC_INLINE Doubles by_table<Function::tan>(Doubles x, Mask<double>& hard) {
  // (tan(r) - r) / r^3 for |r| <= pi/64; error of tan 2^-58.
  constexpr double kTangent[] = {0.021922976844492292, 0.05396814433878189, 0.13333333341883327,
                                 0.3333333333333146};
  const typename Doubles::D d;
  const hn::RebindToUnsigned<typename Doubles::D> du;
  const TableReduced reduced = reduce_to_table(abs(x), kRounder, 1.0 / 16);
  hard = reduced.hard;
  const auto flip = hn::And(hn::BitCast(d, hn::ShiftLeft<59>(reduced.n)), hn::SignBit(d));
  const Doubles r{hn::Xor(reduced.high.v, flip)};
  const Doubles low{hn::Xor(reduced.low.v, flip)};
  const auto quarter = hn::Set(du, 16);
  const auto second = hn::TestBit(reduced.n, quarter);
  const Interval<double> i = hn::IfThenElse(second, hn::Sub(quarter, reduced.n), reduced.n);
  const Mask<double> is_pole{
      hn::RebindMask(d, hn::Eq(hn::And(reduced.n, hn::Set(du, 31)), quarter))};
  const Doubles square = r * r;
  const Doubles rest = mul_add(square * r, polynomial_in_pairs(kTangent, square), low);
  const Doubles u = r + rest;
  const Doubles t = pick(kTangents, i);
  const Doubles upper = select(is_pole, Doubles(-1), u * mul_add(t, u, pick(kTangentSquares, i)));
  const Doubles lower = select(is_pole, u, Doubles{hn::NegMulAdd(t.v, u.v, Doubles(1).v)});
  const Doubles quotient = upper / lower;
  const Doubles sum = t + (quotient + (r + (rest + pick(kTangentRests, i))));
  return with_sign(select(is_pole, quotient, sum), reduced.n, x);
}
#endif
template <Function F>
TSC_INLINE Doubles of_double(Doubles x) {
  return of_reduced<F>(reduce_exactly(x));
}

// a / b with 42 bits or more; a division would take longer than all else of a tangent.
TSC_INLINE Doubles short_quotient(Doubles a, Doubles b) {
#if HWY_TARGET <= HWY_AVX3
  const Doubles inverse{Doubles::V{_mm512_rcp14_pd(b.v.raw)}};
  const Doubles error{hn::NegMulAdd(b.v, inverse.v, Doubles(1).v)};
  const Doubles quotient = a * inverse;
  return mul_add(quotient, mul_add(error, error, error), quotient);
#else
  return a / b;
#endif
}
// n and x - n pi, to the nearest n, of a float's value. Two parts of pi suffice: the error of the second
// is less than 2^-65.
struct HalfTurns {
  Doubles rounded;  // n + kRounder; of a cosine n + 1/2 stands for n, and the rounder is an odd one
  Doubles r;
};
template <Function F>
TSC_INLINE HalfTurns reduce_float(Doubles x) {
  constexpr double kPerPi = 0.5 * kTwoOverPi;
  constexpr bool kIsCosine = F == Function::cos;
  constexpr double kRound = kRounder + (kIsCosine ? 1 : 0);
#if HWY_TARGET <= HWY_AVX3
  constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
  constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  const Doubles rounded{Doubles::V{_mm512_fmadd_round_pd(
      x.v.raw, Doubles(kPerPi).v.raw, Doubles(kRound).v.raw, kIsCosine ? kDown : kNearest)}};
#else
  const Doubles rounded = kIsCosine ? mul_add(x, Doubles(kPerPi), Doubles(-0.5)) + Doubles(kRound)
                                    : mul_add(x, Doubles(kPerPi), Doubles(kRound));
#endif
  Doubles n = rounded - Doubles(kRound);
  if constexpr (kIsCosine) n = n + Doubles(0.5);
  const Doubles r = mul_add(n, Doubles(-2 * kHalfPi[0]), x);
  return {rounded, mul_add(n, Doubles(-2 * kHalfPiRest), r)};
}
// The function of n pi + r is a polynomial's and, of sine and cosine, (-1)^n of it.
template <Function F>
TSC_INLINE Doubles of_float(Doubles x) {
  const HalfTurns turns = reduce_float<F>(x);
  const Doubles square = turns.r * turns.r;
  if constexpr (F == Function::tan) {
    return short_quotient(turns.r * polynomial(kTangentUpper, square),
                          polynomial(kTangentLower, square));
  }
  const Doubles sine = turns.r * polynomial(kSineToHalfPi, square);
  const typename Doubles::D d;
  const auto parity = hn::BitCast(hn::RebindToUnsigned<typename Doubles::D>(), turns.rounded.v);
  return {hn::Xor(sine.v, hn::BitCast(d, hn::ShiftLeft<63>(parity)))};
}

template <Function F>
TSC_INLINE double by_library(double x) {
  if constexpr (F == Function::sin) return __builtin_sin(x);
  if constexpr (F == Function::cos) return __builtin_cos(x);
  return __builtin_tan(x);
}

template <Function F, class T>
Wide<T> __attribute__((noinline)) replace_large(Wide<T> x, Wide<T> result) {
  const Wide<T> library =
      by_lane(x, x, [](T a, T) { return static_cast<T>(by_library<F>(static_cast<double>(a))); });
  return select(abs(x) > Wide<T>(kLargest), library, result);
}
template <Function F, class T>
TSC_INLINE Wide<T> unless_large(Wide<T> x, Wide<T> result) {
  const typename Wide<T>::D d;
  if (hn::AllFalse(d, (abs(x) > Wide<T>(kLargest)).m)) return result;
  return replace_large<F>(x, result);
}

template <Function F>
TSC_INLINE Wide<float> evaluate(Wide<float> x) {
  return unless_large<F>(x, in_doubles(x, [](Doubles part) { return of_float<F>(part); }));
}
#if HWY_TARGET <= HWY_AVX2
template <Function F>
Doubles __attribute__((noinline)) replace_hard(Mask<double> hard, Doubles x, Doubles result) {
  return select(hard, unless_large<F>(x, of_double<F>(x)), result);
}
template <Function F>
TSC_INLINE Doubles evaluate(Doubles x) {
#if HWY_TARGET <= HWY_AVX3
  Mask<double> hard;
  const Doubles result = by_table<F>(x, hard);
#else
  const Doubles rounded = mul_add(x, Doubles(kTwoOverPi), Doubles(kRounder));
  const Reduced reduced = reduce(x, rounded, kRounder, kHalfPi[0], kHalfPiRest);
  const Doubles result = of_reduced<F>(reduced);
  const Mask<double> hard = is_hard(abs(x), reduced);
#endif
  return hn::AllFalse(Doubles::D(), hard.m) ? result : replace_hard<F>(hard, x, result);
}
#else
template <Function F>
TSC_INLINE Doubles evaluate(Doubles x) {
  return unless_large<F>(x, of_double<F>(x));
}
#endif

}  // namespace trig

template <class T>
TSC_INLINE Wide<T> sin(Wide<T> x) {
  return trig::evaluate<trig::Function::sin>(x);
}
template <class T>
TSC_INLINE Wide<T> cos(Wide<T> x) {
  return trig::evaluate<trig::Function::cos>(x);
}
template <class T>
TSC_INLINE Wide<T> tan(Wide<T> x) {
  return trig::evaluate<trig::Function::tan>(x);
}

}  // namespace tsc::cpu::TSC_ISA
