// Factorisations P L U: the innermost loops.
#include <limits>

#include "ops/cpu/groups.h"
#include "ops/cpu/wide.h"

namespace tsc::cpu::TSC_ISA {
namespace {

// The place of the number with the largest magnitude, the first one among equals. As in LAPACK, a
// NaN is never larger than another number, and no number is larger than a NaN that comes first.
template <class T>
TSC_INLINE int64_t find_pivot(const T* column, int64_t count) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  if (column[0] != column[0]) return 0;
  const auto farther = [](Wide<T> a, Wide<T> b) { return select(a < b, b, a); };
  Wide<T> best(0);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) best = farther(best, abs(load(column + i)));
  if (i < count) best = farther(best, abs(load_first(column + i, count - i)));
  const typename Wide<T>::D d;
  const Wide<T> wanted(across_lanes(d, best.v, [](auto a, auto b) { return hn::Max(a, b); }));
  for (i = 0; i + kLanes <= count; i += kLanes) {
    const intptr_t lane = hn::FindFirstTrue(d, (abs(load(column + i)) == wanted).m);
    if (lane >= 0) return i + lane;
  }
  return i + hn::FindFirstTrue(d, (abs(load_first(column + i, count - i)) == wanted).m);
}

// column = column * factor, and the columns behind it lose column * (their element of the row
// above).
template <class T>
TSC_INLINE void eliminate(T* column, int64_t rows, T factor, int64_t others, int64_t distance) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  const Wide<T> scale(factor);
  Wide<T> above[kNarrowColumns];
  for (int64_t c = 0; c < others; c++) above[c] = Wide<T>(-column[(c + 1) * distance - 1]);
  int64_t i = 0;
  for (; i + kLanes <= rows; i += kLanes) {
    T* to = column + i;
    const Wide<T> left = load(to) * scale;
    store(left, to);
    for (int64_t c = 0; c < others; c++) {
      to += distance;
      store(mul_add(left, above[c], load(to)), to);
    }
  }
  if (const int64_t rest = rows - i; rest > 0) {
    T* to = column + i;
    const Wide<T> left = load_first(to, rest) * scale;
    store_first(left, to, rest);
    for (int64_t c = 0; c < others; c++) {
      to += distance;
      store_first(mul_add(left, above[c], load_first(to, rest)), to, rest);
    }
  }
}

template <class T>
void swap_two_rows(T* a, int64_t first, int64_t second, int64_t columns, int64_t distance) {
  for (int64_t c = 0; c < columns; c++, a += distance) {
    const T value = a[first];
    a[first] = a[second];
    a[second] = value;
  }
}

// Singular matrices of two equal rows must be detected, and the reciprocal of a number below this
// bound is infinite.
template <class T>
TSC_INLINE bool is_divided_by(T pivot, int64_t rows) {
  constexpr T kLeast = std::numeric_limits<T>::min();
  return rows == 2 || (pivot < kLeast && pivot > -kLeast);
}

// With so few rows a vector would be mostly empty.
constexpr int64_t kFewRows = 6;

template <class T>
TSC_INLINE int64_t factor_few(T* a, int64_t rows, int64_t columns, int64_t distance,
                              int32_t* pivots) {
  const auto magnitude = [](T value) { return value < 0 ? -value : value; };
  int64_t info = 0;
  for (int64_t j = 0; j < columns && j < rows; j++) {
    T* const column = a + j * distance;
    int64_t pivot = j;
    T largest = magnitude(column[j]);
    for (int64_t i = j + 1; i < rows; i++) {
      const T size = magnitude(column[i]);
      const bool farther = size > largest;
      largest = farther ? size : largest;
      pivot = farther ? i : pivot;
    }
    pivots[j] = static_cast<int32_t>(pivot + 1);
    swap_two_rows(a, j, pivot, columns, distance);
    const T value = column[j];
    if (value == T(0)) {
      if (info == 0) info = j + 1;
    } else if (is_divided_by(value, rows)) {
      for (int64_t i = j + 1; i < rows; i++) column[i] /= value;
    } else {
      const T factor = 1 / value;
      for (int64_t i = j + 1; i < rows; i++) column[i] *= factor;
    }
    T* to = column;
    for (int64_t c = j + 1; c < columns; c++) {
      to += distance;
      for (int64_t i = j + 1; i < rows; i++) to[i] -= column[i] * to[j];
    }
  }
  return info;
}

template <class T>
int64_t factor_narrow(char* bytes, int64_t rows, int64_t columns, int64_t distance,
                      int32_t* pivots) {
  T* const a = reinterpret_cast<T*>(bytes);
  if (rows <= kFewRows) return factor_few(a, rows, columns, distance, pivots);
  int64_t info = 0;
  for (int64_t j = 0; j < columns && j < rows; j++) {
    T* const column = a + j * distance + j;
    const int64_t pivot = find_pivot(column, rows - j);
    pivots[j] = static_cast<int32_t>(j + pivot + 1);
    const T value = column[pivot];
    T factor = 1;
    if (value == T(0)) {
      if (info == 0) info = j + 1;
    } else {
      if (pivot != 0) swap_two_rows(a, j, j + pivot, columns, distance);
      if (is_divided_by(value, rows)) {
        for (int64_t i = 1; i < rows - j; i++) column[i] /= value;
      } else {
        factor = 1 / value;
      }
    }
    eliminate(column + 1, rows - j - 1, factor, columns - j - 1, distance);
  }
  return info;
}

// The columns of a triangle as vectors, without its diagonal.
template <class T>
struct Triangle {
  static constexpr int64_t kLanes = Wide<T>::kLanes;

  TSC_INLINE explicit Triangle(const TriangleTask& task) : size(task.size), lower(task.lower) {
    const T* const a = reinterpret_cast<const T*>(task.a);
    for (int64_t k = 0; k < size; k++) {
      alignas(HWY_MAX_BYTES) T lanes[kLanes] = {};
      const int64_t end = lower ? size : k;
      for (int64_t row = lower ? k + 1 : 0; row < end; row++) {
        lanes[row] = a[row * task.row_stride + k * task.column_stride];
      }
      columns[k] = load(lanes);
      diagonal[k] = task.unit ? T(1) : a[k * (task.row_stride + task.column_stride)];
    }
  }

  int64_t size;
  bool lower;
  Wide<T> columns[kLanes];
  T diagonal[kLanes];
};

// Several columns side by side, since each step waits for the one before.
template <class T, int Columns, class Divide>
TSC_INLINE void solve_columns(const Triangle<T>& triangle, T* b, int64_t distance, Divide divide) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  Wide<T> rest[Columns];
  alignas(HWY_MAX_BYTES) T lanes[Columns][kLanes];
  for (int c = 0; c < Columns; c++) rest[c] = load_first(b + c * distance, triangle.size);
  for (int64_t step = 0; step < triangle.size; step++) {
    const int64_t k = triangle.lower ? step : triangle.size - 1 - step;
    for (int c = 0; c < Columns; c++) store(rest[c], lanes[c]);
    for (int c = 0; c < Columns; c++) {
      const T value = divide(lanes[c][k], k);
      b[c * distance + k] = value;
      rest[c] = mul_add(Wide<T>(-value), triangle.columns[k], rest[c]);
    }
  }
}

template <class T>
TSC_INLINE void solve_few(const TriangleTask& task) {
  const T* const a = reinterpret_cast<const T*>(task.a);
  T* b = reinterpret_cast<T*>(task.b);
  for (int64_t c = 0; c < task.columns; c++, b += task.b_distance) {
    for (int64_t step = 0; step < task.size; step++) {
      const int64_t k = task.lower ? step : task.size - 1 - step;
      const T* const column = a + k * task.column_stride;
      if (!task.unit) b[k] /= column[k * task.row_stride];
      const int64_t end = task.lower ? task.size : k;
      for (int64_t row = task.lower ? k + 1 : 0; row < end; row++) {
        b[row] -= column[row * task.row_stride] * b[k];
      }
    }
  }
}

template <class T>
void solve_narrow(const TriangleTask& task) {
  constexpr int kTogether = 8;
  if (task.size <= kFewRows) return solve_few<T>(task);
  const Triangle<T> triangle(task);
  T* b = reinterpret_cast<T*>(task.b);
  if (task.columns < kTogether) {
    for (int64_t c = 0; c < task.columns; c++, b += task.b_distance) {
      solve_columns<T, 1>(triangle, b, task.b_distance,
                          [&](T value, int64_t k) { return value / triangle.diagonal[k]; });
    }
    return;
  }
  T inverse[Triangle<T>::kLanes];
  for (int64_t k = 0; k < task.size; k++) inverse[k] = 1 / triangle.diagonal[k];
  const auto multiply = [&](T value, int64_t k) { return value * inverse[k]; };
  int64_t c = 0;
  for (; c + kTogether <= task.columns; c += kTogether) {
    solve_columns<T, kTogether>(triangle, b + c * task.b_distance, task.b_distance, multiply);
  }
  for (; c < task.columns; c++) {
    solve_columns<T, 1>(triangle, b + c * task.b_distance, task.b_distance, multiply);
  }
}

template <class T>
constexpr LuKernels kKernels = {factor_narrow<T>, solve_narrow<T>, Wide<T>::kLanes};

}  // namespace

const LuKernels* find_lu(ScalarType type) {
  if (type == ScalarType::Float) return &kKernels<float>;
  if (type == ScalarType::Double) return &kKernels<double>;
  return nullptr;
}

}  // namespace tsc::cpu::TSC_ISA
