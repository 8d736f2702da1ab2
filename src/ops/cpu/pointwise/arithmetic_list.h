// Addition, multiplication and what is made of them.
#pragma once

#include "ops/cpu/ufunc.h"

// Formulas are arguments of a macro, which the formatter takes for declarations.
// clang-format off
#define TSC_ARITHMETIC_FORMULAS(_)                                                                 \
  /* a + p[0] * b, a - p[0] * b */                                                                 \
  _(add, binary, 1, ufunc::add(a, b, p[0]), Bool, WrappingIntegers, Floats, ReducedFloats,         \
    PackedComplexes)                                                                               \
  _(sub, binary, 1, ufunc::sub(a, b, p[0]), WrappingIntegers, Floats, ReducedFloats,               \
    PackedComplexes)                                                                               \
  _(mul, binary, 0, a * b, Bool, WrappingIntegers, Floats, ReducedFloats, PackedComplexes)         \
  _(neg, unary, 0, -a, WrappingIntegers, Floats, PackedComplexes)                                  \
  _(conj, unary, 0, conj(a), PackedComplexes)                                                      \
  _(square, unary, 0, ufunc::square(a), WrappingIntegers, Floats, PackedComplexes)                 \
  _(cube, unary, 0, T(T(a * a) * a), WrappingIntegers, Floats, PackedComplexes)                    \
  _(inverse_square, unary, 0, T(1) / (a * a), Floats, PackedComplexes)                             \
  _(squared_difference, binary, 0, ufunc::squared_difference(a, b), WrappingIntegers, Floats,      \
    PackedComplexes)                                                                               \
  /* bound p[0] */                                                                                 \
  _(smooth_l1, binary, 1, ufunc::smooth_l1(a, b, p[0]), Floats)                                    \
  _(huber, binary, 1, ufunc::huber(a, b, p[0]), Floats)                                            \
  /* of a norm, bound p[0] */                                                                      \
  _(renorm_factor, unary, 1, ufunc::renorm_factor(a, p[0]), Floats)                                \
  /* a + p[0] * b * c, a + p[0] * b / c */                                                         \
  _(addcmul, ternary, 1, ufunc::addcmul(a, b, c, p[0]), WrappingIntegers, Floats, PackedComplexes) \
  _(addcdiv, ternary, 1, ufunc::addcdiv(a, b, c, p[0]), Floats, PackedComplexes)                   \
  /* a + p[0] * (b - a), a + c * (b - a) */                                                        \
  _(lerp_scalar, binary, 1, ufunc::lerp(a, b, p[0]), Floats, PackedComplexes)                      \
  _(lerp, ternary, 0, ufunc::lerp(a, b, c), Floats, PackedComplexes)                               \
  _(where, where, 0, choose(a, b, c), Bits)
// clang-format on

TSC_DECLARE_FORMULAS(arithmetic, TSC_ARITHMETIC_FORMULAS)
