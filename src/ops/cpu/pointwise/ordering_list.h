// What compares, selects and rounds, and gives numbers.
#pragma once

#include "ops/cpu/ufunc.h"

// Formulas are arguments of a macro, which the formatter takes for declarations.
// clang-format off
#define TSC_ORDERING_FORMULAS(_)                                            \
  _(abs, unary_real, 0, abs(a), Integers, Floats, PackedComplexes)          \
  _(sign, unary, 0, direction(a), Bool, Integers, Floats, Complexes)        \
  _(maximum, binary, 0, ufunc::maximum(a, b), Bool, Integers, Floats)       \
  _(minimum, binary, 0, ufunc::minimum(a, b), Bool, Integers, Floats)       \
  _(fmax, binary, 0, ufunc::fmax(a, b), Bool, Integers, Floats)             \
  _(fmin, binary, 0, ufunc::fmin(a, b), Bool, Integers, Floats)             \
  /* between p[0] and p[1]; at least p[0]; at most p[0]; between b and c */ \
  _(clamp, unary, 2, ufunc::clamp(a, p[0], p[1]), Integers, Floats)         \
  _(clamp_min, unary, 1, ufunc::at_least(a, p[0]), Integers, Floats)        \
  _(clamp_max, unary, 1, ufunc::at_most(a, p[0]), Integers, Floats)         \
  _(clamp_tensor, ternary, 0, ufunc::clamp(a, b, c), Integers, Floats)      \
  /* NaN -> p[0], infinity -> p[1], -infinity -> p[2] */                    \
  _(nan_to_num, unary, 3, ufunc::nan_to_num(a, p[0], p[1], p[2]), Floats)   \
  _(floor, unary, 0, floor(a), Floats)                                      \
  _(ceil, unary, 0, ceil(a), Floats)                                        \
  _(trunc, unary, 0, trunc(a), Floats)                                      \
  _(round, unary, 0, round_even(a), Floats)                                 \
  _(round_product, unary, 1, round_even(a * p[0]) / p[0], Floats)           \
  _(round_quotient, unary, 1, round_even(a / p[0]) * p[0], Floats)          \
  _(frac, unary, 0, a - trunc(a), Floats)                                   \
  _(copysign, binary, 0, copysign(a, b), Floats) \
  /* 0 below 0, 1 above, b at 0 */ \
  _(heaviside, binary, 0, ufunc::heaviside(a, b), Bool, Integers, Floats)
// clang-format on

TSC_DECLARE_FORMULAS(ordering, TSC_ORDERING_FORMULAS)
