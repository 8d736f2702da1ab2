// Addition, multiplication and what is made of them.
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

TSC_BINARY_OP(Add, 1, ufunc::add(a, b, p[0]))
TSC_BINARY_OP(Sub, 1, ufunc::sub(a, b, p[0]))
TSC_BINARY_OP(Mul, 0, a* b)
TSC_UNARY_OP(Neg, 0, -a)
TSC_UNARY_OP(Square, 0, ufunc::square(a))
TSC_UNARY_OP(Cube, 0, T(T(a* a) * a))
TSC_UNARY_OP(InverseSquare, 0, T(1) / (a * a))
TSC_BINARY_OP(SquaredDifference, 0, ufunc::squared_difference(a, b))
TSC_TERNARY_OP(Addcmul, 1, ufunc::addcmul(a, b, c, p[0]))
TSC_TERNARY_OP(Addcdiv, 1, ufunc::addcdiv(a, b, c, p[0]))
TSC_BINARY_OP(LerpScalar, 1, ufunc::lerp(a, b, p[0]))
TSC_TERNARY_OP(Lerp, 0, ufunc::lerp(a, b, c))

// By its bits: a random condition would be mispredicted half of the time.
struct Where {
  static constexpr int kParameters = 0;
  template <class T, class P>
  static TSC_INLINE T apply(bool condition, T a, T b, const P&) {
    if constexpr (std::is_integral_v<T>) {
      return T(b ^ ((a ^ b) & T(T(0) - T(condition))));
    } else {
      return condition ? a : b;
    }
  }
};

constexpr UfuncEntry kEntries[] = {
    {Ufunc::add, binary<Add, Bool, WrappingIntegers, Floats, PackedComplexes>},
    {Ufunc::sub, binary<Sub, WrappingIntegers, Floats, PackedComplexes>},
    {Ufunc::mul, binary<Mul, Bool, WrappingIntegers, Floats, PackedComplexes>},
    {Ufunc::neg, unary<Neg, WrappingIntegers, Floats, PackedComplexes>},
    {Ufunc::square, unary<Square, WrappingIntegers, Floats, PackedComplexes>},
    {Ufunc::cube, unary<Cube, WrappingIntegers, Floats, PackedComplexes>},
    {Ufunc::inverse_square, unary<InverseSquare, Floats, PackedComplexes>},
    {Ufunc::squared_difference,
     binary<SquaredDifference, WrappingIntegers, Floats, PackedComplexes>},
    {Ufunc::addcmul, ternary<Addcmul, WrappingIntegers, Floats, PackedComplexes>},
    {Ufunc::addcdiv, ternary<Addcdiv, Floats, PackedComplexes>},
    {Ufunc::lerp_scalar, binary<LerpScalar, Floats, PackedComplexes>},
    {Ufunc::lerp, ternary<Lerp, Floats, PackedComplexes>},
    {Ufunc::where, where_shape<Where, Bits>},
};

}  // namespace

const std::span<const UfuncEntry> kArithmetic = kEntries;

}  // namespace tsc::cpu::TSC_ISA
