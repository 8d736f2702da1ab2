// Special functions.
#pragma once

#include "ops/cpu/ufunc.h"

// Formulas are arguments of a macro, which the formatter takes for declarations.
// clang-format off
#define TSC_SPECIAL_FORMULAS(_)                                       \
  _(erfinv, unary, 0, erfinv(a), Floats)                              \
  _(lgamma, unary, 0, lgamma(a), Floats)                              \
  _(digamma, unary, 0, digamma(a), Floats)                            \
  _(trigamma, unary, 0, trigamma(a), Floats)                          \
  _(igamma, binary, 0, gamma_lower(a, b), Floats)                     \
  _(igammac, binary, 0, gamma_upper(a, b), Floats)                    \
  _(ndtri, unary, 0, ndtri(a), Floats)                                \
  _(i0, unary, 0, bessel_i0(a), Floats)                               \
  _(i0e, unary, 0, bessel_i0_scaled(a), Floats)                       \
  _(i1, unary, 0, bessel_i1(a), Floats)                               \
  _(i1e, unary, 0, bessel_i1_scaled(a), Floats)                       \
  /* p[0]: the last bit of the dtype, as a number of a float's last bits */ \
  _(nextafter, binary, 1, nextafter(a, b, p[0]), Floats)              \
  _(erfcx, unary, 0, erfc_scaled(a), Floats)                          \
  _(log_ndtr, unary, 0, log_ndtr(a), Floats)                          \
  _(zeta, binary, 0, zeta(a, b), Floats)                              \
  /* p[0]: how many times the logarithm is derived, less one */        \
  _(polygamma, unary, 1, polygamma(p[0], a), Floats)                  \
  _(gcd, binary, 0, ufunc::gcd(a, b), Integers)                       \
  _(lcm, binary, 0, ufunc::lcm(a, b), Integers)                       \
  _(logaddexp, binary, 0, ufunc::logaddexp(a, b), Floats, Complexes)  \
  _(logaddexp2, binary, 0, ufunc::logaddexp2(a, b), Floats, Complexes) \
  /* of a between p[0] and p[1] */                                    \
  _(logit, unary, 2, ufunc::logit(a, p[0], p[1]), Floats)             \
  /* of a real number: 0, pi, or NaN */                               \
  _(angle, unary, 0, ufunc::angle(a), Floats)
// clang-format on

TSC_DECLARE_FORMULAS(special, TSC_SPECIAL_FORMULAS)
