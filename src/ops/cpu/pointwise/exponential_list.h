// Powers, roots, exponentials and logarithms.
#pragma once

#include "ops/cpu/ufunc.h"

// Formulas are arguments of a macro, which the formatter takes for declarations.
// clang-format off
#define TSC_EXPONENTIAL_FORMULAS(_)                     \
  _(exp, unary, 0, exp(a), Floats, Complexes)           \
  _(exp2, unary, 0, exp2(a), Floats, Complexes)         \
  _(expm1, unary, 0, expm1(a), Floats, Complexes)       \
  _(log, unary, 0, log(a), Floats, Complexes)           \
  _(log2, unary, 0, log2(a), Floats, Complexes)         \
  _(log10, unary, 0, log10(a), Floats, Complexes)       \
  _(log1p, unary, 0, log1p(a), Floats, Complexes)       \
  _(sqrt, unary, 0, sqrt(a), Floats, Complexes)         \
  _(rsqrt, unary, 0, T(1) / sqrt(a), Floats, Complexes) \
  _(pow, binary, 0, power(a, b), Integers, Floats, Complexes) \
  _(xlogy, binary, 0, zero_absorbs(a, b, a * log(b)), Floats) \
  _(xlog1py, binary, 0, zero_absorbs(a, b, a * log1p(b)), Floats)
// clang-format on

TSC_DECLARE_FORMULAS(exponential, TSC_EXPONENTIAL_FORMULAS)
