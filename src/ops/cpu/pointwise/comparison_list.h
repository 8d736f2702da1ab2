// What gives a bool.
#pragma once

#include "ops/cpu/ufunc.h"

// Formulas are arguments of a macro, which the formatter takes for declarations.
// clang-format off
#define TSC_COMPARISON_FORMULAS(_)                                                                 \
  _(eq, binary_test, 0, a == b, Bool, WrappingIntegers, Floats, Complexes)                         \
  _(ne, binary_test, 0, a != b, Bool, WrappingIntegers, Floats, Complexes)                         \
  _(lt, binary_test, 0, a < b, Bool, Integers, Floats)                                             \
  _(le, binary_test, 0, a <= b, Bool, Integers, Floats)                                            \
  _(gt, binary_test, 0, a > b, Bool, Integers, Floats)                                             \
  _(ge, binary_test, 0, a >= b, Bool, Integers, Floats)                                            \
  _(logical_and, binary_test, 0, both(a != T(0), b != T(0)), BoolBytes, WrappingIntegers, Floats,  \
    Complexes)                                                                                     \
  _(logical_or, binary_test, 0, either(a != T(0), b != T(0)), BoolBytes, WrappingIntegers, Floats, \
    Complexes)                                                                                     \
  _(logical_xor, binary_test, 0, (a != T(0)) != (b != T(0)), BoolBytes, WrappingIntegers, Floats,  \
    Complexes)                                                                                     \
  _(logical_not, unary_test, 0, a == T(0), BoolBytes, WrappingIntegers, Floats, Complexes)         \
  _(isnan, unary_test, 0, is_nan(a), Bool, WrappingIntegers, Floats, Complexes)                    \
  _(isinf, unary_test, 0, is_infinite(a), Bool, WrappingIntegers, Floats, Complexes)               \
  _(isfinite, unary_test, 0, is_finite(a), Bool, WrappingIntegers, Floats, Complexes)              \
  _(signbit, unary_test, 0, sign_bit(a), Bool, Integers, Floats)                                   \
  _(equals, unary_test, 1, a == p[0], Floats)
// clang-format on

TSC_DECLARE_FORMULAS(comparison, TSC_COMPARISON_FORMULAS)
