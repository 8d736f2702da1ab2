// The last steps of reducing several rows, each of which has become a vector of partial results: the
// lanes of all of them are joined at once.
#pragma once

#include <cstdint>

#include "ops/cpu/wide.h"

namespace tsc::cpu::TSC_ISA {

// Rows whose results fill a vector, two lanes each.
template <class T>
inline constexpr int64_t kRowsOfVector = Wide<T>::kLanes / 2;

// Joins the lower half of the lanes of each row with the upper half, again and again, until two are
// left. They lie side by side, in the order of the rows, of which there are at least two.
template <class T, class Join>
TSC_INLINE Wide<T> join_lanes(const Wide<T> (&rows)[kRowsOfVector<T>], Join join) {
  using W = Wide<T>;
  const typename W::D d;
  const hn::Repartition<uint64_t, typename W::D> d64;
  // The halves of two rows' vectors.
  const auto halves = [&](W x, W y) {
    return join(W{hn::ConcatLowerLower(d, y.v, x.v)}, W{hn::ConcatUpperUpper(d, y.v, x.v)});
  };
  // Those of two pairs of rows, which come out as x0 y0 x1 y1.
  [[maybe_unused]] const auto quarters = [&](W x, W y) {
    return join(W{hn::OddEvenBlocks(hn::SwapAdjacentBlocks(y.v), x.v)},
                W{hn::OddEvenBlocks(y.v, hn::SwapAdjacentBlocks(x.v))});
  };
  // Those of rows with 16 bytes each.
  [[maybe_unused]] const auto words = [&](W x, W y) {
    const auto a = hn::BitCast(d64, x.v), b = hn::BitCast(d64, y.v);
    return join(W{hn::BitCast(d, hn::ConcatEven(d64, b, a))},
                W{hn::BitCast(d, hn::ConcatOdd(d64, b, a))});
  };
  constexpr int64_t kBytes = W::kLanes * static_cast<int64_t>(sizeof(T));
  if constexpr (kBytes == 64) {
    const W four = quarters(halves(rows[0], rows[2]), halves(rows[1], rows[3]));
    if constexpr (sizeof(T) == 8) {
      return four;
    } else {
      return words(four, quarters(halves(rows[4], rows[6]), halves(rows[5], rows[7])));
    }
  } else if constexpr (kRowsOfVector<T> == 4) {
    return words(halves(rows[0], rows[1]), halves(rows[2], rows[3]));
  } else {
    static_assert(kRowsOfVector<T> == 2);
    return halves(rows[0], rows[1]);
  }
}

// Calls make(row) for a vector of each row, and take(row, lanes) with the two lanes that are left of
// it.
template <class T, class Make, class Join, class Take>
TSC_INLINE void for_each_joined(int64_t count, Make make, Join join, Take take) {
  constexpr int64_t kRows = kRowsOfVector<T>;
  alignas(HWY_MAX_BYTES) T lanes[Wide<T>::kLanes];
  for (int64_t first = 0; first < count; first += kRows) {
    if constexpr (kRows == 1) {
      store(make(first), lanes);
      take(first, lanes);
    } else {
      const int64_t number = count - first < kRows ? count - first : kRows;
      Wide<T> rows[kRows];
      for (int64_t i = 0; i < kRows; i++) rows[i] = i < number ? make(first + i) : rows[0];
      store(join_lanes<T>(rows, join), lanes);
      for (int64_t i = 0; i < number; i++) take(first + i, lanes + 2 * i);
    }
  }
}

}  // namespace tsc::cpu::TSC_ISA
