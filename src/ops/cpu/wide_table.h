#pragma once
// Tables in registers, with AVX-512: one number for each of 8, 16 or 32 intervals of an argument,
// from which every lane takes its own by one permutation. Short intervals need short polynomials.

#include "ops/cpu/wide_math.h"

#if HWY_TARGET <= HWY_AVX3

namespace tsc::cpu::TSC_ISA {

// A number's interval, in the lowest bits of its lane; the others count for nothing.
template <class T>
using Interval = hn::Vec<hn::RebindToUnsigned<typename Wide<T>::D>>;

// It is the bits of a number from `lowest` on.
template <int lowest, class T>
TSC_INLINE Interval<T> interval(Wide<T> x) {
  return hn::ShiftRight<lowest>(hn::BitCast(hn::RebindToUnsigned<typename Wide<T>::D>(), x.v));
}

TSC_INLINE Wide<double> pick(const double (&table)[8], Interval<double> interval) {
  return {Wide<double>::V{_mm512_permutexvar_pd(interval.raw, _mm512_load_pd(table))}};
}
TSC_INLINE Wide<double> pick(const double (&table)[16], Interval<double> interval) {
  return {Wide<double>::V{
      _mm512_permutex2var_pd(_mm512_load_pd(table), interval.raw, _mm512_load_pd(table + 8))}};
}
TSC_INLINE Wide<float> pick(const float (&table)[16], Interval<float> interval) {
  return {Wide<float>::V{_mm512_permutexvar_ps(interval.raw, _mm512_load_ps(table))}};
}
TSC_INLINE Wide<float> pick(const float (&table)[32], Interval<float> interval) {
  return {Wide<float>::V{
      _mm512_permutex2var_ps(_mm512_load_ps(table), interval.raw, _mm512_load_ps(table + 16))}};
}

// With the coefficients of each lane's interval, highest power first.
template <class T, size_t N, size_t Intervals>
TSC_INLINE Wide<T> polynomial(const T (&coefficients)[N][Intervals], Interval<T> interval,
                              Wide<T> x) {
  Wide<T> terms[N];
  for (size_t i = 0; i < N; i++) terms[i] = pick(coefficients[i], interval);
  return sum_in_pairs(terms, x);
}

// value + h p(h) about the centre of each interval, where the function is nearly the number that
// stands for it in the table, so that the sum errs by little more than its rounding.
template <class T, size_t N, size_t Intervals>
struct PolynomialTable {
  alignas(64) T centre[Intervals];
  alignas(64) T value[Intervals];
  alignas(64) T coefficients[N][Intervals];

  // h p(h).
  TSC_INLINE Wide<T> rest(Wide<T> x, Interval<T> interval) const {
    const Wide<T> h = x - pick(centre, interval);
    return h * polynomial(coefficients, interval, h);
  }
};

// The mantissa, in [1, 2); NaN of negative numbers and NaN.
TSC_INLINE Wide<float> mantissa(Wide<float> x) {
  return {Wide<float>::V{_mm512_getmant_ps(x.v.raw, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan)}};
}
TSC_INLINE Wide<double> mantissa(Wide<double> x) {
  return {Wide<double>::V{_mm512_getmant_pd(x.v.raw, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan)}};
}

}  // namespace tsc::cpu::TSC_ISA

#endif
