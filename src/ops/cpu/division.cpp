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

// Integers of less than 2 ** 51 as doubles: a quotient that is no integer is farther from one than
// it is rounded, so all of these are exact.
using Doubles = Wide<double>;

struct IntegerTrunc {
  template <class T>
  static TSC_INLINE T apply(T a, T b) {
    return quotient(a, b);
  }
  static TSC_INLINE Doubles apply(Doubles a, Doubles b) { return trunc(a / b); }
};
struct IntegerFloor {
  template <class T>
  static TSC_INLINE T apply(T a, T b) {
    const T q = quotient(a, b);
    return static_cast<T>(q - (signs_differ(a, b) && rest(a, b) != 0 ? 1 : 0));
  }
  static TSC_INLINE Doubles apply(Doubles a, Doubles b) { return floor(a / b); }
};
struct IntegerFmod {
  template <class T>
  static TSC_INLINE T apply(T a, T b) {
    return rest(a, b);
  }
  static TSC_INLINE Doubles apply(Doubles a, Doubles b) { return a - trunc(a / b) * b; }
};
struct IntegerRemainder {
  template <class T>
  static TSC_INLINE T apply(T a, T b) {
    const T r = rest(a, b);
    return static_cast<T>(r + (r != 0 && signs_differ(r, b) ? b : 0));
  }
  static TSC_INLINE Doubles apply(Doubles a, Doubles b) { return a - floor(a / b) * b; }
};

// Divides a vector of int64 by way of doubles; false where one is too large for that, or 0.
// Added to a number of 1.5 * 2 ** 52, an integer stands in the lowest bits.
template <class Op>
TSC_INLINE bool divide_as_doubles(int64_t* to, const int64_t* a, const int64_t* b) {
  const Doubles::D d;
  const hn::RebindToSigned<Doubles::D> di;
  const hn::RebindToUnsigned<Doubles::D> du;
  const Doubles large(0x1.8p52);
  const auto large_bits = hn::BitCast(di, large.v);
  const auto half_range = hn::Set(di, int64_t(1) << 51);
  const auto a_bits = hn::LoadU(di, a);
  const auto b_bits = hn::LoadU(di, b);
  const auto beyond = [&](auto bits) {
    return hn::ShiftRight<52>(hn::BitCast(du, hn::Add(bits, half_range)));
  };
  const auto double_of = [&](auto bits) {
    return Doubles{hn::BitCast(d, hn::Add(bits, large_bits))} - large;
  };
  const Doubles divisor = double_of(b_bits);
  const auto bits_beyond = hn::BitCast(di, hn::Or(beyond(a_bits), beyond(b_bits)));
  const auto all_within = hn::Eq(bits_beyond, hn::Zero(di));
  const Mask<double> bad = !Mask<double>{hn::RebindMask(d, all_within)} || divisor == Doubles(0.0);
  if (!hn::AllFalse(d, bad.m)) return false;
  const Doubles result = Op::apply(double_of(a_bits), divisor) + large;
  hn::StoreU(hn::Sub(hn::BitCast(di, result.v), large_bits), di, to);
  return true;
}

// Divisors of zero are replaced, and reported where the parameters point.
template <class Op, class T>
struct IntegerShape {
  static void run(char* const* data, int64_t count, const void* parameters) {
    T* const to = reinterpret_cast<T*>(data[0]);
    const T* const a = reinterpret_cast<const T*>(data[1]);
    const T* const b = reinterpret_cast<const T*>(data[2]);
    bool by_zero = false;
    const auto divide = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        by_zero |= b[i] == 0;
        to[i] = Op::apply(a[i], b[i] == 0 ? T(1) : b[i]);
      }
    };
    int64_t i = 0;
    if constexpr (std::is_same_v<T, int64_t>) {
      for (; i + Doubles::kLanes <= count; i += Doubles::kLanes) {
        if (!divide_as_doubles<Op>(to + i, a + i, b + i)) divide(i, i + Doubles::kLanes);
      }
    }
    divide(i, count);
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
