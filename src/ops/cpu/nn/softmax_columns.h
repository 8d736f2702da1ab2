// softmax and log_softmax of columns that lie side by side, and their gradients: a vector holds as
// many columns as it has lanes.
#pragma once

#include <limits>

#include "ops/cpu/formulas.h"
#include "ops/cpu/nn/softmax_list.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
#include "ops/ufunc/ordering.h"

// Vectors columns wide; `width` columns of the last one exist.
template <class T, int Vectors, bool Partial>
struct ColumnBlock {
  using W = Wide<T>;
  static constexpr int64_t kLanes = W::kLanes;
  // Rows that are added before the sum goes on in double.
  static constexpr int64_t kRows = 128;

  int64_t size;
  int64_t stride;
  int64_t width;

  TSC_INLINE W read(const T* from, int64_t row, int v) const {
    const T* const place = from + row * stride + v * kLanes;
    return Partial ? load_first(place, width) : load(place);
  }
  TSC_INLINE void write(W value, T* to, int64_t row, int v) const {
    T* const place = to + row * stride + v * kLanes;
    if (Partial) {
      store_first(value, place, width);
    } else {
      store(value, place);
    }
  }

  // The sums over rows of f(row, v).
  template <class F>
  TSC_INLINE void sum_rows(double (&totals)[Vectors * kLanes], F f) const {
    for (double& total : totals) total = 0;
    for (int64_t first = 0; first < size; first += kRows) {
      const int64_t last = size - first < kRows ? size : first + kRows;
      W sums[Vectors];
      for (W& sum : sums) sum = W(0);
      for (int64_t row = first; row < last; row++) {
        for (int v = 0; v < Vectors; v++) sums[v] = sums[v] + f(row, v);
      }
      alignas(HWY_MAX_BYTES) T lanes[Vectors * kLanes];
      for (int v = 0; v < Vectors; v++) store(sums[v], lanes + v * kLanes);
      for (int64_t i = 0; i < Vectors * kLanes; i++) totals[i] += static_cast<double>(lanes[i]);
    }
  }

  // f(total) for each column, as vectors.
  template <class F>
  TSC_INLINE void map_totals(W (&to)[Vectors], const double (&totals)[Vectors * kLanes],
                             F f) const {
    alignas(HWY_MAX_BYTES) T lanes[Vectors * kLanes];
    for (int64_t i = 0; i < Vectors * kLanes; i++) lanes[i] = static_cast<T>(f(totals[i]));
    for (int v = 0; v < Vectors; v++) to[v] = load(lanes + v * kLanes);
  }

  TSC_INLINE void find_largest(W (&largest)[Vectors], const T* from) const {
    for (W& vector : largest) vector = W(-std::numeric_limits<T>::infinity());
    for (int64_t row = 0; row < size; row++) {
      for (int v = 0; v < Vectors; v++) {
        largest[v] = ufunc::maximum(largest[v], read(from, row, v));
      }
    }
  }

  TSC_INLINE void exponentials(T* to, double* sums, const T* from) const {
    W largest[Vectors];
    find_largest(largest, from);
    double totals[Vectors * kLanes];
    sum_rows(totals, [&](int64_t row, int v) {
      const W power = exp(read(from, row, v) - largest[v]);
      write(power, to, row, v);
      return power;
    });
    const int64_t columns = Partial ? width : Vectors * kLanes;
    for (int64_t i = 0; i < columns; i++) sums[i] = totals[i];
  }

  TSC_INLINE void divide(T* to, const double* sums) const {
    double totals[Vectors * kLanes];
    const int64_t columns = Partial ? width : Vectors * kLanes;
    for (int64_t i = 0; i < Vectors * kLanes; i++) totals[i] = i < columns ? sums[i] : 1;
    W divisor[Vectors];
    map_totals(divisor, totals, [](double total) { return total; });
    for (int64_t row = 0; row < size; row++) {
      for (int v = 0; v < Vectors; v++) write(read(to, row, v) / divisor[v], to, row, v);
    }
  }

  template <bool Log>
  TSC_INLINE void softmax(T* to, const T* from) const {
    W largest[Vectors];
    find_largest(largest, from);
    double totals[Vectors * kLanes];
    sum_rows(totals, [&](int64_t row, int v) {
      const W power = exp(read(from, row, v) - largest[v]);
      if (!Log) write(power, to, row, v);
      return power;
    });
    W factor[Vectors];
    map_totals(factor, totals, [](double total) { return Log ? __builtin_log(total) : 1 / total; });
    for (int64_t row = 0; row < size; row++) {
      for (int v = 0; v < Vectors; v++) {
        if (Log) {
          write((read(from, row, v) - largest[v]) - factor[v], to, row, v);
        } else {
          write(read(to, row, v) * factor[v], to, row, v);
        }
      }
    }
  }

  template <bool Log>
  TSC_INLINE void backward(T* to, const T* gradient, const T* result) const {
    double totals[Vectors * kLanes];
    sum_rows(totals, [&](int64_t row, int v) {
      const W g = read(gradient, row, v);
      return Log ? g : g * read(result, row, v);
    });
    W sums[Vectors];
    map_totals(sums, totals, [](double total) { return total; });
    for (int64_t row = 0; row < size; row++) {
      for (int v = 0; v < Vectors; v++) {
        const W g = read(gradient, row, v);
        const W y = read(result, row, v);
        write(Log ? g - exp(y) * sums[v] : (g - sums[v]) * y, to, row, v);
      }
    }
  }
};

// Calls f(block, first column) for all columns.
template <class T, class F>
TSC_INLINE void for_each_column_block(int64_t size, int64_t stride, int64_t width, F f) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  constexpr int kVectors = 4;
  int64_t column = 0;
  for (; column + kVectors * kLanes <= width; column += kVectors * kLanes) {
    f(ColumnBlock<T, kVectors, false>{size, stride, kLanes}, column);
  }
  for (; column < width; column += kLanes) {
    const int64_t rest = width - column < kLanes ? width - column : kLanes;
    f(ColumnBlock<T, 1, true>{size, stride, rest}, column);
  }
}

template <class T, bool Log>
TSC_INLINE void columns_forward(char* to, const char* from, int64_t size, int64_t stride,
                                int64_t width) {
  for_each_column_block<T>(size, stride, width, [&](const auto& block, int64_t column) {
    block.template softmax<Log>(reinterpret_cast<T*>(to) + column,
                                reinterpret_cast<const T*>(from) + column);
  });
}
template <class T, bool Log>
TSC_INLINE void columns_backward(char* to, const char* gradient, const char* result, int64_t size,
                                 int64_t stride, int64_t width) {
  for_each_column_block<T>(size, stride, width, [&](const auto& block, int64_t column) {
    block.template backward<Log>(reinterpret_cast<T*>(to) + column,
                                 reinterpret_cast<const T*>(gradient) + column,
                                 reinterpret_cast<const T*>(result) + column);
  });
}

template <class T>
void softmax_columns(char* to, const char* from, int64_t size, int64_t stride, int64_t width) {
  columns_forward<T, false>(to, from, size, stride, width);
}
template <class T>
void column_exponentials(char* to, double* sums, const char* from, int64_t size, int64_t stride,
                         int64_t width) {
  for_each_column_block<T>(size, stride, width, [&](const auto& block, int64_t column) {
    block.exponentials(reinterpret_cast<T*>(to) + column, sums + column,
                       reinterpret_cast<const T*>(from) + column);
  });
}
template <class T>
void divide_columns(char* columns, const double* sums, int64_t size, int64_t stride,
                    int64_t width) {
  for_each_column_block<T>(size, stride, width, [&](const auto& block, int64_t column) {
    block.divide(reinterpret_cast<T*>(columns) + column, sums + column);
  });
}
template <class T>
void log_softmax_columns(char* to, const char* from, int64_t size, int64_t stride, int64_t width) {
  columns_forward<T, true>(to, from, size, stride, width);
}
template <class T>
void softmax_columns_backward(char* to, const char* gradient, const char* result, int64_t size,
                              int64_t stride, int64_t width) {
  columns_backward<T, false>(to, gradient, result, size, stride, width);
}
template <class T>
void log_softmax_columns_backward(char* to, const char* gradient, const char* result, int64_t size,
                                  int64_t stride, int64_t width) {
  columns_backward<T, true>(to, gradient, result, size, stride, width);
}

}  // namespace tsc::cpu::TSC_ISA
