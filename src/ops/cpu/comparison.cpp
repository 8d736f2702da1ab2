// What gives a bool.
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

template <std::integral T>
TSC_INLINE bool is_infinite(T) {
  return false;
}
template <class T>
TSC_INLINE Mask<T> is_infinite(Wide<T> a) {
  return abs(a) == Wide<T>(std::numeric_limits<T>::infinity());
}
template <class R>
TSC_INLINE bool is_infinite(Complex<R> a) {
  constexpr R kInfinity = std::numeric_limits<R>::infinity();
  return std::abs(a.re) == kInfinity || std::abs(a.im) == kInfinity;
}
template <std::integral T>
TSC_INLINE bool is_finite(T) {
  return true;
}
template <class T>
TSC_INLINE Mask<T> is_finite(Wide<T> a) {
  return abs(a) < Wide<T>(std::numeric_limits<T>::infinity());
}
template <class R>
TSC_INLINE bool is_finite(Complex<R> a) {
  constexpr R kInfinity = std::numeric_limits<R>::infinity();
  return std::abs(a.re) < kInfinity && std::abs(a.im) < kInfinity;
}
template <std::integral T>
TSC_INLINE bool sign_bit(T a) {
  return a < T(0);
}

TSC_BINARY_OP(Eq, 0, a == b)
TSC_BINARY_OP(Ne, 0, a != b)
TSC_BINARY_OP(Lt, 0, a < b)
TSC_BINARY_OP(Le, 0, a <= b)
TSC_BINARY_OP(Gt, 0, a > b)
TSC_BINARY_OP(Ge, 0, a >= b)
TSC_BINARY_OP(LogicalAnd, 0, a != T(0) && b != T(0))
TSC_BINARY_OP(LogicalOr, 0, a != T(0) || b != T(0))
TSC_BINARY_OP(LogicalXor, 0, (a != T(0)) != (b != T(0)))
TSC_UNARY_OP(LogicalNot, 0, a == T(0))
TSC_UNARY_OP(IsNan, 0, is_nan(a))
TSC_UNARY_OP(IsInf, 0, is_infinite(a))
TSC_UNARY_OP(IsFinite, 0, is_finite(a))
TSC_UNARY_OP(SignBit, 0, sign_bit(a))

constexpr UfuncEntry kEntries[] = {
    {Ufunc::eq, binary_test<Eq, Bool, WrappingIntegers, Floats, Complexes>},
    {Ufunc::ne, binary_test<Ne, Bool, WrappingIntegers, Floats, Complexes>},
    {Ufunc::lt, binary_test<Lt, Bool, Integers, Floats>},
    {Ufunc::le, binary_test<Le, Bool, Integers, Floats>},
    {Ufunc::gt, binary_test<Gt, Bool, Integers, Floats>},
    {Ufunc::ge, binary_test<Ge, Bool, Integers, Floats>},
    {Ufunc::logical_and, binary_test<LogicalAnd, Bool, WrappingIntegers, Floats, Complexes>},
    {Ufunc::logical_or, binary_test<LogicalOr, Bool, WrappingIntegers, Floats, Complexes>},
    {Ufunc::logical_xor, binary_test<LogicalXor, Bool, WrappingIntegers, Floats, Complexes>},
    {Ufunc::logical_not, unary_test<LogicalNot, Bool, WrappingIntegers, Floats, Complexes>},
    {Ufunc::isnan, unary_test<IsNan, Bool, WrappingIntegers, Floats, Complexes>},
    {Ufunc::isinf, unary_test<IsInf, Bool, WrappingIntegers, Floats, Complexes>},
    {Ufunc::isfinite, unary_test<IsFinite, Bool, WrappingIntegers, Floats, Complexes>},
    {Ufunc::signbit, unary_test<SignBit, Bool, Integers, Floats>},
};

}  // namespace

const std::span<const UfuncEntry> kComparison = kEntries;

}  // namespace tsc::cpu::TSC_ISA
