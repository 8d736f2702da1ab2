// Vectors of complex numbers, Complex<Wide<T>>: real and imaginary parts in a vector each.
// Arithmetic uses them. (Left to the compiler, loops over complex products become fused
// multiply-adds in their vectorised part only.)
#pragma once

#include "ops/cpu/scalar_math.h"
#include "ops/cpu/wide_math.h"

namespace tsc::cpu::TSC_ISA {

template <class T>
using WideComplex = Complex<Wide<T>>;

template <class T>
TSC_INLINE WideComplex<T> select(Mask<T> condition, WideComplex<T> yes, WideComplex<T> no) {
  return {select(condition, yes.re, no.re), select(condition, yes.im, no.im)};
}
template <class T>
TSC_INLINE Wide<T> abs(WideComplex<T> a) {
  return hypot(a.re, a.im);
}

namespace ufunc {
// As for numbers (ops/ufunc/complex.h), with the choice made for each lane, and with the fused
// multiply-adds of PyTorch's compiler, so that the last bit is the same.
template <class T>
TSC_INLINE WideComplex<T> operator/(WideComplex<T> a, WideComplex<T> b) {
  using W = Wide<T>;
  const Mask<T> real_is_larger = abs(b.re) >= abs(b.im);
  const W large = select(real_is_larger, b.re, b.im);
  const W small = select(real_is_larger, b.im, b.re);
  const W ratio = small / large;
  const W scale = W(1) / mul_add(small, ratio, large);
  const W re = select(real_is_larger, mul_add(a.im, ratio, a.re), mul_add(a.re, ratio, a.im));
  const W im = select(real_is_larger, mul_add(-a.re, ratio, a.im), mul_add(a.im, ratio, -a.re));
  const Mask<T> zero = (abs(b.re) == W(0)) && (abs(b.im) == W(0));
  return {select(zero, a.re / abs(b.re), re * scale), select(zero, a.im / abs(b.re), im * scale)};
}
}  // namespace ufunc

// Memory holds the parts side by side.
template <class T>
TSC_INLINE WideComplex<T> load(const Complex<T>* from) {
  const typename Wide<T>::D d;
  WideComplex<T> result;
  hn::LoadInterleaved2(d, reinterpret_cast<const T*>(from), result.re.v, result.im.v);
  return result;
}
template <class T>
TSC_INLINE void store(WideComplex<T> value, Complex<T>* to) {
  const typename Wide<T>::D d;
  hn::StoreInterleaved2(value.re.v, value.im.v, d, reinterpret_cast<T*>(to));
}
template <class T>
TSC_INLINE WideComplex<T> load_first(const Complex<T>* from, int64_t count) {
  alignas(HWY_MAX_BYTES) T lanes[2 * Wide<T>::kLanes] = {};
  std::memcpy(lanes, from, static_cast<size_t>(count) * sizeof(Complex<T>));
  return load(reinterpret_cast<const Complex<T>*>(lanes));
}
template <class T>
TSC_INLINE void store_first(WideComplex<T> value, Complex<T>* to, int64_t count) {
  alignas(HWY_MAX_BYTES) T lanes[2 * Wide<T>::kLanes];
  store(value, reinterpret_cast<Complex<T>*>(lanes));
  std::memcpy(to, lanes, static_cast<size_t>(count) * sizeof(Complex<T>));
}

}  // namespace tsc::cpu::TSC_ISA
