// Integers as rows of bits.
#include "ops/cpu/groups.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

// Shifts by less than zero, or by the width or more, leave nothing of the number but its sign.
template <class T>
TSC_INLINE T shift_left(T a, T by) {
  using Unsigned = std::make_unsigned_t<T>;
  constexpr auto kWidth = static_cast<Unsigned>(sizeof(T) * 8);
  const auto shift = static_cast<Unsigned>(by);
  return shift < kWidth ? static_cast<T>(static_cast<Unsigned>(a) << shift) : T(0);
}
template <class T>
TSC_INLINE T shift_right(T a, T by) {
  using Unsigned = std::make_unsigned_t<T>;
  constexpr auto kLast = static_cast<Unsigned>(sizeof(T) * 8 - 1);
  const auto shift = static_cast<Unsigned>(by);
  if (std::is_unsigned_v<T> && shift > kLast) return 0;
  return static_cast<T>(a >> (shift < kLast ? shift : kLast));
}
template <class T>
TSC_INLINE T bitwise_not(T a) {
  if constexpr (std::is_same_v<T, bool>) {
    return !a;
  } else {
    return static_cast<T>(~a);
  }
}

TSC_BINARY_OP(BitwiseAnd, 0, a& b)
TSC_BINARY_OP(BitwiseOr, 0, a | b)
TSC_BINARY_OP(BitwiseXor, 0, a ^ b)
TSC_UNARY_OP(BitwiseNot, 0, bitwise_not(a))
TSC_BINARY_OP(ShiftLeft, 0, shift_left(a, b))
TSC_BINARY_OP(ShiftRight, 0, shift_right(a, b))

constexpr UfuncEntry kEntries[] = {
    {Ufunc::bitwise_and, binary<BitwiseAnd, Bool, WrappingIntegers>},
    {Ufunc::bitwise_or, binary<BitwiseOr, Bool, WrappingIntegers>},
    {Ufunc::bitwise_xor, binary<BitwiseXor, Bool, WrappingIntegers>},
    {Ufunc::bitwise_not, unary<BitwiseNot, Bool, WrappingIntegers>},
    {Ufunc::shift_left, binary<ShiftLeft, Integers>},
    {Ufunc::shift_right, binary<ShiftRight, Integers>},
};

}  // namespace

const std::span<const UfuncEntry> kBitwise = kEntries;

}  // namespace tsc::cpu::TSC_ISA
