#pragma once
// Elementary functions of Wide<float> and Wide<double>. Those whose speed counts most are in
// fast_math.h and stay inline; the others call SLEEF, whose u10 functions err by at most 1.0 units
// in the last place.

#include <sleef.h>
#include <cmath>

#include "ops/cpu/wide.h"

namespace tsc::cpu::TSC_ISA {

#if HWY_TARGET <= HWY_AVX3
#define TSC_SLEEF(name, accuracy) Sleef_##name##16_##accuracy##avx512f
#define TSC_SLEEF_DOUBLE(name, accuracy) Sleef_##name##d8_##accuracy##avx512f
#elif HWY_TARGET <= HWY_AVX2
#define TSC_SLEEF(name, accuracy) Sleef_##name##8_##accuracy##avx2
#define TSC_SLEEF_DOUBLE(name, accuracy) Sleef_##name##d4_##accuracy##avx2
#else
#define TSC_SLEEF(name, accuracy) Sleef_##name##4_##accuracy##sse4
#define TSC_SLEEF_DOUBLE(name, accuracy) Sleef_##name##d2_##accuracy##sse4
#endif

#define TSC_WIDE_MATH(name, sleef_name, accuracy)                              \
  TSC_INLINE Wide<float> name(Wide<float> a) {                                 \
    return {Wide<float>::V{TSC_SLEEF(sleef_name##f, accuracy)(a.v.raw)}};      \
  }                                                                            \
  TSC_INLINE Wide<double> name(Wide<double> a) {                               \
    return {Wide<double>::V{TSC_SLEEF_DOUBLE(sleef_name, accuracy)(a.v.raw)}}; \
  }
TSC_WIDE_MATH(sleef_log, log, u10)
TSC_WIDE_MATH(sleef_log2, log2, u10)
TSC_WIDE_MATH(sleef_log10, log10, u10)
TSC_WIDE_MATH(sleef_log1p, log1p, u10)
TSC_WIDE_MATH(sleef_asin, asin, u10)
TSC_WIDE_MATH(sleef_acos, acos, u10)
TSC_WIDE_MATH(sleef_atan, atan, u10)
TSC_WIDE_MATH(sleef_sinh, sinh, u10)
TSC_WIDE_MATH(sleef_cosh, cosh, u10)
TSC_WIDE_MATH(sleef_asinh, asinh, u10)
TSC_WIDE_MATH(sleef_acosh, acosh, u10)
TSC_WIDE_MATH(sleef_lgamma, lgamma, u10)
TSC_WIDE_MATH(atanh, atanh, u10)
#undef TSC_WIDE_MATH

#define TSC_WIDE_MATH(name, accuracy)                                             \
  TSC_INLINE Wide<float> name(Wide<float> a, Wide<float> b) {                     \
    return {Wide<float>::V{TSC_SLEEF(name##f, accuracy)(a.v.raw, b.v.raw)}};      \
  }                                                                               \
  TSC_INLINE Wide<double> name(Wide<double> a, Wide<double> b) {                  \
    return {Wide<double>::V{TSC_SLEEF_DOUBLE(name, accuracy)(a.v.raw, b.v.raw)}}; \
  }
TSC_WIDE_MATH(atan2, u10)
TSC_WIDE_MATH(pow, u10)
TSC_WIDE_MATH(hypot, u05)
#undef TSC_WIDE_MATH
#undef TSC_SLEEF
#undef TSC_SLEEF_DOUBLE

// By Horner's rule, highest power first.
template <class T, size_t N>
TSC_INLINE Wide<T> polynomial(const T (&coefficients)[N], Wide<T> x) {
  Wide<T> p(coefficients[0]);
  for (size_t i = 1; i < N; i++) p = mul_add(p, x, Wide<T>(coefficients[i]));
  return p;
}

// By Estrin's scheme, highest power first: two neighbouring terms make one of the polynomial in
// x^2, and so on. A few more products than by Horner's rule, but a short chain of them.
template <class T, size_t N>
TSC_INLINE Wide<T> sum_in_pairs(const Wide<T> (&terms)[N], Wide<T> x) {
  if constexpr (N == 1) {
    return terms[0];
  } else {
    constexpr size_t kAlone = N % 2;
    Wide<T> pairs[(N + 1) / 2];
    pairs[0] = terms[0];
    for (size_t i = kAlone; i < N; i += 2) {
      pairs[(i + kAlone) / 2] = mul_add(terms[i], x, terms[i + 1]);
    }
    return sum_in_pairs(pairs, x * x);
  }
}
template <class T, size_t N>
TSC_INLINE Wide<T> polynomial_in_pairs(const T (&coefficients)[N], Wide<T> x) {
  Wide<T> terms[N];
  for (size_t i = 0; i < N; i++) terms[i] = Wide<T>(coefficients[i]);
  return sum_in_pairs(terms, x);
}

// Applies a function of two numbers to each lane, for functions without a vector form that is exact
// everywhere.
template <class T, class F>
TSC_INLINE Wide<T> by_lane(Wide<T> a, Wide<T> b, F function) {
  alignas(HWY_MAX_BYTES) T x[Wide<T>::kLanes];
  alignas(HWY_MAX_BYTES) T y[Wide<T>::kLanes];
  const typename Wide<T>::D d;
  hn::Store(a.v, d, x);
  hn::Store(b.v, d, y);
  for (int64_t i = 0; i < Wide<T>::kLanes; i++) x[i] = function(x[i], y[i]);
  return {hn::Load(d, x)};
}

// Floats computed in double precision, by a function of as many Wide<double>.
namespace detail {
constexpr hn::ScalableTag<float> kFloats{};
constexpr hn::ScalableTag<double> kDoubles{};
constexpr hn::Rebind<float, hn::ScalableTag<double>> kHalfOfFloats{};

TSC_INLINE Wide<double> lower_doubles(Wide<float> x) {
  return {hn::PromoteTo(kDoubles, hn::LowerHalf(kHalfOfFloats, x.v))};
}
TSC_INLINE Wide<double> upper_doubles(Wide<float> x) {
  return {hn::PromoteTo(kDoubles, hn::UpperHalf(kHalfOfFloats, x.v))};
}
TSC_INLINE Wide<float> join_doubles(Wide<double> low, Wide<double> high) {
  return {hn::Combine(kFloats, hn::DemoteTo(kHalfOfFloats, high.v),
                      hn::DemoteTo(kHalfOfFloats, low.v))};
}
}  // namespace detail
template <class F>
TSC_INLINE Wide<float> in_doubles(Wide<float> x, F function) {
  const Wide<double> low = function(detail::lower_doubles(x));
  return detail::join_doubles(low, function(detail::upper_doubles(x)));
}
template <class F>
TSC_INLINE Wide<float> in_doubles(Wide<float> x, Wide<float> y, F function) {
  const Wide<double> low = function(detail::lower_doubles(x), detail::lower_doubles(y));
  return detail::join_doubles(low, function(detail::upper_doubles(x), detail::upper_doubles(y)));
}

// The remainder of a division that is rounded towards zero, without error. SLEEF's is not exact for
// every quotient; and the C library's takes a lane at a time.
TSC_INLINE Wide<float> fmod_by_lane(Wide<float> a, Wide<float> b) {
  return by_lane(a, b, [](float x, float y) { return __builtin_fmodf(x, y); });
}
TSC_INLINE Wide<double> fmod_by_lane(Wide<double> a, Wide<double> b) {
  return by_lane(a, b, [](double x, double y) { return __builtin_fmod(x, y); });
}
template <class T>
Wide<T> __attribute__((noinline)) replace_far(Mask<T> far, Wide<T> a, Wide<T> b, Wide<T> result) {
  return select(far, fmod_by_lane(a, b), result);
}
template <class T>
TSC_INLINE Wide<T> fmod(Wide<T> a, Wide<T> b) {
#if HWY_TARGET <= HWY_AVX2
  using W = Wide<T>;
  // Below this the quotient has its last integer bit, or is one too large by rounding, and so the
  // product's difference from a is a multiple of b's last bit that is no larger than b: exact.
  constexpr T kNear = std::is_same_v<T, float> ? T(0x1p22) : T(0x1p51);
  const W size = abs(b);
  const W whole = abs(a);
  const W quotient = trunc(whole / size);
  W rest = mul_add(-quotient, size, whole);
  rest = select(rest < W(0), rest + size, rest);
  const W result = select(whole < size, whole, rest);
  // NaN and infinite quotients are far, too.
  const Mask<T> far = !(quotient < W(kNear));
  const typename W::D d;
  const bool none = hn::AllFalse(d, far.m);
  return none ? copysign(result, a) : replace_far(far, a, b, copysign(result, a));
#else
  return fmod_by_lane(a, b);  // a product and a difference would be two roundings
#endif
}

}  // namespace tsc::cpu::TSC_ISA
