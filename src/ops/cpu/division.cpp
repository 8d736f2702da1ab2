// Division and its relatives.
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/integer_division.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

TSC_BINARY_OP(Div, 0, a / b)
TSC_BINARY_OP(DivFloor, 0, ufunc::div_floor(a, b))
TSC_BINARY_OP(DivTrunc, 0, trunc(a / b))
TSC_BINARY_OP(Remainder, 0, ufunc::remainder(a, b))
TSC_BINARY_OP(Fmod, 0, fmod(a, b))
TSC_UNARY_OP(Reciprocal, 0, T(1) / a)

// a / b, for the smallest number and -1 too, where the quotient wraps.
template <class T>
TSC_INLINE T quotient(T a, T b) {
  if constexpr (std::is_signed_v<T> && sizeof(T) >= sizeof(int)) {
    using Unsigned = std::make_unsigned_t<T>;
    if (b == -1) return static_cast<T>(Unsigned(0) - static_cast<Unsigned>(a));
  }
  return static_cast<T>(a / b);
}
template <class T>
TSC_INLINE T rest(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}
template <class T>
TSC_INLINE bool signs_differ(T a, T b) {
  return (a < 0) != (b < 0);
}

struct IntegerTrunc {
  template <class T>
  static TSC_INLINE T apply(T a, T b) {
    return quotient(a, b);
  }
};
struct IntegerFloor {
  template <class T>
  static TSC_INLINE T apply(T a, T b) {
    const T q = quotient(a, b);
    return static_cast<T>(q - (signs_differ(a, b) && rest(a, b) != 0 ? 1 : 0));
  }
};
struct IntegerFmod {
  template <class T>
  static TSC_INLINE T apply(T a, T b) {
    return rest(a, b);
  }
};
struct IntegerRemainder {
  template <class T>
  static TSC_INLINE T apply(T a, T b) {
    const T r = rest(a, b);
    return static_cast<T>(r + (r != 0 && signs_differ(r, b) ? b : 0));
  }
};

// Divisors of zero are replaced, and reported where the parameters point.
template <class Op, class T>
struct IntegerShape {
  static void run(char* const* data, int64_t count, const void* parameters) {
    T* const to = reinterpret_cast<T*>(data[0]);
    const T* const a = reinterpret_cast<const T*>(data[1]);
    const T* const b = reinterpret_cast<const T*>(data[2]);
    bool by_zero = false;
    for (int64_t i = 0; i < count; ++i) {
      by_zero |= b[i] == 0;
      to[i] = Op::apply(a[i], b[i] == 0 ? T(1) : b[i]);
    }
    if (by_zero) {
      static_cast<const IntegerDivision*>(parameters)
          ->by_zero.store(true, std::memory_order_relaxed);
    }
  }
};

template <class FloatOp, class IntegerOp>
TileFunction division(ScalarType compute) {
  const TileFunction found = Find<BinaryShape, FloatOp, Floats>::find(compute);
  return found != nullptr ? found : Find<IntegerShape, IntegerOp, Integers>::find(compute);
}

constexpr UfuncEntry kEntries[] = {
    {Ufunc::div, binary<Div, Floats, PackedComplexes>},
    {Ufunc::div_floor, division<DivFloor, IntegerFloor>},
    {Ufunc::div_trunc, division<DivTrunc, IntegerTrunc>},
    {Ufunc::remainder, division<Remainder, IntegerRemainder>},
    {Ufunc::fmod, division<Fmod, IntegerFmod>},
    {Ufunc::reciprocal, unary<Reciprocal, Floats, PackedComplexes>},
};

}  // namespace

const std::span<const UfuncEntry> kDivision = kEntries;

}  // namespace tsc::cpu::TSC_ISA
