// Circular and hyperbolic functions and their inverses.
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

TSC_UNARY_OP(Sin, 0, sin(a))
TSC_UNARY_OP(Cos, 0, cos(a))
TSC_UNARY_OP(Tan, 0, tan(a))
TSC_UNARY_OP(Asin, 0, asin(a))
TSC_UNARY_OP(Acos, 0, acos(a))
TSC_UNARY_OP(Atan, 0, atan(a))
TSC_UNARY_OP(Sinh, 0, sinh(a))
TSC_UNARY_OP(Cosh, 0, cosh(a))
TSC_UNARY_OP(Asinh, 0, asinh(a))
TSC_UNARY_OP(Acosh, 0, acosh(a))
TSC_UNARY_OP(Atanh, 0, atanh(a))
TSC_BINARY_OP(Atan2, 0, atan2(a, b))
TSC_BINARY_OP(Hypot, 0, hypot(a, b))

constexpr UfuncEntry kEntries[] = {
    {Ufunc::sin, unary<Sin, Floats, Complexes>},
    {Ufunc::cos, unary<Cos, Floats, Complexes>},
    {Ufunc::tan, unary<Tan, Floats, Complexes>},
    {Ufunc::asin, unary<Asin, Floats, Complexes>},
    {Ufunc::acos, unary<Acos, Floats, Complexes>},
    {Ufunc::atan, unary<Atan, Floats, Complexes>},
    {Ufunc::sinh, unary<Sinh, Floats, Complexes>},
    {Ufunc::cosh, unary<Cosh, Floats, Complexes>},
    {Ufunc::asinh, unary<Asinh, Floats, Complexes>},
    {Ufunc::acosh, unary<Acosh, Floats, Complexes>},
    {Ufunc::atanh, unary<Atanh, Floats, Complexes>},
    {Ufunc::atan2, binary<Atan2, Floats>},
    {Ufunc::hypot, binary<Hypot, Floats>},
};

}  // namespace

const std::span<const UfuncEntry> kTrigonometric = kEntries;

}  // namespace tsc::cpu::TSC_ISA
