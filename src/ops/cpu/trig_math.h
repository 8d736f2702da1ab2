// sin, cos and tan of vectors, each lane by itself. (SLEEF's choose a method for the whole vector
// by its largest argument, so that an element's last bit would depend on its neighbours.)
//
// x is reduced to r in [-pi/4, pi/4] by subtracting n * pi/2, with pi/2 in parts of 33 bits, whose
// products with n are exact (W. J. Cody and W. Waite, Software Manual for the Elementary Functions,
// 1980). Lanes above kLargest go to the C library one by one. Floats compute in double, and their
// results are rounded correctly but for rare ties; doubles err by less than 1 unit in the last
// place, the tangent by 2.
#pragma once

#include "ops/cpu/wide_math.h"

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
// For floats: sin(r) / r and cos(r) to pi/4, with errors 2^-37 and 2^-34, and sin(r) / r to pi/2,
// with 2^-35.
inline constexpr double kSineOfFloat[] = {2.7180840595120841767e-6, -1.9839308345483276784e-4,
                                          8.333329292698889843e-3, -1.6666666640692806852e-1, 1.0};
inline constexpr double kCosineOfFloat[] = {2.4363032855538299515e-5, -1.3886433162208834076e-3,
                                            4.1666610467585066764e-2, -4.9999999549657556722e-1,
                                            9.9999999994225303145e-1};
inline constexpr double kSineToHalfPi[] = {-2.3868110735322191618e-8, 2.752395764155731404e-6,
                                           -1.9840832556931737425e-4, 8.3333307184160631091e-3,
                                           -1.6666666608766282618e-1, 9.9999999997882351938e-1};

enum class Function : uint8_t { sin, cos, tan };

using Doubles = Wide<double>;

// The function of n * pi/2 + r from r's sine and cosine; `rounded` is n + kRounder.
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

template <Function F>
TSC_INLINE Doubles of_double(Doubles x) {
  const Doubles rounded = mul_add(x, Doubles(kTwoOverPi), Doubles(kRounder));
  const Doubles n = rounded - Doubles(kRounder);
  // r = high + low.
  const Doubles first = x - n * Doubles(kHalfPi[0]);
  const Doubles second = n * Doubles(kHalfPi[1]);
  const Doubles middle = first - second;
  const Doubles third = n * Doubles(kHalfPi[2]);
  const Doubles high = middle - third;
  const Doubles low =
      ((first - middle) - second) + (((middle - high) - third) - n * Doubles(kHalfPi[3]));
  const Doubles square = high * high;
  const Doubles half = square * Doubles(0.5);
  const Doubles rest = mul_add(-half, low, low);  // low * cos(high)
  Doubles sine = high + mul_add(square * high, polynomial(kSine, square), rest);
  sine = select(high == Doubles(0), high, sine);  // keeps -0
  const Doubles one_less = Doubles(1) - half;
  const Doubles lost = (Doubles(1) - one_less) - half;
  const Doubles cosine =
      one_less + (lost + mul_add(square * square, polynomial(kCosine, square), -(high * low)));
  return combine<F>(sine, cosine, rounded);
}

// As above for a float's value, with no more than a float's result needs.
TSC_INLINE Doubles tan_of_float(Doubles x) {
  const Doubles rounded = mul_add(x, Doubles(kTwoOverPi), Doubles(kRounder));
  const Doubles n = rounded - Doubles(kRounder);
  // Two parts suffice: the error of the second is less than 2^-66.
  Doubles r = mul_add(n, Doubles(-kHalfPi[0]), x);
  r = mul_add(n, Doubles(-kHalfPiRest), r);
  const Doubles square = r * r;
  return combine<Function::tan>(r * polynomial(kSineOfFloat, square),
                                polynomial(kCosineOfFloat, square), rounded);
}
// Sine and cosine of floats go by multiples of pi, so that there is one polynomial: it is
// (-1)^n sin(x - n pi), with n + 1/2 in the place of n for the cosine.
template <Function F>
TSC_INLINE Doubles of_float(Doubles x) {
  if constexpr (F == Function::tan) return tan_of_float(x);
  constexpr double kPerPi = 0.5 * kTwoOverPi;
  Doubles rounded;
  Doubles n;
  if constexpr (F == Function::cos) {
    rounded = mul_add(x, Doubles(kPerPi), Doubles(-0.5)) + Doubles(kRounder);
    n = (rounded - Doubles(kRounder)) + Doubles(0.5);
  } else {
    rounded = mul_add(x, Doubles(kPerPi), Doubles(kRounder));
    n = rounded - Doubles(kRounder);
  }
  Doubles r = mul_add(n, Doubles(-2 * kHalfPi[0]), x);
  r = mul_add(n, Doubles(-2 * kHalfPiRest), r);
  const Doubles sine = r * polynomial(kSineToHalfPi, r * r);
  const typename Doubles::D d;
  const hn::RebindToUnsigned<typename Doubles::D> du;
  auto parity = hn::BitCast(du, rounded.v);
  if constexpr (F == Function::cos) parity = hn::Not(parity);
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
TSC_INLINE Wide<T> evaluate(Wide<T> x) {
  Wide<T> result;
  if constexpr (std::is_same_v<T, float>) {
    result = in_doubles(x, [](Doubles part) { return of_float<F>(part); });
  } else {
    result = of_double<F>(x);
  }
  const typename Wide<T>::D d;
  if (!hn::AllFalse(d, (abs(x) > Wide<T>(kLargest)).m)) result = replace_large<F>(x, result);
  return result;
}

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
