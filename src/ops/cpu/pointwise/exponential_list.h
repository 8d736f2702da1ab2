// Powers, roots, exponentials and logarithms. The parameter of xlogy, xlog1py and entr rounds their
// logarithm (rounding_factor() in ops/pointwise/special_structured.cpp).
#pragma once

#include "ops/cpu/ufunc.h"

// Formulas are arguments of a macro, which the formatter takes for declarations.
// clang-format off
#define TSC_EXPONENTIAL_FORMULAS(_)                     \
  _(exp, unary, 0, exp(a), Floats, FloatComplexes)           \
  _(exp2, unary, 0, exp2(a), Floats, Complexes)         \
  _(expm1, unary, 0, expm1(a), Floats, Complexes)       \
  _(log, unary, 0, log(a), Floats, FloatComplexes)           \
  _(log2, unary, 0, log2(a), Floats, Complexes)         \
  _(log10, unary, 0, log10(a), Floats, Complexes)       \
  _(log1p, unary, 0, log1p(a), Floats, Complexes)       \
  _(sqrt, unary, 0, sqrt(a), Floats, ReducedFloats, FloatComplexes)         \
  _(rsqrt, unary, 0, T(1) / sqrt(a), Floats, Complexes) \
  _(pow, binary, 0, power(a, b), Integers, Floats, Complexes) \
  _(xlogy, binary, 1, zero_absorbs(a, b, a * rounded(log(b), p[0])), Floats) \
  _(xlog1py, binary, 1, zero_absorbs(a, b, a * rounded(log1p(b), p[0])), Floats) \
  _(entr, unary, 1, entropy(a, rounded(log(a), p[0])), Floats)
// clang-format on

TSC_DECLARE_FORMULAS(exponential, TSC_EXPONENTIAL_FORMULAS)
