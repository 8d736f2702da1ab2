#include "ops/cpu/matrix/product.h"
#include "ops/cpu/pointwise/arithmetic_list.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/system/interrupt.h"
#include "core/system/parallel.h"

namespace tsc::cpu {

namespace {

// The units by which threads share rows and columns: whole blocks of registers.
constexpr int64_t kRowUnit = 48;
constexpr int64_t kColumnUnit = 64;
constexpr int64_t kSmallRowUnit = 6;

// The product of a strip of a's rows and of b's columns, given as matrices that begin there.
GemmTask make_task(const Product& product, const Matrix& a, const Matrix& b, const Matrix& result,
                   int64_t rows, int64_t columns) {
  return {.rows = rows,
          .columns = columns,
          .depth = product.k,
          .a = a.data,
          .a_row_stride = a.row_stride,
          .a_column_stride = a.column_stride,
          .b = b.data,
          .b_row_stride = b.row_stride,
          .result = result.data,
          .result_row_stride = result.row_stride,
          .alpha = product.alpha.bytes.data(),
          .beta = product.beta.bytes.data()};
}

int64_t units_of(int64_t count, int64_t unit) { return (count + unit - 1) / unit; }

}  // namespace

namespace {
// Multiplications.
constexpr int64_t kWorkBetweenPolls = 1 << 22;
}  // namespace

void small_product(const Product& product) {
  const int64_t size = product.size();
  Memory packed;
  Matrix b = product.b;
  if (product.n > 1 && b.column_stride != 1) {
    b = {make_room(packed, product.k * product.n, product.type), product.n, 1};
    copy_matrix(product.type, b, product.type, product.b, product.k, product.n);
  }
  const GemmKernel kernel = find_gemm(product.type);
  const auto run = [&](int64_t first, int64_t last, int64_t column, int64_t column_end) {
    const int64_t row_work = std::max<int64_t>(1, product.k * (column_end - column));
    const int64_t unit = kernel.block_columns > 0 ? kRowUnit : 1;
    const int64_t rows = units_of(kWorkBetweenPolls / row_work + 1, unit) * unit;
    for (int64_t row = first; row < last; row += rows) {
      throw_if_interrupted();
      kernel.run(make_task(product, product.a.from(row, 0, size), b.from(0, column, size),
                           product.result.from(row, column, size), std::min(rows, last - row),
                           column_end - column));
    }
  };
  const int64_t work = 4 * kParallelGrain / std::max<int64_t>(1, product.k);
  if (product.m >= product.n / 8) {
    const int64_t grain = std::max<int64_t>(1, work / (product.n * kSmallRowUnit));
    parallel_for(0, units_of(product.m, kSmallRowUnit), grain, [&](int64_t begin, int64_t end) {
      run(begin * kSmallRowUnit, std::min(end * kSmallRowUnit, product.m), 0, product.n);
    });
  } else {
    const int64_t grain = std::max<int64_t>(1, work / (product.m * kColumnUnit));
    parallel_for(0, units_of(product.n, kColumnUnit), grain, [&](int64_t begin, int64_t end) {
      run(0, product.m, begin * kColumnUnit, std::min(end * kColumnUnit, product.n));
    });
  }
}

namespace {

// A panel of b is as wide as a block of registers, and packed; while it is multiplied by kBlockRows
// rows of a, it stays in the first- or second-level cache, and these rows in the next.
constexpr int64_t kBlockDepth = 512;
constexpr int64_t kBlockRows = 240;

// The part of a result that one thread computes.
class BlockedPart {
 public:
  // The number of elements that packing needs.
  static int64_t room(int64_t columns, int64_t depth) {
    depth = std::min(depth, kBlockDepth);
    return units_of(columns, kColumnUnit) * kColumnUnit * depth + kBlockRows * depth;
  }

  // `strip` begins at the part's first row and column. `packed` has room for it.
  BlockedPart(Product strip, char* packed)
      : strip_(strip),
        size_(strip_.size()),
        kernel_(find_gemm(strip_.type)),
        one_(strip_.type, {Scalar(1)}),
        b_(packed) {}

  void run() {
    Product slice = strip_;
    for (int64_t k = 0; k < strip_.k; k += kBlockDepth) {
      slice.k = std::min(kBlockDepth, strip_.k - k);
      slice.a = strip_.a.from(0, k, size_);
      slice.b = strip_.b.from(k, 0, size_);
      if (k > 0) slice.beta = one_;
      add(slice);
    }
  }

 private:
  int64_t width(int64_t column) const { return std::min(kernel_.block_columns, strip_.n - column); }
  char* panel(int64_t column, int64_t depth) const { return b_ + column * depth * size_; }

  void add(const Product& slice) const {
    pack(slice);
    char* const packed_a =
        panel(units_of(slice.n, kernel_.block_columns) * kernel_.block_columns, slice.k);
    for (int64_t i = 0; i < slice.m; i += kBlockRows) {
      const int64_t rows = std::min(kBlockRows, slice.m - i);
      Matrix a = slice.a.from(i, 0, size_);
      if (!readable_in_place(a)) {
        const Matrix copy{packed_a, slice.k, 1};
        copy_matrix(slice.type, copy, slice.type, a, rows, slice.k);
        a = copy;
      }
      for (int64_t j = 0; j < slice.n; j += kernel_.block_columns) {
        throw_if_interrupted();
        const Matrix b{panel(j, slice.k), kernel_.block_columns, 1};
        kernel_.run(make_task(slice, a, b, slice.result.from(i, j, size_), rows, width(j)));
      }
    }
  }

  // In rows, or in columns so short that a page of memory holds several of them.
  bool readable_in_place(const Matrix& a) const {
    constexpr int64_t kShortColumn = 1024;  // bytes
    return a.column_stride == 1 || (a.row_stride == 1 && a.column_stride * size_ < kShortColumn);
  }

  // By whole rows where b has them: memory is fastest when read sequentially.
  void pack(const Product& slice) const {
    const int64_t step = kernel_.block_columns;
    if (slice.b.column_stride != 1) {
      for (int64_t j = 0; j < slice.n; j += step) {
        copy_matrix(slice.type, {panel(j, slice.k), step, 1}, slice.type, slice.b.from(0, j, size_),
                    slice.k, width(j));
      }
      return;
    }
    for (int64_t k = 0; k < slice.k; k++) {
      throw_if_interrupted();
      const char* const row = slice.b.from(k, 0, size_).data;
      for (int64_t j = 0; j < slice.n; j += step) {
        std::memcpy(panel(j, slice.k) + k * step * size_, row + j * size_,
                    static_cast<size_t>(width(j) * size_));
      }
    }
  }

  Product strip_;
  int64_t size_;
  GemmKernel kernel_;
  Parameters one_;
  char* b_;
};

}  // namespace

namespace {

// For a small result of long sums, the sums are divided among threads. The cuts depend on the sums'
// length alone, so that the result does not depend on the number of threads.
constexpr int64_t kSmallResult = 64 * 64;
constexpr int64_t kLongestPart = 8 * kBlockDepth;

// Sums over runs of a and b, of which b's are not worth packing for few rows of a. Slices of the runs
// stay in the second-level cache, those of a block's columns in the first.
constexpr int64_t kLeastRun = 64;
constexpr int64_t kMostRowsOfDots = 48;
constexpr int64_t kColumnsOfDots = 4;
constexpr int64_t kDepthOfDots = 2048;
// So many columns are enough for all threads.
constexpr int64_t kManyColumnsOfDots = 64;

void product_of_dots(const Product& product) {
  const GemmKernel kernel = find_gemm(product.type);
  const Parameters one(product.type, {Scalar(1)});
  const int64_t size = product.size();
  const int64_t grain =
      std::max<int64_t>(1, kParallelGrain / (product.m * product.k * kColumnsOfDots));
  parallel_for(0, units_of(product.n, kColumnsOfDots), grain, [&](int64_t begin, int64_t end) {
    Product slice = product;
    for (int64_t k = 0; k < product.k; k += kDepthOfDots) {
      slice.k = std::min(kDepthOfDots, product.k - k);
      if (k > 0) slice.beta = one;
      for (int64_t column = begin * kColumnsOfDots;
           column < std::min(end * kColumnsOfDots, product.n); column += kColumnsOfDots) {
        throw_if_interrupted();
        Matrix b = product.b.from(k, column, size);
        std::swap(b.row_stride, b.column_stride);
        kernel.run_dots(make_task(slice, product.a.from(0, k, size), b,
                                  product.result.from(0, column, size), product.m,
                                  std::min(kColumnsOfDots, product.n - column)));
      }
    }
  });
}

void product_by_parts(const Product& product) {
  const int64_t size = product.size();
  const int64_t elements = product.m * product.n;
  const Chunks parts{kLongestPart, units_of(product.k, kLongestPart)};
  const bool of_dots = is_of_dots(product);  // which needs no room
  const int64_t room = of_dots ? 0 : BlockedPart::room(product.n, kBlockDepth);
  Memory sums_memory;
  Memory packed_memory;
  char* const sums = make_room(sums_memory, elements * parts.number, product.type);
  char* const packed = make_room(packed_memory, room * parts.number, product.type);
  const Parameters zero(product.type, {Scalar(0)});
  const Parameters one(product.type, {Scalar(1)});
  parallel_chunks(product.k, parts, [&](int64_t part, int64_t begin, int64_t end) {
    Product slice = product;
    slice.k = end - begin;
    slice.a = product.a.from(0, begin, size);
    slice.b = product.b.from(begin, 0, size);
    if (part > 0) {  // the first adds to the old result, where that is kept
      slice.beta = zero;
      slice.result = {sums + part * elements * size, product.n, 1};
    }
    if (of_dots) {
      product_of_dots(slice);
    } else {
      BlockedPart(slice, packed + part * room * size).run();
    }
  });
  const std::array<ScalarType, 3> types{product.type, product.type, product.type};
  const ElementwiseLoop add(ufuncs::add, product.type, types, one.bytes.data());
  for (int64_t part = 1; part < parts.number; part++) {
    char* data[] = {product.result.data, product.result.data, sums + part * elements * size};
    const int64_t row = product.result.row_stride * size;
    const int64_t strides[] = {size, size, size, row, row, product.n * size};
    add(data, strides, product.n, product.m);
  }
}

}  // namespace

namespace {

// Columns whose packing costs little beside a product with as many rows.
constexpr int64_t kFewColumns = 512;

// The largest thread's part of `count` rows or columns, of all.
double largest_part(int64_t count, int64_t unit) {
  const int64_t share = units_of(units_of(count, unit), num_threads());
  return static_cast<double>(std::min(share * unit, count)) / static_cast<double>(count);
}

}  // namespace

bool is_of_dots(const Product& product) {
  return product.k >= kLeastRun && product.m <= std::min(kMostRowsOfDots, product.k / 16) &&
         product.a.column_stride == 1 && product.b.row_stride == 1 &&
         find_gemm(product.type).run_dots != nullptr;
}

void blocked_product(const Product& product) {
  const bool of_dots = is_of_dots(product);
  if (product.m * product.n <= kSmallResult && product.k > kLongestPart &&
      !(of_dots && product.n >= kManyColumnsOfDots)) {
    return product_by_parts(product);
  }
  if (of_dots) {
    return product_of_dots(product);
  }
  // Each thread gets columns, and packs its own, or rows where there are many more of these, or
  // where they make more even parts of few columns.
  const bool has_more_rows = product.n < product.m / 4;
  const bool by_rows =
      has_more_rows || (product.n < kFewColumns && largest_part(product.m, kSmallRowUnit) * 11 <
                                                       largest_part(product.n, kColumnUnit) * 10);
  const bool by_columns = !by_rows;
  const int64_t unit = by_columns ? kColumnUnit : has_more_rows ? kRowUnit : kSmallRowUnit;
  const int64_t units = units_of(by_columns ? product.n : product.m, unit);
  const int64_t share = units_of(units, num_threads());
  const Chunks shares{share, units_of(units, share)};
  const int64_t room =
      BlockedPart::room(by_columns ? std::min(share * unit, product.n) : product.n, product.k);
  Memory memory;
  char* const packed = make_room(memory, room * shares.number, product.type);
  parallel_chunks(units, shares, [&](int64_t chunk, int64_t begin, int64_t end) {
    Product strip = product;
    if (by_columns) {
      strip.n = std::min(end * unit, product.n) - begin * unit;
      strip.b = product.b.from(0, begin * unit, product.size());
      strip.result = product.result.from(0, begin * unit, product.size());
    } else {
      strip.m = std::min(end * unit, product.m) - begin * unit;
      strip.a = product.a.from(begin * unit, 0, product.size());
      strip.result = product.result.from(begin * unit, 0, product.size());
    }
    BlockedPart(strip, packed + chunk * room * product.size()).run();
  });
}

}  // namespace tsc::cpu
