// Division and its relatives.
#pragma once

#include "ops/cpu/ufunc.h"

// Formulas are arguments of a macro, which the formatter takes for declarations.
// clang-format off
#define TSC_DIVISION_FORMULAS(_)                                     \
  _(div, binary, 0, a / b, Floats, ReducedFloats, PackedComplexes)   \
  /* Integers: divisors of zero are counted, see IntegerDivision. */ \
  _(div_floor, division, 0, floor_quotient(a, b), Floats, Integers)  \
  _(div_trunc, division, 0, trunc_quotient(a, b), Floats, Integers)  \
  _(remainder, division, 0, floor_remainder(a, b), Floats, Integers) \
  _(fmod, division, 0, trunc_remainder(a, b), Floats, Integers)      \
  _(reciprocal, unary, 0, T(1) / a, Floats, PackedComplexes)
// clang-format on

TSC_DECLARE_FORMULAS(division, TSC_DIVISION_FORMULAS)
