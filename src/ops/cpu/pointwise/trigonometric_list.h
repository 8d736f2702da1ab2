// Circular and hyperbolic functions and their inverses.
#pragma once

#include "ops/cpu/ufunc.h"

// Formulas are arguments of a macro, which the formatter takes for declarations.
// clang-format off
#define TSC_TRIGONOMETRIC_FORMULAS(_)             \
  _(sin, unary, 0, sin(a), Floats, Complexes)     \
  _(cos, unary, 0, cos(a), Floats, Complexes)     \
  _(tan, unary, 0, tan(a), Floats, Complexes)     \
  _(asin, unary, 0, asin(a), Floats, Complexes)   \
  _(acos, unary, 0, acos(a), Floats, Complexes)   \
  _(atan, unary, 0, atan(a), Floats, Complexes)   \
  _(sinh, unary, 0, sinh(a), Floats, Complexes)   \
  _(cosh, unary, 0, cosh(a), Floats, Complexes)   \
  _(asinh, unary, 0, asinh(a), Floats, Complexes) \
  _(acosh, unary, 0, acosh(a), Floats, Complexes) \
  _(atanh, unary, 0, atanh(a), Floats, Complexes) \
  _(atan2, binary, 0, atan2(a, b), Floats)        \
  _(hypot, binary, 0, hypot(a, b), Floats) \
  _(sinc, unary, 0, sinc(a), Floats, Complexes)
// clang-format on

TSC_DECLARE_FORMULAS(trigonometric, TSC_TRIGONOMETRIC_FORMULAS)
