// Division, remainders and rounded quotients.
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/integer_division.h"
#include "ops/cpu/pointwise/division_list.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
#include "ops/ufunc/division.h"
namespace {

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

// Integers below 2 ** 51 as doubles: a quotient that is not an integer differs from one by more
// than its rounding error, so the results are exact.
using Doubles = Wide<double>;
struct WholeDoubles {
  Doubles value;
};

// Of vectors of floats, of integers, and of integers as doubles.
template <class T>
TSC_INLINE Wide<T> floor_quotient(Wide<T> a, Wide<T> b) {
  return ufunc::div_floor(a, b);
}
template <std::integral T>
TSC_INLINE T floor_quotient(T a, T b) {
  const T q = quotient(a, b);
  return static_cast<T>(q - (signs_differ(a, b) && rest(a, b) != 0 ? 1 : 0));
}
TSC_INLINE WholeDoubles floor_quotient(WholeDoubles a, WholeDoubles b) {
  return {floor(a.value / b.value)};
}

template <class T>
TSC_INLINE Wide<T> trunc_quotient(Wide<T> a, Wide<T> b) {
  return trunc(a / b);
}
template <std::integral T>
TSC_INLINE T trunc_quotient(T a, T b) {
  return quotient(a, b);
}
TSC_INLINE WholeDoubles trunc_quotient(WholeDoubles a, WholeDoubles b) {
  return {trunc(a.value / b.value)};
}

template <class T>
TSC_INLINE Wide<T> floor_remainder(Wide<T> a, Wide<T> b) {
  return ufunc::remainder(a, b);
}
template <std::integral T>
TSC_INLINE T floor_remainder(T a, T b) {
  const T r = rest(a, b);
  return static_cast<T>(r + (r != 0 && signs_differ(r, b) ? b : 0));
}
TSC_INLINE WholeDoubles floor_remainder(WholeDoubles a, WholeDoubles b) {
  return {a.value - floor(a.value / b.value) * b.value};
}

template <class T>
TSC_INLINE Wide<T> trunc_remainder(Wide<T> a, Wide<T> b) {
  return fmod(a, b);
}
template <std::integral T>
TSC_INLINE T trunc_remainder(T a, T b) {
  return rest(a, b);
}
TSC_INLINE WholeDoubles trunc_remainder(WholeDoubles a, WholeDoubles b) {
  return {a.value - trunc(a.value / b.value) * b.value};
}

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
  const Doubles result =
      Op::apply(WholeDoubles{double_of(a_bits)}, WholeDoubles{divisor}).value + large;
  hn::StoreU(hn::Sub(hn::BitCast(di, result.v), large_bits), di, to);
  return true;
}

// Zero divisors are replaced, and reported in the object that the parameters point to.
template <class Op, class T>
struct IntegerDivisionTile {
  static void run(char* const* data, int64_t count, const void* parameters, const TileRows* rows) {
    if (rows != nullptr) {
      run_each_row<T, T, T>(
          data, count, *rows,
          [parameters](char* const* row, int64_t size) { run(row, size, parameters, nullptr); },
          std::index_sequence_for<T, T>());
      return;
    }
    T* const to = reinterpret_cast<T*>(data[0]);
    const T* const a = reinterpret_cast<const T*>(data[1]);
    const T* const b = reinterpret_cast<const T*>(data[2]);
    bool by_zero = false;
    const auto divide = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) {
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

template <class Op, class T>
using Division =
    std::conditional_t<std::is_integral_v<T>, IntegerDivisionTile<Op, T>, Binary<Op, T>>;

}  // namespace

TSC_DEFINE_FORMULAS(TSC_DIVISION_FORMULAS)

}  // namespace tsc::cpu::TSC_ISA
