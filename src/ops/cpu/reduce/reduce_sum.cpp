// Sums and means.
//
// A block of kBlock elements is summed in 64 (float) or 32 (double) interleaved partial sums, which
// are then added pairwise. The sums of blocks are added with twice the precision. The result is
// the same for every instruction set, because the number of partial sums is.
#include "ops/cpu/groups.h"
#include "ops/cpu/reduce/few_rows.h"
#include "ops/cpu/reduce/join_lanes.h"
#include "ops/cpu/wide_math.h"

namespace tsc::cpu::TSC_ISA {
namespace {

constexpr int64_t kBlockBytes = 16384;
// The number of rows of columns that are added before the sums are added to the states.
constexpr int64_t kBlockRows = 32;

struct Plain {
  template <class T>
  static TSC_INLINE Wide<T> map(Wide<T> x) {
    return x;
  }
};
struct NanIsZero {
  template <class T>
  static TSC_INLINE Wide<T> map(Wide<T> x) {
    return select(is_nan(x), Wide<T>(0), x);
  }
};

// The sum of the sums of blocks: for floats in double.
template <class T>
struct Total {
  double sum;

  TSC_INLINE void add(double value) { sum += value; }
  TSC_INLINE void add(const Total& other) { sum += other.sum; }
  TSC_INLINE double value() const { return sum; }
};
// For doubles with the rounding errors of its additions (D. E. Knuth, The Art of Computer
// Programming 2, 4.2.2, theorem B).
template <>
struct Total<double> {
  double sum;
  double error;

  TSC_INLINE void add(double value) {
    const double next = sum + value;
    const double kept = next - value;
    error += (sum - kept) + (value - (next - kept));
    sum = next;
  }
  TSC_INLINE void add(const Total& other) {
    add(other.sum);
    error += other.error;
  }
  // With infinities and NaN the error is meaningless.
  TSC_INLINE double value() const { return sum - sum == 0 ? sum + error : sum; }
};

// One total for real numbers, two for the parts of complex ones.
template <class T, int Parts>
struct SumState {
  Total<T> part[Parts];
};

// Adds halves of the vector until there are two lanes.
template <class D, class V>
TSC_INLINE void add_halves(D d, V vector, hn::TFromD<D>* two) {
  if constexpr (hn::MaxLanes(D()) == 2) {
    hn::StoreU(vector, d, two);
  } else {
    const hn::Half<D> half;
    add_halves(half, hn::Add(hn::LowerHalf(half, vector), hn::UpperHalf(half, vector)), two);
  }
}

// The partial sums of up to kBlockBytes of elements, those that a vector holds.
template <class Map, class T>
TSC_INLINE Wide<T> sum_block(const T* from, int64_t count) {
  constexpr int64_t kPartials = 256 / sizeof(T);
  constexpr int64_t kLanes = Wide<T>::kLanes;
  constexpr int64_t kVectors = kPartials / kLanes;
  Wide<T> sums[kVectors];
  for (int64_t v = 0; v < kVectors; v++) sums[v] = Wide<T>(0);
  int64_t i = 0;
  for (; i + kPartials <= count; i += kPartials) {
    for (int64_t v = 0; v < kVectors; v++) {
      sums[v] = sums[v] + Map::map(load(from + i + v * kLanes));
    }
  }
  for (int64_t v = 0; v < kVectors && i < count; v++, i += kLanes) {
    if (i + kLanes <= count) {
      sums[v] = sums[v] + Map::map(load(from + i));
    } else {
      sums[v] = sums[v] + Map::map(load_first(from + i, count - i));
    }
  }
  for (int64_t half = kVectors / 2; half > 0; half /= 2) {
    for (int64_t v = 0; v < half; v++) sums[v] = sums[v] + sums[v + half];
  }
  return sums[0];
}

// Adds the last two partial sums of a block, or, of complex numbers, the one of each part.
template <class T, int Parts>
TSC_INLINE void add_lanes(SumState<T, Parts>& state, const T* lanes) {
  if constexpr (Parts == 1) {
    state.part[0].add(static_cast<double>(lanes[0]) + static_cast<double>(lanes[1]));
  } else {
    state.part[0].add(static_cast<double>(lanes[0]));
    state.part[1].add(static_cast<double>(lanes[1]));
  }
}

template <class Map, class T, int Parts>
void sum_run(char* state, const char* tile, int64_t count, int64_t, const ReduceParameters&) {
  constexpr int64_t kBlock = kBlockBytes / sizeof(T);
  auto& sums = *reinterpret_cast<SumState<T, Parts>*>(state);
  const T* from = reinterpret_cast<const T*>(tile);
  for (int64_t rest = count * Parts; rest > 0; rest -= kBlock, from += kBlock) {
    T lanes[2];
    add_halves(typename Wide<T>::D(), sum_block<Map>(from, rest < kBlock ? rest : kBlock).v, lanes);
    add_lanes(sums, lanes);
  }
}

template <class Map, class T, int Parts>
void sum_rows(char* states, const char* rows, int64_t row_stride, int64_t row_count, int64_t count,
              const ReduceParameters&) {
  static_assert(kMostInRow * Parts * sizeof(T) <= kBlockBytes);
  auto* const sums = reinterpret_cast<SumState<T, Parts>*>(states);
  for_each_joined<T>(
      row_count,
      [&](int64_t row) {
        return sum_block<Map>(reinterpret_cast<const T*>(rows + row * row_stride), count * Parts);
      },
      [](Wide<T> a, Wide<T> b) { return a + b; },
      [&](int64_t row, const T* lanes) { add_lanes(sums[row], lanes); });
}

template <class Map, class T, int Vectors>
TSC_INLINE void add_columns(Total<T>* totals, const char* rows, int64_t row_stride,
                            int64_t row_count, int64_t width) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  Wide<T> sums[Vectors];
  for (auto& sum : sums) sum = Wide<T>(0);
  for (int64_t row = 0; row < row_count; row++, rows += row_stride) {
    const T* const from = reinterpret_cast<const T*>(rows);
    for (int64_t v = 0; v < Vectors; v++) {
      sums[v] = sums[v] + Map::map(Vectors > 1 || width == kLanes ? load(from + v * kLanes)
                                                                  : load_first(from, width));
    }
  }
  alignas(HWY_MAX_BYTES) T lanes[Vectors * kLanes];
  for (int64_t v = 0; v < Vectors; v++) store(sums[v], lanes + v * kLanes);
  for (int64_t i = 0; i < width; i++) totals[i].add(static_cast<double>(lanes[i]));
}

template <class Map, class T, int Parts>
void sum_columns(char* states, const char* rows, int64_t row_stride, int64_t row_count,
                 int64_t column_count, int64_t) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  constexpr int64_t kVectors = 4;
  auto* const totals = reinterpret_cast<Total<T>*>(states);
  const int64_t columns = column_count * Parts;
  for (int64_t row = 0; row < row_count; row += kBlockRows) {
    const int64_t height = row_count - row < kBlockRows ? row_count - row : kBlockRows;
    const char* const block = rows + row * row_stride;
    int64_t column = 0;
    for (; column + kVectors * kLanes <= columns; column += kVectors * kLanes) {
      add_columns<Map, T, kVectors>(totals + column,
                                    block + column * static_cast<int64_t>(sizeof(T)), row_stride,
                                    height, kVectors * kLanes);
    }
    for (; column < columns; column += kLanes) {
      add_columns<Map, T, 1>(totals + column, block + column * static_cast<int64_t>(sizeof(T)),
                             row_stride, height,
                             columns - column < kLanes ? columns - column : kLanes);
    }
  }
}

// Adds both vectors' lanes to totals side by side.
TSC_INLINE void add_lanes_of(Total<float>* totals, Wide<float> first, Wide<float> second) {
  static_assert(sizeof(Total<float>) == sizeof(double));
  double* const low = &totals->sum;
  double* const high = low + Wide<double>::kLanes;
  store(load(low) + (detail::lower_doubles(first) + detail::lower_doubles(second)), low);
  store(load(high) + (detail::upper_doubles(first) + detail::upper_doubles(second)), high);
}

// Adds in the order of add_block, where each row is a partial sum.
template <class Map, class T, int Parts>
void sum_few(char* states, const char* rows, int64_t row_stride, int64_t row_count,
             int64_t column_count, const ReduceParameters&) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  auto* const totals = reinterpret_cast<Total<T>*>(states);
  for (int64_t column = 0; column < column_count * Parts; column += kLanes) {
    const int64_t rest = column_count * Parts - column;
    const int64_t width = rest < kLanes ? rest : kLanes;
    Wide<T> sums[kFewRows];
    for (int64_t row = 0; row < row_count; row++) {
      const T* const from = reinterpret_cast<const T*>(rows + row * row_stride) + column;
      sums[row] = Wide<T>(0) + Map::map(width == kLanes ? load(from) : load_first(from, width));
    }
    // Of complex numbers, two partial sums of a block are one row.
    constexpr int64_t kLast = Parts == 1 ? 2 : 1;
    join_rows<kLast>(sums, row_count, [](Wide<T> a, Wide<T> b) { return a + b; });
    const bool has_two = kLast == 2 && row_count > 1;
    if constexpr (std::is_same_v<T, float>) {
      if (width == kLanes) {
        add_lanes_of(totals + column, sums[0], has_two ? sums[1] : Wide<T>(0));
        continue;
      }
    }
    alignas(HWY_MAX_BYTES) T lanes[2][kLanes] = {};
    store(sums[0], lanes[0]);
    if (has_two) store(sums[1], lanes[1]);
    for (int64_t i = 0; i < width; i++) {
      totals[column + i].add(static_cast<double>(lanes[0][i]) + static_cast<double>(lanes[1][i]));
    }
  }
}

template <class T, int Parts>
void sum_start(char* states, int64_t count) {
  std::memset(states, 0, static_cast<size_t>(count) * sizeof(SumState<T, Parts>));
}

template <class T, int Parts>
void sum_merge(char* state, const char* other) {
  auto* const totals = reinterpret_cast<Total<T>*>(state);
  const auto* const others = reinterpret_cast<const Total<T>*>(other);
  for (int part = 0; part < Parts; part++) totals[part].add(others[part]);
}

template <class T, int Parts, bool Mean>
void sum_finish(char* const* results, const char* states, int64_t count,
                const ReduceParameters& parameters) {
  const auto* const totals = reinterpret_cast<const Total<T>*>(states);
  T* const to = reinterpret_cast<T*>(results[0]);
  for (int64_t i = 0; i < count * Parts; i++) {
    double value = totals[i].value();
    if (Mean) value /= static_cast<double>(parameters.count);
    to[i] = static_cast<T>(value);
  }
}

template <class Map, class T, int Parts, bool Mean>
constexpr ReduceKernel kSumKernel = {sizeof(SumState<T, Parts>), sum_start<T, Parts>,
                                     sum_run<Map, T, Parts>,     sum_columns<Map, T, Parts>,
                                     sum_few<Map, T, Parts>,     sum_merge<T, Parts>,
                                     sum_finish<T, Parts, Mean>, sum_rows<Map, T, Parts>};

// Integers wrap.
void integer_start(char* states, int64_t count) {
  for (int64_t i = 0; i < count; i++) reinterpret_cast<uint64_t*>(states)[i] = 0;
}
void integer_run(char* state, const char* tile, int64_t count, int64_t, const ReduceParameters&) {
  const auto* const from = reinterpret_cast<const uint64_t*>(tile);
  uint64_t sum = 0;
  for (int64_t i = 0; i < count; i++) sum += from[i];
  *reinterpret_cast<uint64_t*>(state) += sum;
}
void integer_columns(char* states, const char* rows, int64_t row_stride, int64_t row_count,
                     int64_t column_count, int64_t) {
  auto* const sums = reinterpret_cast<uint64_t*>(states);
  for (int64_t row = 0; row < row_count; row++, rows += row_stride) {
    const auto* const from = reinterpret_cast<const uint64_t*>(rows);
    for (int64_t i = 0; i < column_count; i++) sums[i] += from[i];
  }
}
void integer_merge(char* state, const char* other) {
  *reinterpret_cast<uint64_t*>(state) += *reinterpret_cast<const uint64_t*>(other);
}
void integer_finish(char* const* results, const char* states, int64_t count,
                    const ReduceParameters&) {
  std::memcpy(results[0], states, static_cast<size_t>(count) * sizeof(uint64_t));
}

constexpr ReduceEntry kEntries[] = {
    {Reduction::sum, ScalarType::Float, kSumKernel<Plain, float, 1, false>},
    {Reduction::sum, ScalarType::Double, kSumKernel<Plain, double, 1, false>},
    {Reduction::sum, ScalarType::ComplexFloat, kSumKernel<Plain, float, 2, false>},
    {Reduction::sum, ScalarType::ComplexDouble, kSumKernel<Plain, double, 2, false>},
    {Reduction::sum,
     ScalarType::Long,
     {sizeof(uint64_t), integer_start, integer_run, integer_columns, fold_few<integer_columns>,
      integer_merge, integer_finish}},
    {Reduction::nansum, ScalarType::Float, kSumKernel<NanIsZero, float, 1, false>},
    {Reduction::nansum, ScalarType::Double, kSumKernel<NanIsZero, double, 1, false>},
    {Reduction::mean, ScalarType::Float, kSumKernel<Plain, float, 1, true>},
    {Reduction::mean, ScalarType::Double, kSumKernel<Plain, double, 1, true>},
    {Reduction::mean, ScalarType::ComplexFloat, kSumKernel<Plain, float, 2, true>},
    {Reduction::mean, ScalarType::ComplexDouble, kSumKernel<Plain, double, 2, true>},
};

}  // namespace

const std::span<const ReduceEntry> kSums = kEntries;

}  // namespace tsc::cpu::TSC_ISA
