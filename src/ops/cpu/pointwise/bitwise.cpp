// Operations on the bits of integers.
#include "ops/cpu/groups.h"
#include "ops/cpu/pointwise/bitwise_list.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

// Shifts by a negative number, or by at least the width, give 0 or, to the right, the sign's bits.
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

}  // namespace

TSC_DEFINE_FORMULAS(TSC_BITWISE_FORMULAS)

}  // namespace tsc::cpu::TSC_ISA
