#include "ops/cpu/matrix/lu.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "ops/cpu/matrix/blas.h"
#include "ops/cpu/matrix/product.h"

namespace tsc::cpu {
namespace {

// The columns of a panel, which are eliminated together, and the columns that one thread updates at
// a time.
constexpr int64_t kPanelColumns = 64;
constexpr int64_t kStripColumns = 96;

int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

// The columns that one thread solves for at a time: several strips, since reading the triangle
// takes time, too.
int64_t solved_columns(int64_t columns) {
  return std::clamp<int64_t>(round_up(columns / 4, 8), 32, 240);
}

template <class T>
constexpr ScalarType kType = std::is_same_v<T, float> ? ScalarType::Float : ScalarType::Double;

// Calls `task` with each number below count, in order, on several threads: a thread that is free
// takes the next number.
void share_tasks(int64_t count, FunctionRef<void(int64_t)> task) {
  if (count == 1) return task(0);
  std::atomic<int64_t> next{0};
  const int64_t workers = std::min<int64_t>(num_threads(), count);
  parallel_chunks(workers, {1, workers}, [&](int64_t, int64_t, int64_t) {
    for (int64_t i = next++; i < count && !interrupt_requested(); i = next++) task(i);
  });
}

// A part of a matrix stored by columns.
template <class T>
struct Part {
  T* data;
  int64_t distance;

  Part from(int64_t row, int64_t column) const { return {at(row, column), distance}; }
  T* at(int64_t row, int64_t column) const { return data + column * distance + row; }
  Matrix matrix() const { return {reinterpret_cast<char*>(data), 1, distance}; }
};

// Exchanges the rows of pivots [begin, end), which count from the part's first row.
template <class T>
void exchange_rows(const Part<T>& part, int64_t columns, const int32_t* pivots, int64_t begin,
                   int64_t end) {
  for (int64_t c = 0; c < columns; c++) {
    T* const column = part.at(0, c);
    for (int64_t k = begin; k < end; k++) std::swap(column[k], column[pivots[k] - 1]);
  }
}
template <class T>
void exchange_rows_back(const Part<T>& part, int64_t columns, const int32_t* pivots,
                        int64_t count) {
  for (int64_t c = 0; c < columns; c++) {
    T* const column = part.at(0, c);
    for (int64_t k = count; k-- > 0;) std::swap(column[k], column[pivots[k] - 1]);
  }
}

// result -= a @ b.
template <class T>
void subtract_product(int64_t m, int64_t n, int64_t k, const Matrix& a, const Part<T>& b,
                      const Part<T>& result) {
  gemm(kType<T>, m, n, k, -1, a, b.matrix(), 1, result.matrix());
}

struct Shape {
  bool lower;
  bool unit;
};

// Solves a x = b for a triangle a; b is replaced by x.
template <class T>
void solve_triangle(const LuKernels& kernels, Shape shape, const Matrix& a, int64_t size,
                    const Part<T>& b, int64_t columns) {
  if (size <= kernels.triangle) {
    if (size > 0) {
      kernels.solve({.size = size,
                     .lower = shape.lower,
                     .unit = shape.unit,
                     .a = a.data,
                     .row_stride = a.row_stride,
                     .column_stride = a.column_stride,
                     .b = reinterpret_cast<char*>(b.data),
                     .b_distance = b.distance,
                     .columns = columns});
    }
    return;
  }
  const int64_t upper = round_up(size / 2, kernels.triangle);
  const int64_t lower = size - upper;
  const Matrix last = a.from(upper, upper, sizeof(T));
  if (shape.lower) {
    solve_triangle(kernels, shape, a, upper, b, columns);
    subtract_product(lower, columns, upper, a.from(upper, 0, sizeof(T)), b, b.from(upper, 0));
    solve_triangle(kernels, shape, last, lower, b.from(upper, 0), columns);
  } else {
    solve_triangle(kernels, shape, last, lower, b.from(upper, 0), columns);
    subtract_product(upper, columns, lower, a.from(0, upper, sizeof(T)), b.from(upper, 0), b);
    solve_triangle(kernels, shape, a, upper, b, columns);
  }
}

// Recursive: halves the columns until they are few. Pivots count from the part's first row.
template <class T>
int64_t factor_part(const LuKernels& kernels, const Part<T>& a, int64_t rows, int64_t columns,
                    int32_t* pivots) {
  if (columns <= kNarrowColumns) {
    return kernels.factor(reinterpret_cast<char*>(a.data), rows, columns, a.distance, pivots);
  }
  const int64_t least = std::min(rows, columns);
  const int64_t left = least <= kNarrowColumns ? least : round_up(least / 2, kNarrowColumns);
  const int64_t right = columns - left;
  const int64_t info = factor_part(kernels, a, rows, left, pivots);
  exchange_rows(a.from(0, left), right, pivots, 0, left);
  solve_triangle(kernels, {.lower = true, .unit = true}, a.matrix(), left, a.from(0, left), right);
  if (rows == left) return info;
  subtract_product(rows - left, right, left, a.from(left, 0).matrix(), a.from(0, left),
                   a.from(left, left));
  const int64_t other = factor_part(kernels, a.from(left, left), rows - left, right, pivots + left);
  exchange_rows(a.from(left, 0), left, pivots + left, 0, least - left);
  for (int64_t k = left; k < least; k++) pivots[k] += static_cast<int32_t>(left);
  return info != 0 || other == 0 ? info : other + left;
}

// Factors a large matrix by panels of columns: several threads update the columns behind a panel,
// and the first goes on to factor the next panel, so that no thread waits for it.
template <class T>
class PanelledLu {
 public:
  PanelledLu(const Part<T>& a, int64_t rows, int64_t columns, int32_t* pivots)
      : a_(a),
        rows_(rows),
        columns_(columns),
        least_(std::min(rows, columns)),
        pivots_(pivots),
        kernels_(*find_lu(kType<T>)),
        gemm_(find_gemm(kType<T>)),
        // Not a whole number of pages: elements of one row would fall into the same cache sets.
        distance_(round_up(rows, kLine) / kLine % 2 == 0 ? round_up(rows, kLine) + kLine
                                                         : round_up(rows, kLine)),
        copies_(reinterpret_cast<T*>(make_room(memory_, 4 * room(), kType<T>))) {
    for (int64_t k = 0; k < least_; k++) pivots[k] = 1;  // to be there when this is interrupted
  }

  int64_t run() {
    factor_panel(0);
    for (int64_t panel = 0; panel < panels() && !interrupt_requested(); panel++) {
      const int64_t rest = std::min((panel + 2) * kPanelColumns, columns_);
      const bool has_next = panel + 1 < panels();
      const int64_t begin = has_next ? std::min(rest, least_) : least_;
      const int64_t strips = round_up(columns_ - begin, kStripColumns) / kStripColumns;
      share_tasks(strips + int64_t(has_next), [&](int64_t task) {
        if (has_next && task == 0) {
          update(panel, width(panel + 1), first(panel + 1));
          factor_panel(panel + 1);
          return;
        }
        const int64_t column = begin + (task - int64_t(has_next)) * kStripColumns;
        update(panel, std::min(kStripColumns, columns_ - column), column);
      });
    }
    if (!interrupt_requested()) exchange_behind();
    for (int64_t k = 0; k < least_; k++) {
      pivots_[k] += static_cast<int32_t>(k / kPanelColumns * kPanelColumns);
    }
    return info_;
  }

 private:
  static constexpr int64_t kLine = 64 / sizeof(T);

  int64_t panels() const { return round_up(least_, kPanelColumns) / kPanelColumns; }
  static int64_t first(int64_t panel) { return panel * kPanelColumns; }
  int64_t width(int64_t panel) const { return std::min(kPanelColumns, least_ - first(panel)); }

  // Two panels live at a time. Each is copied, and then the part below its triangle once more, in
  // the order in which the products read it.
  int64_t room() const { return round_up(distance_, gemm_.block_columns) * kPanelColumns; }
  Part<T> copy_of(int64_t panel) const { return {copies_ + panel % 2 * 2 * room(), distance_}; }
  T* packed(int64_t panel) const { return copies_ + (panel % 2 * 2 + 1) * room(); }

  void factor_panel(int64_t panel) {
    const int64_t begin = first(panel);
    const int64_t columns = width(panel);
    const int64_t rows = rows_ - begin;
    const Part<T> copy = copy_of(panel);
    const auto bytes = static_cast<size_t>(rows) * sizeof(T);
    for (int64_t c = 0; c < columns; c++) {
      std::memcpy(copy.at(0, c), a_.at(begin, begin + c), bytes);
    }
    const int64_t info = factor_part(kernels_, copy, rows, columns, pivots_ + begin);
    if (info != 0 && info_ == 0) info_ = begin + info;
    for (int64_t c = 0; c < columns; c++) {
      std::memcpy(a_.at(begin, begin + c), copy.at(0, c), bytes);
    }
    const int64_t step = gemm_.block_columns;
    T* to = packed(panel);
    for (int64_t row = columns; row < rows; row += step) {
      const auto block = static_cast<size_t>(std::min(step, rows - row)) * sizeof(T);
      for (int64_t c = 0; c < columns; c++, to += step) std::memcpy(to, copy.at(row, c), block);
    }
  }

  // Eliminates a panel's columns from `columns` others.
  void update(int64_t panel, int64_t columns, int64_t column) const {
    const int64_t depth = width(panel);
    const Part<T> part = a_.from(first(panel), column);
    exchange_rows(part, columns, pivots_ + first(panel), 0, depth);
    solve_triangle(kernels_, {.lower = true, .unit = true}, copy_of(panel).matrix(), depth, part,
                   columns);
    const int64_t rows = rows_ - first(panel) - depth;
    const int64_t step = gemm_.block_columns;
    const T minus_one = -1;
    const T one = 1;
    // Transposed, since the kernel's result has contiguous rows.
    for (int64_t row = 0; row < rows; row += step) {
      gemm_.run({.rows = columns,
                 .columns = std::min(step, rows - row),
                 .depth = depth,
                 .a = reinterpret_cast<const char*>(part.data),
                 .a_row_stride = part.distance,
                 .a_column_stride = 1,
                 .b = reinterpret_cast<const char*>(packed(panel) + row * depth),
                 .b_row_stride = step,
                 .result = reinterpret_cast<char*>(part.at(depth + row, 0)),
                 .result_row_stride = part.distance,
                 .alpha = &minus_one,
                 .beta = &one});
    }
  }

  // Applies the row exchanges of later panels to the panels before them.
  void exchange_behind() const {
    const int64_t grain = std::max<int64_t>(1, kParallelGrain / least_);
    parallel_for(0, least_, grain, [&](int64_t begin, int64_t end) {
      for (int64_t column = begin; column < end; column++) {
        for (int64_t panel = column / kPanelColumns + 1; panel < panels(); panel++) {
          exchange_rows(a_.from(first(panel), column), 1, pivots_ + first(panel), 0, width(panel));
        }
      }
    });
  }

  Part<T> a_;
  int64_t rows_;
  int64_t columns_;
  int64_t least_;
  int32_t* pivots_;
  const LuKernels& kernels_;
  GemmKernel gemm_;
  int64_t distance_;
  Memory memory_;
  T* copies_;
  int64_t info_ = 0;
};

template <class T>
Matrix triangle_of(const T* lu, int64_t distance, bool transposed) {
  char* const data = const_cast<char*>(reinterpret_cast<const char*>(lu));
  return transposed ? Matrix{data, distance, 1} : Matrix{data, 1, distance};
}

}  // namespace

template <class T>
int32_t factor_lu(int64_t rows, int64_t columns, T* a, int64_t distance, int32_t* pivots) {
  const Part<T> part{a, distance};
  if (rows == 0 || columns == 0) return 0;
  const int64_t info = rows * columns < kLargeLu || std::min(rows, columns) <= kPanelColumns
                           ? factor_part(*find_lu(kType<T>), part, rows, columns, pivots)
                           : PanelledLu<T>(part, rows, columns, pivots).run();
  return static_cast<int32_t>(info);
}

template <class T>
void solve_lu(bool transposed, int64_t size, int64_t columns, const T* lu, int64_t distance,
              const int32_t* pivots, T* b, int64_t b_distance) {
  const LuKernels& lu_kernels = *find_lu(kType<T>);
  const Matrix a = triangle_of(lu, distance, transposed);
  const int64_t least = 4 * kParallelGrain / std::max<int64_t>(1, size * size);
  const int64_t width = std::max(solved_columns(columns), least);
  share_tasks(round_up(columns, width) / width, [&](int64_t strip) {
    const Part<T> part{b + strip * width * b_distance, b_distance};
    const int64_t count = std::min(width, columns - strip * width);
    if (!transposed) exchange_rows(part, count, pivots, 0, size);
    solve_triangle(lu_kernels, {.lower = true, .unit = !transposed}, a, size, part, count);
    solve_triangle(lu_kernels, {.lower = false, .unit = transposed}, a, size, part, count);
    if (transposed) exchange_rows_back(part, count, pivots, size);
  });
}

template <class T>
void invert_lu(int64_t size, const T* lu, int64_t distance, const int32_t* pivots, T* inverse) {
  const LuKernels& lu_kernels = *find_lu(kType<T>);
  const Matrix a = triangle_of(lu, distance, false);
  const int64_t width = solved_columns(size);
  share_tasks(round_up(size, width) / width, [&](int64_t strip) {
    const int64_t begin = strip * width;
    const int64_t columns = std::min(width, size - begin);
    const Part<T> part{inverse + begin * size, size};
    std::fill_n(part.data, columns * size, T(0));
    for (int64_t c = 0; c < columns; c++) *part.at(begin + c, c) = T(1);
    // The columns of L's inverse are zero above the diagonal.
    solve_triangle(lu_kernels, {.lower = true, .unit = true}, a.from(begin, begin, sizeof(T)),
                   size - begin, part.from(begin, 0), columns);
    solve_triangle(lu_kernels, {.lower = false, .unit = false}, a, size, part, columns);
  });
  for (int64_t k = size; k-- > 0;) {
    const int64_t other = interrupt_requested() ? k : pivots[k] - 1;
    if (other != k) {
      std::swap_ranges(inverse + k * size, inverse + (k + 1) * size, inverse + other * size);
    }
  }
}

template int32_t factor_lu(int64_t, int64_t, float*, int64_t, int32_t*);
template int32_t factor_lu(int64_t, int64_t, double*, int64_t, int32_t*);
template void solve_lu(bool, int64_t, int64_t, const float*, int64_t, const int32_t*, float*,
                       int64_t);
template void solve_lu(bool, int64_t, int64_t, const double*, int64_t, const int32_t*, double*,
                       int64_t);
template void invert_lu(int64_t, const float*, int64_t, const int32_t*, float*);
template void invert_lu(int64_t, const double*, int64_t, const int32_t*, double*);

}  // namespace tsc::cpu
