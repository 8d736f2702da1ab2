#include "ops/cpu/matrix/blas.h"
#include "ops/cpu/pointwise/arithmetic_list.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "ops/cpu/matrix/openblas.h"
#include "ops/cpu/matrix/product.h"
#include "ops/cpu/strided.h"

namespace tsc::cpu {

void copy_matrix(ScalarType to_type, const Matrix& to, ScalarType from_type, const Matrix& from,
                 int64_t rows, int64_t columns) {
  const auto to_size = static_cast<int64_t>(element_size(to_type));
  const auto from_size = static_cast<int64_t>(element_size(from_type));
  const CopyLoop copy(to_type, from_type);
  const int64_t grain = std::max<int64_t>(1, kParallelGrain / std::max<int64_t>(1, columns));
  parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
    char* data[] = {to.data + begin * to.row_stride * to_size,
                    from.data + begin * from.row_stride * from_size};
    const int64_t strides[] = {to.column_stride * to_size, from.column_stride * from_size,
                               to.row_stride * to_size, from.row_stride * from_size};
    copy(data, strides, columns, end - begin);
  });
}

namespace {

// Products with at most this many multiplications are not worth opening OpenBLAS, which takes
// milliseconds, or several threads for each of a batch. Complex numbers take longer here.
constexpr int64_t kSmallProduct = 1 << 20;
constexpr int64_t kSmallComplexProduct = 1 << 18;
// The limits for packing of floats, the second for long sums, which are cut there; b must be copied in
// any case where its rows are not contiguous.
constexpr int64_t kSmallForPacking = 3 << 20;
constexpr int64_t kSmallForCutting = 1 << 19;
constexpr int64_t kLongSum = 2048;
constexpr int64_t kSmallForTurning = 1 << 16;
constexpr int64_t kFewRows = 12;
// The largest call of OpenBLAS, in multiplications, where that leaves it 64 rows: Ctrl-C waits for
// its end. With fewer rows, or split by columns, its results would differ in the last bits.
constexpr int64_t kLargestCall = 400'000'000;
constexpr int64_t kRowsOfCall = 64;

double small_product_of(ScalarType type) {
  return static_cast<double>(is_complex(type) ? kSmallComplexProduct : kSmallProduct);
}

// (a @ b)^T is b^T @ a^T: for a result whose columns are contiguous.
Product transposed(const Product& product) {
  Product other = product;
  std::swap(other.m, other.n);
  other.a = {product.b.data, product.b.column_stride, product.b.row_stride};
  other.b = {product.a.data, product.a.column_stride, product.a.row_stride};
  other.result = {product.result.data, product.result.column_stride, product.result.row_stride};
  return other;
}

// The sum of products of two runs of elements, which are brought together where they lie apart.
template <class T>
class Dot {
 public:
  explicit Dot(const Product& product)
      : dot_(find_dot(product.type)),
        a_step_(product.a.column_stride * kSize),
        b_step_(product.b.row_stride * kSize) {}

  T operator()(const char* a, const char* b, int64_t count) const {
    T sum;
    if (a_step_ == kSize && b_step_ == kSize) {
      dot_(&sum, a, b, count);
      return sum;
    }
    double total = 0;
    for (int64_t i = 0; i < count; i += kPiece) {
      const int64_t length = std::min(kPiece, count - i);
      alignas(64) char memory[2][kTileBytes];
      dot_(&sum, bring(memory[0], a + i * a_step_, a_step_, length),
           bring(memory[1], b + i * b_step_, b_step_, length), length);
      total += static_cast<double>(sum);
    }
    return static_cast<T>(total);
  }

 private:
  static constexpr int64_t kSize = sizeof(T);
  static constexpr int64_t kPiece = kTileBytes / kSize;

  static const char* bring(char* memory, const char* from, int64_t step, int64_t count) {
    if (step == kSize) return from;
    gather_elements(memory, {const_cast<char*>(from), step, 0}, kSize, count, 1);
    return memory;
  }

  DotFunction dot_;
  int64_t a_step_;
  int64_t b_step_;
};

// A matrix whose elements' neighbours are those of its rows times a column.
void rows_times_column(const Product& product) {
  const int64_t size = product.size();
  dispatch_floating_types(product.type, "gemv", [&]<class T>() {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      const T alpha = *reinterpret_cast<const T*>(product.alpha.bytes.data());
      const T beta = *reinterpret_cast<const T*>(product.beta.bytes.data());
      const auto write = [&](int64_t row, T sum) {
        T* const to = reinterpret_cast<T*>(product.result.data) + row * product.result.row_stride;
        *to = product.keeps ? alpha * sum + beta * *to : alpha * sum;
      };
      const Dot<T> dot(product);
      const int64_t a_step = product.a.column_stride * size;
      const int64_t b_step = product.b.row_stride * size;
      const Chunks parts = cut_into_chunks(product.k, 4 * kParallelGrain);
      if (product.m >= parts.number) {
        const int64_t grain = std::max<int64_t>(1, kParallelGrain / product.k);
        parallel_for(0, product.m, grain, [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; row++) {
            write(row, dot(product.a.data + row * product.a.row_stride * size, product.b.data,
                           product.k));
          }
        });
        return;
      }
      std::vector<T> sums(static_cast<size_t>(parts.number));
      for (int64_t row = 0; row < product.m; row++) {
        const char* const a = product.a.data + row * product.a.row_stride * size;
        parallel_chunks(product.k, parts, [&](int64_t part, int64_t begin, int64_t end) {
          sums[static_cast<size_t>(part)] =
              dot(a + begin * a_step, product.b.data + begin * b_step, end - begin);
        });
        double total = 0;
        for (const T sum : sums) total += static_cast<double>(sum);
        write(row, static_cast<T>(total));
      }
    }
  });
}

// How BLAS reads a matrix: as it is, or transposed, with a distance between rows.
struct Reading {
  bool possible;
  OpenBlas::Transpose transpose;
  int64_t distance;
};
Reading read_as(const Matrix& matrix, int64_t rows, int64_t columns) {
  constexpr int64_t kLimit = std::numeric_limits<OpenBlas::Int>::max();
  const auto fits = [&](int64_t unit, int64_t distance, int64_t length, int64_t lines) {
    return (unit == 1 || length == 1) && (distance >= length || lines == 1) && distance <= kLimit;
  };
  if (fits(matrix.column_stride, matrix.row_stride, columns, rows)) {
    return {true, OpenBlas::no_transpose,
            rows == 1 ? std::max<int64_t>(columns, 1) : matrix.row_stride};
  }
  if (fits(matrix.row_stride, matrix.column_stride, rows, columns)) {
    return {true, OpenBlas::transpose,
            columns == 1 ? std::max<int64_t>(rows, 1) : matrix.column_stride};
  }
  return {false, OpenBlas::no_transpose, 0};
}

// The operand itself, or a copy that BLAS can read.
Matrix readable(const Matrix& matrix, ScalarType type, int64_t rows, int64_t columns,
                Memory& memory) {
  if (read_as(matrix, rows, columns).possible) return matrix;
  const Matrix copy{make_room(memory, rows * columns, type), columns, 1};
  copy_matrix(type, copy, type, matrix, rows, columns);
  return copy;
}

void call_blas(const OpenBlas& blas, const Product& product, int64_t begin, int64_t end,
               const Reading& a, const Reading& b, const Reading& c) {
  const auto to_int = [](int64_t value) { return static_cast<OpenBlas::Int>(value); };
  const int64_t size = product.size();
  char* const a_data = product.a.data + begin * product.a.row_stride * size;
  char* const c_data = product.result.data + begin * product.result.row_stride * size;
  const auto call = [&]<class T, class Factor>(OpenBlas::Gemm<T, Factor> gemm, Factor alpha,
                                               Factor beta) {
    gemm(OpenBlas::row_major, a.transpose, b.transpose, to_int(end - begin), to_int(product.n),
         to_int(product.k), alpha, reinterpret_cast<const T*>(a_data), to_int(a.distance),
         reinterpret_cast<const T*>(product.b.data), to_int(b.distance), beta,
         reinterpret_cast<T*>(c_data), to_int(c.distance));
  };
  const char* const alpha = product.alpha.bytes.data();
  const char* const beta = product.beta.bytes.data();
  if (product.type == ScalarType::Float) {
    call(blas.sgemm, *reinterpret_cast<const float*>(alpha), *reinterpret_cast<const float*>(beta));
  } else if (product.type == ScalarType::Double) {
    call(blas.dgemm, *reinterpret_cast<const double*>(alpha),
         *reinterpret_cast<const double*>(beta));
  } else if (product.type == ScalarType::ComplexFloat) {
    call(blas.cgemm, static_cast<const void*>(alpha), static_cast<const void*>(beta));
  } else {
    call(blas.zgemm, static_cast<const void*>(alpha), static_cast<const void*>(beta));
  }
}

// The result has contiguous rows.
void large_product(const OpenBlas& blas, Product product) {
  Memory a_memory, b_memory;
  product.a = readable(product.a, product.type, product.m, product.k, a_memory);
  product.b = readable(product.b, product.type, product.k, product.n, b_memory);
  const Reading a = read_as(product.a, product.m, product.k);
  const Reading b = read_as(product.b, product.k, product.n);
  const Reading c = {true, OpenBlas::no_transpose,
                     product.m == 1 ? product.n : product.result.row_stride};
  const bool own_threads = blas.threading == BlasThreading::openmp;
  int64_t panel = std::max<int64_t>(1, kLargestCall / std::max<int64_t>(1, product.n * product.k));
  if (!own_threads) {
    const int64_t share = (product.m + num_threads() - 1) / num_threads();
    panel = std::min(panel, (share + 15) / 16 * 16);
  } else {
    panel = std::max(kRowsOfCall, panel / kRowsOfCall * kRowsOfCall);
  }
  const Chunks panels{panel, (product.m + panel - 1) / panel};
  const auto run = [&](int64_t, int64_t begin, int64_t end) {
    call_blas(blas, product, begin, end, a, b, c);
  };
  if (own_threads) {
    for (int64_t i = 0; i < panels.number; i++) {
      throw_if_interrupted();
      run(i, i * panel, std::min((i + 1) * panel, product.m));
    }
  } else {
    parallel_chunks(product.m, panels, run);
  }
}

void scale_result(const Product& product) {
  const auto size = static_cast<int64_t>(element_size(product.type));
  const bool keeps = product.keeps;
  static constexpr char kZeros[16] = {};
  char* data[] = {product.result.data, product.result.data,
                  const_cast<char*>(keeps ? product.beta.bytes.data() : kZeros)};
  const int64_t column = product.result.column_stride * size;
  const int64_t row = product.result.row_stride * size;
  if (keeps) {
    const std::array<ScalarType, 3> types{product.type, product.type, product.type};
    const int64_t strides[] = {column, column, 0, row, row, 0};
    ElementwiseLoop(ufuncs::mul, product.type, types)(data, strides, product.n, product.m);
  } else {
    char* fill[] = {data[0], data[2]};
    const int64_t strides[] = {column, 0, row, 0};
    CopyLoop(product.type, product.type)(fill, strides, product.n, product.m);
  }
}

bool is_blas_type(ScalarType type) {
  return type == ScalarType::Float || type == ScalarType::Double || is_complex(type);
}

// The types for which this folder's kernels are as fast as OpenBLAS: they need fused multiply-add.
bool is_blocked_type(ScalarType type) {
  return (type == ScalarType::Float || type == ScalarType::Double) &&
         cpu_level() != CpuLevel::baseline;
}

bool fits_blas(const Product& product) {
  return std::max({product.m, product.n, product.k}) <= std::numeric_limits<OpenBlas::Int>::max();
}

// Few rows of a times the contiguous columns of b, computed as many rows of b^T times few columns.
void multiply_turned(const Product& product) {
  Product turned = transposed(product);
  const Matrix result = turned.result;
  Memory memory;
  turned.result = {make_room(memory, turned.m * turned.n, turned.type), turned.n, 1};
  if (turned.keeps) {
    copy_matrix(turned.type, turned.result, turned.type, result, turned.m, turned.n);
  }
  blocked_product(turned);
  copy_matrix(turned.type, result, turned.type, turned.result, turned.m, turned.n);
}

// Whether elements of a row of a are near to one another.
bool has_rows(const Product& product) {
  constexpr int64_t kLine = 64;  // bytes
  const int64_t step = magnitude(product.a.column_stride);
  return step == 1 || product.m == 1 ||
         (step < magnitude(product.a.row_stride) && step * product.size() <= kLine);
}

void multiply(Product product) {
  if (product.m == 0 || product.n == 0) return;
  if (product.k == 0) {
    scale_result(product);
    return;
  }
  if (product.m == 1 && product.n > 1 && product.b.row_stride == 1) product = transposed(product);
  if (product.n == 1 && find_dot(product.type) != nullptr && has_rows(product)) {
    Memory memory;
    if (product.b.row_stride != 1 && product.m > 1) {
      const Matrix column{make_room(memory, product.k, product.type), 1, 1};
      copy_matrix(product.type, column, product.type, product.b, product.k, 1);
      product.b = column;
    }
    rows_times_column(product);
    return;
  }
  // The result must have contiguous rows, of several elements if possible.
  const bool by_rows = product.result.column_stride == 1 || product.n == 1;
  const bool by_columns = product.result.row_stride == 1 || product.m == 1;
  if (by_columns && (!by_rows || product.n == 1)) {
    product = transposed(product);
  } else if (!by_rows) {
    Memory memory;
    Product dense = product;
    dense.result = {make_room(memory, product.m * product.n, product.type), product.n, 1};
    if (product.keeps) {
      copy_matrix(product.type, dense.result, product.type, product.result, product.m, product.n);
    }
    multiply(dense);
    copy_matrix(product.type, product.result, product.type, dense.result, product.m, product.n);
    return;
  }
  const double multiplications = static_cast<double>(product.m) * static_cast<double>(product.n) *
                                 static_cast<double>(product.k);
  if (is_blocked_type(product.type)) {
    const bool b_has_rows = product.b.column_stride == 1;
    if (!b_has_rows && product.m > 1 && is_of_dots(product)) return blocked_product(product);
    // With few rows each element of b is used seldom: packing b does not pay.
    if (b_has_rows && product.m > kFewRows &&
        multiplications >
            static_cast<double>(product.k > kLongSum ? kSmallForCutting : kSmallForPacking)) {
      return blocked_product(product);
    }
    if (!b_has_rows && product.m > 1 && multiplications > kSmallForTurning) {
      return product.m > kFewRows ? blocked_product(product) : multiply_turned(product);
    }
  } else if (is_blas_type(product.type) && product.m > 1 &&
             multiplications > small_product_of(product.type)) {
    const OpenBlas* const blas = open_blas();
    if (blas != nullptr && fits_blas(product)) {
      return large_product(*blas, product);
    }
  }
  small_product(product);
}

}  // namespace

bool has_gemm(ScalarType type) { return find_gemm(compute_type(type)).run != nullptr; }

void gemm(ScalarType type, int64_t m, int64_t n, int64_t k, const Scalar& alpha, const Matrix& a,
          const Matrix& b, const Scalar& beta, const Matrix& result) {
  const ScalarType compute = compute_type(type);
  Product product{.type = compute,
                  .m = m,
                  .n = n,
                  .k = k,
                  .alpha = Parameters(compute, {alpha}),
                  .beta = Parameters(compute, {beta}),
                  .keeps = beta.to_complex() != std::complex<double>(0),
                  .a = a,
                  .b = b,
                  .result = result};
  if (compute == type) {
    multiply(product);
    return;
  }
  Memory a_memory, b_memory, result_memory;
  product.a = {make_room(a_memory, m * k, compute), k, 1};
  product.b = {make_room(b_memory, k * n, compute), n, 1};
  product.result = {make_room(result_memory, m * n, compute), n, 1};
  copy_matrix(compute, product.a, type, a, m, k);
  copy_matrix(compute, product.b, type, b, k, n);
  if (product.keeps) copy_matrix(compute, product.result, type, result, m, n);
  multiply(product);
  copy_matrix(type, result, compute, product.result, m, n);
}

void batched_gemm(ScalarType type, const Batch& batch, int64_t m, int64_t n, int64_t k,
                  const Scalar& alpha, const Matrix& a, const Matrix& b, const Scalar& beta,
                  const Matrix& result) {
  const auto size = static_cast<int64_t>(element_size(type));
  // Numbers out of the type's range raise their error here, not in a thread.
  static_cast<void>(Parameters(compute_type(type), {alpha, beta}));
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end && !interrupt_requested(); i++) {
      gemm(type, m, n, k, alpha,
           {a.data + i * batch.a_stride * size, a.row_stride, a.column_stride},
           {b.data + i * batch.b_stride * size, b.row_stride, b.column_stride}, beta,
           {result.data + i * batch.result_stride * size, result.row_stride, result.column_stride});
    }
  };
  // Small products run side by side, each in one thread; large ones one after the other.
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (work <= small_product_of(type)) {
    const auto grain = static_cast<int64_t>(2.0 * kParallelGrain / std::max(1.0, work)) + 1;
    parallel_for(0, batch.count, grain, run);
  } else {
    run(0, batch.count);
  }
}

std::string blas_description() {
  const OpenBlas* const blas = opened_blas();
  if (blas == nullptr) return "";
  const char* const threads = blas->threading == BlasThreading::openmp     ? "OpenMP"
                              : blas->threading == BlasThreading::pthreads ? "its own threads, off"
                                                                           : "no threads";
  return blas->path + ", " + threads;
}

}  // namespace tsc::cpu
