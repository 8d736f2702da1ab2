// Largest and smallest elements and their places; any and all.
#include <limits>

#include "ops/cpu/groups.h"
#include "ops/cpu/reduce/few_rows.h"
#include "ops/cpu/reduce/join_lanes.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

struct Largest {
  template <class T>
  static TSC_INLINE T better(T a, T b) {
    return select(is_nan(a) || a > b, a, b);
  }
  template <class V>
  static TSC_INLINE V better_lanes(V a, V b) {
    return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::Gt(a, b)), a, b);
  }
  template <class T>
  static constexpr T kWorst = std::numeric_limits<T>::has_infinity
                                  ? T(-std::numeric_limits<T>::infinity())
                                  : std::numeric_limits<T>::lowest();
};
struct Smallest {
  template <class T>
  static TSC_INLINE T better(T a, T b) {
    return select(is_nan(a) || a < b, a, b);
  }
  template <class V>
  static TSC_INLINE V better_lanes(V a, V b) {
    return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::Lt(a, b)), a, b);
  }
  template <class T>
  static constexpr T kWorst = std::numeric_limits<T>::has_infinity
                                  ? std::numeric_limits<T>::infinity()
                                  : std::numeric_limits<T>::max();
};

// NaN counts as better than any number.
template <class Order, class T>
TSC_INLINE bool is_better(T candidate, T than) {
  if (than != than) return false;
  if (candidate != candidate) return true;
  return std::is_same_v<Order, Largest> ? candidate > than : candidate < than;
}
template <class Order, class T>
TSC_INLINE T better_number(T a, T b) {
  return is_better<Order>(b, a) ? b : a;
}

// The best elements of a run, one in each lane.
template <class Order, class T>
TSC_INLINE Wide<T> best_vector(const T* from, int64_t count) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  constexpr int64_t kVectors = 4;
  Wide<T> best[kVectors];
  for (auto& vector : best) vector = Wide<T>(Order::template kWorst<T>);
  int64_t i = 0;
  for (; i + kVectors * kLanes <= count; i += kVectors * kLanes) {
    for (int64_t v = 0; v < kVectors; v++) {
      best[v] = Order::better(best[v], load(from + i + v * kLanes));
    }
  }
  for (; i + kLanes <= count; i += kLanes) best[0] = Order::better(best[0], load(from + i));
  if (i < count) {
    const Mask<T> there{hn::FirstN(typename Wide<T>::D(), static_cast<size_t>(count - i))};
    best[1] = Order::better(best[1], select(there, load_first(from + i, count - i), best[1]));
  }
  return Order::better(Order::better(best[0], best[1]), Order::better(best[2], best[3]));
}

// The best element of a nonempty run.
template <class Order, class T>
TSC_INLINE T best_of(const T* from, int64_t count) {
  if constexpr (is_float<T>) {
    return across_lanes(typename Wide<T>::D(), best_vector<Order>(from, count).v,
                        [](auto a, auto b) { return Order::better_lanes(a, b); });
  } else {
    T result = Order::template kWorst<T>;
    for (int64_t i = 0; i < count; i++) result = better_number<Order>(result, from[i]);
    return result;
  }
}

// The place of the first element equal to `value`, or of the first NaN where `value` is NaN; there
// is one.
template <class T>
TSC_INLINE int64_t place_of(const T* from, [[maybe_unused]] int64_t count, T value) {
  int64_t i = 0;
  if constexpr (is_float<T>) {
    if (value != value) {
      while (from[i] == from[i]) i++;
      return i;
    }
    const typename Wide<T>::D d;
    const Wide<T> wanted(value);
    for (; i + Wide<T>::kLanes <= count; i += Wide<T>::kLanes) {
      const intptr_t lane = hn::FindFirstTrue(d, (load(from + i) == wanted).m);
      if (lane >= 0) return i + lane;
    }
  }
  while (from[i] != value) i++;
  return i;
}

template <class Order, class T>
struct Extreme {
  static void start(char* states, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
      reinterpret_cast<T*>(states)[i] = Order::template kWorst<T>;
    }
  }
  static void run(char* state, const char* tile, int64_t count, int64_t, const ReduceParameters&) {
    T& best = *reinterpret_cast<T*>(state);
    best = better_number<Order>(best, best_of<Order>(reinterpret_cast<const T*>(tile), count));
  }
  static void rows(char* states, const char* rows, int64_t row_stride, int64_t row_count,
                   int64_t count, const ReduceParameters&) {
    static_assert(is_float<T>);
    T* const best = reinterpret_cast<T*>(states);
    for_each_joined<T>(
        row_count,
        [&](int64_t row) {
          return best_vector<Order>(reinterpret_cast<const T*>(rows + row * row_stride), count);
        },
        [](Wide<T> a, Wide<T> b) { return Order::better(a, b); },
        [&](int64_t row, const T* lanes) {
          best[row] = better_number<Order>(best[row], better_number<Order>(lanes[0], lanes[1]));
        });
  }
  static void columns(char* states, const char* rows, int64_t row_stride, int64_t row_count,
                      int64_t column_count, int64_t) {
    T* const best = reinterpret_cast<T*>(states);
    for (int64_t row = 0; row < row_count; row++, rows += row_stride) {
      const T* const from = reinterpret_cast<const T*>(rows);
      if constexpr (is_float<T>) {
        constexpr int64_t kLanes = Wide<T>::kLanes;
        int64_t i = 0;
        for (; i + kLanes <= column_count; i += kLanes) {
          store(Order::better(load(best + i), load(from + i)), best + i);
        }
        if (i < column_count) {
          const int64_t rest = column_count - i;
          store_first(Order::better(load_first(best + i, rest), load_first(from + i, rest)),
                      best + i, rest);
        }
      } else {
        for (int64_t i = 0; i < column_count; i++) {
          best[i] = better_number<Order>(best[i], from[i]);
        }
      }
    }
  }
  static void merge(char* state, const char* other) {
    T& best = *reinterpret_cast<T*>(state);
    best = better_number<Order>(best, *reinterpret_cast<const T*>(other));
  }
  static void finish(char* const* results, const char* states, int64_t count,
                     const ReduceParameters&) {
    std::memcpy(results[0], states, static_cast<size_t>(count) * sizeof(T));
  }
};

// A value and its index; -1 before the first element.
template <class T>
struct Found {
  T value;
  int64_t index;
};

template <class Order, class T, bool WithValue, bool WithIndex>
struct ExtremeIndex {
  using Raw = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
  using D = hn::ScalableTag<Raw>;
  using RowTag = hn::RebindToSigned<D>;
  using Row = hn::TFromD<RowTag>;
  // Columns that are kept in memory of their own, values beside values, and the rows whose numbers
  // fit into lanes of a value's width.
  static constexpr int64_t kBlock = 256;
  static constexpr int64_t kMostRows =
      sizeof(Row) < 4 ? int64_t{std::numeric_limits<Row>::max()} : int64_t{1} << 30;

  // Where a row's elements take the places of the best ones so far.
  template <class V>
  static TSC_INLINE auto take_place(V x, V best) {
    const auto better = std::is_same_v<Order, Largest> ? hn::Gt(x, best) : hn::Lt(x, best);
    if constexpr (is_float<T>) {
      return hn::AndNot(hn::IsNaN(best), hn::Or(better, hn::IsNaN(x)));
    } else {
      return better;
    }
  }

  // `begins`: the first row's elements are the best ones so far.
  static TSC_INLINE void block_of_columns(Found<T>* found, int64_t columns, const char* rows,
                                          int64_t row_stride, int64_t row_count, int64_t first,
                                          bool begins) {
    constexpr auto kLanes = static_cast<int64_t>(hn::MaxLanes(D()));
    const D d;
    const RowTag di;
    alignas(64) Raw best[kBlock] = {};
    alignas(64) Row place[kBlock] = {};
    if (begins) {
      std::memcpy(best, rows, static_cast<size_t>(columns) * sizeof(Raw));
      rows += row_stride;
    } else {
      for (int64_t i = 0; i < columns; i++) {
        best[i] = found[i].value;
        place[i] = -1;
      }
    }
    for (int64_t row = begins ? 1 : 0; row < row_count; row++, rows += row_stride) {
      const Raw* const from = reinterpret_cast<const Raw*>(rows);
      const auto number = hn::Set(di, static_cast<Row>(row));
      const auto look = [&](int64_t i, auto x) {
        const auto old = hn::Load(d, best + i);
        const auto takes = take_place(x, old);
        hn::Store(hn::IfThenElse(takes, x, old), d, best + i);
        hn::Store(hn::IfThenElse(hn::RebindMask(di, takes), number, hn::Load(di, place + i)), di,
                  place + i);
      };
      int64_t i = 0;
      for (; i + kLanes <= columns; i += kLanes) look(i, hn::LoadU(d, from + i));
      if (i < columns) {
        alignas(64) Raw rest[kLanes] = {};
        std::memcpy(rest, from + i, static_cast<size_t>(columns - i) * sizeof(Raw));
        look(i, hn::Load(d, rest));
      }
    }
    for (int64_t i = 0; i < columns; i++) {
      if (place[i] >= 0) found[i] = {static_cast<T>(best[i]), first + place[i]};
    }
  }

  static void start(char* states, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
      reinterpret_cast<Found<T>*>(states)[i] = {Order::template kWorst<T>, -1};
    }
  }
  static void run(char* state, const char* tile, int64_t count, int64_t first,
                  const ReduceParameters&) {
    constexpr int64_t kPiece = 1024;
    auto& found = *reinterpret_cast<Found<T>*>(state);
    const T* const from = reinterpret_cast<const T*>(tile);
    for (int64_t begin = 0; begin < count; begin += kPiece) {
      const int64_t end = begin + kPiece < count ? begin + kPiece : count;
      const T best = best_of<Order>(from + begin, end - begin);
      if (found.index >= 0 && !is_better<Order>(best, found.value)) continue;
      const int64_t place = begin + place_of(from + begin, end - begin, best);
      found = {from[place], first + place};
    }
  }
  static void columns(char* states, const char* rows, int64_t row_stride, int64_t row_count,
                      int64_t column_count, int64_t first) {
    auto* const found = reinterpret_cast<Found<T>*>(states);
    const bool is_new = found[0].index < 0;
    for (int64_t begin = 0; begin < column_count; begin += kBlock) {
      const int64_t end = begin + kBlock < column_count ? begin + kBlock : column_count;
      const char* const block = rows + begin * static_cast<int64_t>(sizeof(T));
      for (int64_t row = 0; row < row_count; row += kMostRows) {
        const int64_t count = row + kMostRows < row_count ? kMostRows : row_count - row;
        block_of_columns(found + begin, end - begin, block + row * row_stride, row_stride, count,
                         first + row, is_new && row == 0);
      }
    }
  }
  static void merge(char* state, const char* other) {
    auto& found = *reinterpret_cast<Found<T>*>(state);
    const auto& later = *reinterpret_cast<const Found<T>*>(other);
    if (later.index >= 0 && (found.index < 0 || is_better<Order>(later.value, found.value))) {
      found = later;
    }
  }
  static void finish(char* const* results, const char* states, int64_t count,
                     const ReduceParameters&) {
    const auto* const found = reinterpret_cast<const Found<T>*>(states);
    T* const values = reinterpret_cast<T*>(results[0]);
    auto* const places = reinterpret_cast<int64_t*>(results[WithValue ? 1 : 0]);
    for (int64_t i = 0; i < count; i++) {
      if (WithValue) values[i] = found[i].value;
      if (WithIndex) places[i] = found[i].index;
    }
  }
};

// any and all, of bool.
template <bool Any>
struct Logic {
  static void start(char* states, int64_t count) {
    std::memset(states, Any ? 0 : 1, static_cast<size_t>(count));
  }
  static void run(char* state, const char* tile, int64_t count, int64_t, const ReduceParameters&) {
    if (*state == (Any ? 1 : 0)) return;
    if (std::memchr(tile, Any ? 1 : 0, static_cast<size_t>(count)) != nullptr) *state = Any ? 1 : 0;
  }
  static void columns(char* states, const char* rows, int64_t row_stride, int64_t row_count,
                      int64_t column_count, int64_t) {
    for (int64_t row = 0; row < row_count; row++, rows += row_stride) {
      for (int64_t i = 0; i < column_count; i++) {
        states[i] = static_cast<char>(Any ? states[i] | rows[i] : states[i] & rows[i]);
      }
    }
  }
  static void merge(char* state, const char* other) {
    *state = static_cast<char>(Any ? *state | *other : *state & *other);
  }
  static void finish(char* const* results, const char* states, int64_t count,
                     const ReduceParameters&) {
    std::memcpy(results[0], states, static_cast<size_t>(count));
  }
};

template <class R>
constexpr ReduceKernel kKernel(int64_t state_size) {
  return {state_size, R::start, R::run, R::columns, fold_few<R::columns>, R::merge, R::finish};
}
template <class Order, class T>
constexpr ReduceKernel extreme_kernel() {
  ReduceKernel kernel = kKernel<Extreme<Order, T>>(sizeof(T));
  if constexpr (is_float<T>) {
    kernel.rows = Extreme<Order, T>::rows;
  }
  return kernel;
}
#define TSC_EXTREMES(scalar_type, T)                                            \
  {Reduction::max, ScalarType::scalar_type, extreme_kernel<Largest, T>()},      \
      {Reduction::min, ScalarType::scalar_type, extreme_kernel<Smallest, T>()}, \
      {Reduction::argmax, ScalarType::scalar_type,                              \
       kKernel<ExtremeIndex<Largest, T, false, true>>(sizeof(Found<T>))},       \
      {Reduction::argmin, ScalarType::scalar_type,                              \
       kKernel<ExtremeIndex<Smallest, T, false, true>>(sizeof(Found<T>))},      \
      {Reduction::max_index, ScalarType::scalar_type,                           \
       kKernel<ExtremeIndex<Largest, T, true, true>>(sizeof(Found<T>))},        \
  {                                                                             \
    Reduction::min_index, ScalarType::scalar_type,                              \
        kKernel<ExtremeIndex<Smallest, T, true, true>>(sizeof(Found<T>))        \
  }

constexpr ReduceEntry kEntries[] = {
    TSC_EXTREMES(Byte, uint8_t),
    TSC_EXTREMES(Char, int8_t),
    TSC_EXTREMES(Short, int16_t),
    TSC_EXTREMES(Int, int32_t),
    TSC_EXTREMES(Long, int64_t),
    TSC_EXTREMES(Bool, bool),
    TSC_EXTREMES(Float, float),
    TSC_EXTREMES(Double, double),
    {Reduction::any, ScalarType::Bool, kKernel<Logic<true>>(1)},
    {Reduction::all, ScalarType::Bool, kKernel<Logic<false>>(1)},
};
#undef TSC_EXTREMES

}  // namespace

const std::span<const ReduceEntry> kExtremes = kEntries;

}  // namespace tsc::cpu::TSC_ISA
