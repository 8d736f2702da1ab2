#pragma once
// Functions of plain numbers that formulas use: integers and bool (vectorised by the compiler), and
// complex numbers. There is nothing here for float and double: they exist as vectors only, so that
// an element's result does not depend on whether it fell into a vector or into a tail.
// one path: complex functions are the C library's, for every element.

#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "ops/cpu/isa.h"

namespace tsc::cpu::TSC_ISA {

#define TSC_FN TSC_INLINE
#include "ops/ufunc/complex.h"
using ufunc::Complex;

template <std::integral T>
TSC_INLINE T select(bool condition, T yes, T no) {
  return condition ? yes : no;
}
template <std::integral T>
TSC_INLINE bool is_nan(T) {
  return false;
}
template <std::integral T>
TSC_INLINE T mul_add(T a, T b, T c) {
  return T(a * b + c);
}
// The smallest number has no negative; it is returned as it is.
template <std::integral T>
TSC_INLINE T abs(T a) {
  using Unsigned = std::make_unsigned_t<T>;
  return a < T(0) ? static_cast<T>(Unsigned(0) - static_cast<Unsigned>(a)) : a;
}

template <class R>
TSC_INLINE Complex<R> select(bool condition, Complex<R> yes, Complex<R> no) {
  return condition ? yes : no;
}
template <class R>
TSC_INLINE bool is_nan(Complex<R> a) {
  return a.re != a.re || a.im != a.im;
}
template <class R>
TSC_INLINE Complex<R> mul_add(Complex<R> a, Complex<R> b, Complex<R> c) {
  return c + a * b;
}
template <class R>
TSC_INLINE R abs(Complex<R> a) {
  return std::hypot(a.re, a.im);
}

template <class R>
TSC_INLINE Complex<R> conj(Complex<R> a) {
  return {a.re, -a.im};
}

template <class R>
TSC_INLINE std::complex<R> to_std(Complex<R> a) {
  return {a.re, a.im};
}
template <class R>
TSC_INLINE Complex<R> from_std(std::complex<R> a) {
  return {a.real(), a.imag()};
}

#define TSC_COMPLEX_UNARY(name)              \
  template <class R>                         \
  TSC_INLINE Complex<R> name(Complex<R> a) { \
    return from_std(std::name(to_std(a)));   \
  }
TSC_COMPLEX_UNARY(exp)
TSC_COMPLEX_UNARY(log)
TSC_COMPLEX_UNARY(log10)
TSC_COMPLEX_UNARY(sqrt)
TSC_COMPLEX_UNARY(sin)
TSC_COMPLEX_UNARY(cos)
TSC_COMPLEX_UNARY(tan)
TSC_COMPLEX_UNARY(asin)
TSC_COMPLEX_UNARY(acos)
TSC_COMPLEX_UNARY(atan)
TSC_COMPLEX_UNARY(sinh)
TSC_COMPLEX_UNARY(cosh)
TSC_COMPLEX_UNARY(tanh)
TSC_COMPLEX_UNARY(asinh)
TSC_COMPLEX_UNARY(acosh)
TSC_COMPLEX_UNARY(atanh)
#undef TSC_COMPLEX_UNARY

template <class R>
TSC_INLINE Complex<R> exp2(Complex<R> a) {
  const R ln2 = R(0.693147180559945309417);
  return exp(Complex<R>{a.re * ln2, a.im * ln2});
}
template <class R>
TSC_INLINE Complex<R> log2(Complex<R> a) {
  const Complex<R> natural = log(a);
  const R scale = R(1.44269504088896340736);
  return {natural.re * scale, natural.im * scale};
}
// exp(a + bi) - 1 without cancellation: expm1(a) cos(b) - 2 sin(b/2)^2 + i exp(a) sin(b).
template <class R>
TSC_INLINE Complex<R> expm1(Complex<R> z) {
  const R half_sine = std::sin(z.im * R(0.5));
  return {std::expm1(z.re) * std::cos(z.im) - R(2) * half_sine * half_sine,
          std::exp(z.re) * std::sin(z.im)};
}
// W. Kahan's log(u) * (z / (u - 1)) for u = 1 + z, where z is small.
template <class R>
TSC_INLINE Complex<R> log1p(Complex<R> z) {
  const Complex<R> u = z + Complex<R>(1);
  if (u == Complex<R>(1)) return z;
  const Complex<R> natural = log(u);
  return u - Complex<R>(1) == z ? natural : natural * (z / (u - Complex<R>(1)));
}

template <class R>
TSC_INLINE Complex<R> pow(Complex<R> a, Complex<R> b) {
  return from_std(std::pow(to_std(a), to_std(b)));
}

}  // namespace tsc::cpu::TSC_ISA
