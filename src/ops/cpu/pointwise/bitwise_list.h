// Integers as rows of bits.
#pragma once

#include "ops/cpu/ufunc.h"

// Formulas are arguments of a macro, which the formatter takes for declarations.
// clang-format off
#define TSC_BITWISE_FORMULAS(_)                                    \
  _(bitwise_and, binary, 0, a& b, Bool, WrappingIntegers)          \
  _(bitwise_or, binary, 0, a | b, Bool, WrappingIntegers)          \
  _(bitwise_xor, binary, 0, a ^ b, Bool, WrappingIntegers)         \
  _(bitwise_not, unary, 0, static_cast<T>(~a), WrappingIntegers)   \
  _(shift_left, binary, 0, shift_left(a, b), Integers)             \
  _(shift_right, binary, 0, shift_right(a, b), Integers)
// clang-format on

TSC_DECLARE_FORMULAS(bitwise, TSC_BITWISE_FORMULAS)
