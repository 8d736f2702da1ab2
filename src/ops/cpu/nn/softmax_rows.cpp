// softmax and log_softmax of one contiguous row, and their gradients; the table of all of them.
//
// A row that fits the first-level cache is read three times there: for its largest element, for the
// exponentials, whose sum it gives, and to scale. A longer row is bound by memory: its blocks give
// their own largest element and sum in one pass, and a second pass computes the exponentials anew.
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/nn/softmax_columns.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

template <class T>
constexpr T kLowest = -std::numeric_limits<T>::infinity();

// Folds f(vector, lanes valid) over a row; unused lanes of the last vector come as `filler`.
template <class T, class F>
TSC_INLINE void for_each_vector(const T* row, int64_t count, T filler, F f) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) f(load(row + i), i);
  if (i < count) {
    const Mask<T> valid{hn::FirstN(typename Wide<T>::D(), static_cast<size_t>(count - i))};
    f(select(valid, load_first(row + i, count - i), Wide<T>(filler)), i);
  }
}

template <class T>
TSC_INLINE T add_lanes(Wide<T> vector) {
  return across_lanes(typename Wide<T>::D(), vector.v,
                      [](auto a, auto b) { return hn::Add(a, b); });
}

// The result for a row with a NaN does not matter: the sum of its exponentials is NaN.
template <class T>
TSC_INLINE T largest_of(const T* row, int64_t count) {
  using W = Wide<T>;
  W best(kLowest<T>);
  for_each_vector(row, count, kLowest<T>, [&](W x, int64_t) { best.v = hn::Max(best.v, x.v); });
  return across_lanes(typename W::D(), best.v, [](auto a, auto b) { return hn::Max(a, b); });
}

// The largest element of a row, and the sum of exp(x - largest).
template <class T>
struct RowSum {
  T largest;
  double sum;
};

template <class T>
TSC_INLINE RowSum<T> sum_block(const T* row, int64_t count) {
  using W = Wide<T>;
  const T largest = largest_of(row, count);
  const W shift(largest);
  W sum(0);
  for_each_vector(row, count, kLowest<T>, [&](W x, int64_t) { sum = sum + exp(x - shift); });
  return {largest, static_cast<double>(add_lanes(sum))};
}

template <class T>
constexpr int64_t kBlock = 16384 / sizeof(T);

template <class T>
RowSum<T> merge(RowSum<T> a, RowSum<T> b) {
  if (!(a.largest >= b.largest)) {
    const RowSum<T> swap = a;
    a = b;
    b = swap;
  }
  // Equal infinities would give NaN as their difference.
  const double share =
      a.largest == b.largest
          ? 1.0
          : __builtin_exp(static_cast<double>(b.largest) - static_cast<double>(a.largest));
  return {a.largest, a.sum + b.sum * share};
}

// One part of a row, which may be all of it.
template <class T>
void row_sum(void* to, const char* bytes, int64_t count) {
  const T* const row = reinterpret_cast<const T*>(bytes);
  RowSum<T> total = sum_block(row, count < kBlock<T> ? count : kBlock<T>);
  for (int64_t i = kBlock<T>; i < count; i += kBlock<T>) {
    total = merge(total, sum_block(row + i, count - i < kBlock<T> ? count - i : kBlock<T>));
  }
  *static_cast<SoftmaxSum*>(to) = {static_cast<double>(total.largest), total.sum,
                                   __builtin_log(total.sum)};
}

template <class T, class F>
TSC_INLINE void map_row(T* to, const T* row, int64_t count, F f) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(f(load(row + i)), to + i);
  if (i < count) store_first(f(load_first(row + i, count - i)), to + i, count - i);
}

template <class T>
void softmax_apply(char* to, const char* row, int64_t count, const SoftmaxSum& total) {
  using W = Wide<T>;
  const W shift(total.largest);
  const W scale(1.0 / total.sum);
  map_row(reinterpret_cast<T*>(to), reinterpret_cast<const T*>(row), count,
          [&](W x) { return exp(x - shift) * scale; });
}

template <class T>
SoftmaxSum exponentials(char* to_bytes, const char* bytes, int64_t count) {
  using W = Wide<T>;
  T* const to = reinterpret_cast<T*>(to_bytes);
  const T* const row = reinterpret_cast<const T*>(bytes);
  const T largest = largest_of(row, count);
  const W shift(largest);
  double total = 0;
  for (int64_t begin = 0; begin < count; begin += kBlock<T>) {
    const int64_t length = count - begin < kBlock<T> ? count - begin : kBlock<T>;
    W sum(0);
    for_each_vector(row + begin, length, kLowest<T>, [&](W x, int64_t i) {
      const W power = exp(x - shift);
      sum = sum + power;
      if (i + W::kLanes <= length) {
        store(power, to + begin + i);
      } else {
        store_first(power, to + begin + i, length - i);
      }
    });
    total += static_cast<double>(add_lanes(sum));
  }
  return {.largest = static_cast<double>(largest), .sum = total};
}

template <class T>
void softmax_row(char* to_bytes, const char* bytes, int64_t count) {
  if (count > kBlock<T>) {
    SoftmaxSum total;
    row_sum<T>(&total, bytes, count);
    softmax_apply<T>(to_bytes, bytes, count, total);
    return;
  }
  using W = Wide<T>;
  T* const to = reinterpret_cast<T*>(to_bytes);
  const W scale(1.0 / exponentials<T>(to_bytes, bytes, count).sum);
  map_row(to, to, count, [&](W x) { return x * scale; });
}

// The largest is subtracted first: if it is large, adding the logarithm to it would lose precision.
template <class T>
void log_softmax_apply(char* to, const char* row, int64_t count, const SoftmaxSum& total) {
  using W = Wide<T>;
  const W shift(total.largest);
  const W log_sum(total.log_sum);
  map_row(reinterpret_cast<T*>(to), reinterpret_cast<const T*>(row), count,
          [&](W x) { return (x - shift) - log_sum; });
}

template <class T>
void log_softmax_row(char* to, const char* row, int64_t count) {
  SoftmaxSum total;
  row_sum<T>(&total, row, count);
  log_softmax_apply<T>(to, row, count, total);
}

template <class T, class F>
TSC_INLINE T sum_pairs(const T* a, const T* b, int64_t count, F f) {
  using W = Wide<T>;
  constexpr int64_t kLanes = W::kLanes;
  double total = 0;
  for (int64_t begin = 0; begin < count; begin += kBlock<T>) {
    const int64_t end = count - begin < kBlock<T> ? count : begin + kBlock<T>;
    W sum(0);
    int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) sum = sum + f(load(a + i), load(b + i));
    // Lanes that are not there give f(0, 0) = 0.
    if (i < end) sum = sum + f(load_first(a + i, end - i), load_first(b + i, end - i));
    total += static_cast<double>(add_lanes(sum));
  }
  return static_cast<T>(total);
}

template <class T, class F>
TSC_INLINE void map_pairs(T* to, const T* a, const T* b, int64_t count, F f) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(f(load(a + i), load(b + i)), to + i);
  if (i < count) {
    store_first(f(load_first(a + i, count - i), load_first(b + i, count - i)), to + i, count - i);
  }
}

// (g - sum(g * y)) * y for the gradient g of the result y.
template <class T>
void softmax_backward_row(char* to, const char* g_bytes, const char* y_bytes, int64_t count) {
  using W = Wide<T>;
  const T* const g = reinterpret_cast<const T*>(g_bytes);
  const T* const y = reinterpret_cast<const T*>(y_bytes);
  const W sum(sum_pairs(g, y, count, [](W a, W b) { return a * b; }));
  map_pairs(reinterpret_cast<T*>(to), g, y, count, [&](W a, W b) { return (a - sum) * b; });
}

// g - exp(y) * sum(g).
template <class T>
void log_softmax_backward_row(char* to, const char* g_bytes, const char* y_bytes, int64_t count) {
  using W = Wide<T>;
  const T* const g = reinterpret_cast<const T*>(g_bytes);
  const T* const y = reinterpret_cast<const T*>(y_bytes);
  const W sum(sum_pairs(g, y, count, [](W a, W) { return a; }));
  map_pairs(reinterpret_cast<T*>(to), g, y, count, [&](W a, W b) { return a - exp(b) * sum; });
}

template <class T>
constexpr SoftmaxKernels kKernels = {
    .softmax = softmax_row<T>,
    .log_softmax = log_softmax_row<T>,
    .exponentials = exponentials<T>,
    .sum = row_sum<T>,
    .softmax_apply = softmax_apply<T>,
    .log_softmax_apply = log_softmax_apply<T>,
    .softmax_backward = softmax_backward_row<T>,
    .log_softmax_backward = log_softmax_backward_row<T>,
    .softmax_columns = softmax_columns<T>,
    .column_exponentials = column_exponentials<T>,
    .divide_columns = divide_columns<T>,
    .log_softmax_columns = log_softmax_columns<T>,
    .softmax_columns_backward = softmax_columns_backward<T>,
    .log_softmax_columns_backward = log_softmax_columns_backward<T>,
};

}  // namespace

const SoftmaxKernels* find_softmax(ScalarType compute) {
  static constexpr SoftmaxKernels kOfFloat = kKernels<float>;
  static constexpr SoftmaxKernels kOfDouble = kKernels<double>;
  if (compute == ScalarType::Float) return &kOfFloat;
  if (compute == ScalarType::Double) return &kOfDouble;
  return nullptr;
}

}  // namespace tsc::cpu::TSC_ISA
