// Products of matrices: the innermost loops.
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/reduce/join_lanes.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

// A vector of the result's columns for each element type.
template <class Stored>
struct Columns {
  using Vector = Wide<Stored>;
  static constexpr int64_t kLanes = Vector::kLanes;
};
template <class T>
struct Columns<Complex<T>> {
  using Vector = WideComplex<T>;
  static constexpr int64_t kLanes = Wide<T>::kLanes;
};

template <class T>
TSC_INLINE Wide<T> add_product(Wide<T> sum, Wide<T> a, Wide<T> b) {
  return mul_add(a, b, sum);
}
// A fused step for each product of two parts.
template <class T>
TSC_INLINE WideComplex<T> add_product(WideComplex<T> sum, WideComplex<T> a, WideComplex<T> b) {
  sum.re = mul_add(a.re, b.re, sum.re);
  sum.im = mul_add(a.re, b.im, sum.im);
  sum.re = Wide<T>{hn::NegMulAdd(a.im.v, b.im.v, sum.re.v)};
  sum.im = mul_add(a.im, b.re, sum.im);
  return sum;
}

// Rows x Vectors vectors of the result, kept in registers over the sum. The last vector of a row may
// be partial: `width` says how many columns it has.
template <class Stored, int Rows, int Vectors, bool Partial>
TSC_INLINE void result_block(const GemmTask& task, int64_t row, int64_t column, int64_t width) {
  using V = typename Columns<Stored>::Vector;
  constexpr int64_t kLanes = Columns<Stored>::kLanes;
  const Stored* const a = reinterpret_cast<const Stored*>(task.a) + row * task.a_row_stride;
  const Stored* b = reinterpret_cast<const Stored*>(task.b) + column;
  V sums[Rows][Vectors];
  for (auto& sum_row : sums) {
    for (V& sum : sum_row) sum = broadcast<V>(Stored(0));
  }
  for (int64_t p = 0; p < task.depth; p++, b += task.b_row_stride) {
    V right[Vectors];
    for (int v = 0; v < Vectors; v++) {
      right[v] =
          Partial && v == Vectors - 1 ? load_first(b + v * kLanes, width) : load(b + v * kLanes);
    }
    for (int i = 0; i < Rows; i++) {
      const V left = broadcast<V>(a[i * task.a_row_stride + p * task.a_column_stride]);
      for (int v = 0; v < Vectors; v++) sums[i][v] = add_product(sums[i][v], left, right[v]);
    }
  }
  const V alpha = broadcast<V>(*static_cast<const Stored*>(task.alpha));
  const V beta = broadcast<V>(*static_cast<const Stored*>(task.beta));
  const bool keeps = !(*static_cast<const Stored*>(task.beta) == Stored(0));
  Stored* const result = reinterpret_cast<Stored*>(task.result) + column;
  TSC_UNROLL(8)
  for (int i = 0; i < Rows; i++) {
    TSC_UNROLL(8)
    for (int v = 0; v < Vectors; v++) {
      Stored* const to = result + (row + i) * task.result_row_stride + v * kLanes;
      V value = alpha * sums[i][v];
      const bool is_partial = Partial && v == Vectors - 1;
      if (keeps) value = mul_add(beta, is_partial ? load_first(to, width) : load(to), value);
      if (is_partial) {
        store_first(value, to, width);
      } else {
        store(value, to);
      }
    }
  }
}

// A block of the result in registers: as many sums as fit, next to a row of the right-hand side and
// one number of the left-hand side.
template <class Stored>
struct RegisterBlock {
  static constexpr bool kComplex = sizeof(typename Columns<Stored>::Vector) > HWY_MAX_BYTES;
  static constexpr bool kManyRegisters = HWY_TARGET <= HWY_AVX3;
  static constexpr int kRows = kComplex ? (kManyRegisters ? 6 : 2) : 6;
  static constexpr int kVectors = kManyRegisters && !kComplex ? 4 : 2;
};

template <class Stored, int Vectors, bool Partial>
TSC_INLINE void result_columns(const GemmTask& task, int64_t column, int64_t width) {
  constexpr int kRows = RegisterBlock<Stored>::kRows;
  int64_t row = 0;
  for (; row + kRows <= task.rows; row += kRows) {
    result_block<Stored, kRows, Vectors, Partial>(task, row, column, width);
  }
  if (row + kRows / 2 <= task.rows) {
    result_block<Stored, kRows / 2, Vectors, Partial>(task, row, column, width);
    row += kRows / 2;
  }
  for (; row < task.rows; row++) {
    result_block<Stored, 1, Vectors, Partial>(task, row, column, width);
  }
}

// Computes the columns from `column` on that fill blocks of `Vectors` vectors; returns the first
// one that is left.
template <class Stored, int Vectors>
TSC_INLINE int64_t whole_columns(const GemmTask& task, int64_t column) {
  constexpr int64_t kWidth = Vectors * Columns<Stored>::kLanes;
  for (; column + kWidth <= task.columns; column += kWidth) {
    result_columns<Stored, Vectors, false>(task, column, 0);
  }
  return column;
}

// The columns from `column` on, which are at most Vectors vectors.
template <class Stored, int Vectors>
TSC_INLINE void last_columns(const GemmTask& task, int64_t column) {
  constexpr int64_t kLanes = Columns<Stored>::kLanes;
  const int64_t width = task.columns - column - (Vectors - 1) * kLanes;
  if constexpr (Vectors > 1) {
    if (width <= 0) return last_columns<Stored, Vectors - 1>(task, column);
  }
  if (width == kLanes) {
    result_columns<Stored, Vectors, false>(task, column, width);
  } else {
    result_columns<Stored, Vectors, true>(task, column, width);
  }
}

template <class Stored>
void gemm_vectors(const GemmTask& task) {
  constexpr int kVectors = RegisterBlock<Stored>::kVectors;
  const int64_t column = whole_columns<Stored, kVectors>(task, 0);
  if (column < task.columns) last_columns<Stored, kVectors>(task, column);
}

// ---- Integers, which wrap

// The columns from `column` on, one row after the other.
template <class T>
void integer_columns(const GemmTask& task, int64_t column) {
  const T alpha = *static_cast<const T*>(task.alpha);
  const T beta = *static_cast<const T*>(task.beta);
  const auto* const a = reinterpret_cast<const T*>(task.a);
  const auto* const b = reinterpret_cast<const T*>(task.b);
  for (int64_t i = 0; i < task.rows; i++) {
    T* const row = reinterpret_cast<T*>(task.result) + i * task.result_row_stride;
    for (int64_t j = column; j < task.columns; j++) row[j] = beta == 0 ? T(0) : T(beta * row[j]);
    for (int64_t p = 0; p < task.depth; p++) {
      const T factor = T(alpha * a[i * task.a_row_stride + p * task.a_column_stride]);
      const T* const right = b + p * task.b_row_stride;
      TSC_INDEPENDENT
      for (int64_t j = column; j < task.columns; j++) row[j] = T(row[j] + T(factor * right[j]));
    }
  }
}

// Vectors of the compiler's: Highway has no product of 64-bit integers for every instruction set.
template <class T>
struct IntegerVector;
template <>
struct IntegerVector<uint16_t> {
  using type = uint16_t __attribute__((vector_size(HWY_MAX_BYTES)));
};
template <>
struct IntegerVector<uint32_t> {
  using type = uint32_t __attribute__((vector_size(HWY_MAX_BYTES)));
};
template <>
struct IntegerVector<uint64_t> {
  using type = uint64_t __attribute__((vector_size(HWY_MAX_BYTES)));
};

// Rows x Vectors vectors of the result, kept in registers over the sum.
template <class T, int Rows, int Vectors>
TSC_INLINE void integer_block(const GemmTask& task, int64_t row, int64_t column) {
  using V = typename IntegerVector<T>::type;
  constexpr auto kLanes = static_cast<int64_t>(sizeof(V) / sizeof(T));
  const T alpha = *static_cast<const T*>(task.alpha);
  const T beta = *static_cast<const T*>(task.beta);
  const T* const a = reinterpret_cast<const T*>(task.a) + row * task.a_row_stride;
  const T* b = reinterpret_cast<const T*>(task.b) + column;
  V sums[Rows][Vectors] = {};
  for (int64_t p = 0; p < task.depth; p++, b += task.b_row_stride) {
    V right[Vectors];
    for (int v = 0; v < Vectors; v++) std::memcpy(&right[v], b + v * kLanes, sizeof(V));
    for (int i = 0; i < Rows; i++) {
      const V left = V{} + a[i * task.a_row_stride + p * task.a_column_stride];
      for (int v = 0; v < Vectors; v++) sums[i][v] += left * right[v];
    }
  }
  for (int i = 0; i < Rows; i++) {
    T* const to = reinterpret_cast<T*>(task.result) + (row + i) * task.result_row_stride + column;
    for (int v = 0; v < Vectors; v++) {
      V value = sums[i][v] * (V{} + alpha);
      if (beta != 0) {
        V old;
        std::memcpy(&old, to + v * kLanes, sizeof(V));
        value += old * (V{} + beta);
      }
      std::memcpy(to + v * kLanes, &value, sizeof(V));
    }
  }
}

template <class T>
void gemm_integers(const GemmTask& task) {
  int64_t column = 0;
  if constexpr (sizeof(T) > 1) {  // there are no products of bytes
    constexpr int kRows = 4;
    constexpr int kVectors = 2;
    constexpr auto kWidth = static_cast<int64_t>(kVectors * HWY_MAX_BYTES / sizeof(T));
    for (; column + kWidth <= task.columns; column += kWidth) {
      int64_t row = 0;
      for (; row + kRows <= task.rows; row += kRows) {
        integer_block<T, kRows, kVectors>(task, row, column);
      }
      for (; row < task.rows; row++) integer_block<T, 1, kVectors>(task, row, column);
    }
  }
  integer_columns<T>(task, column);
}

// ---- Dot products

template <class T>
void dot_vectors(void* to, const char* a_bytes, const char* b_bytes, int64_t count) {
  // As in sums of rows: interleaved partial sums, then pairs of them.
  constexpr int64_t kLanes = Wide<T>::kLanes;
  constexpr int64_t kPartials = 256 / sizeof(T);
  constexpr int64_t kVectors = kPartials / kLanes;
  constexpr int64_t kBlock = 4096;
  const T* const a = reinterpret_cast<const T*>(a_bytes);
  const T* const b = reinterpret_cast<const T*>(b_bytes);
  const ptrdiff_t ahead = prefetch_distance;
  const bool is_long = count > kBlock;  // else b is a column that many rows of a meet
  double total = 0;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = count - begin < kBlock ? count : begin + kBlock;
    Wide<T> sums[kVectors];
    for (auto& sum : sums) sum = Wide<T>(0);
    int64_t i = begin;
    for (; i + kPartials <= end; i += kPartials) {
      for (int64_t v = 0; v < kVectors; v++) {
        prefetch(a + i + v * kLanes, ahead);
        if (is_long) prefetch(b + i + v * kLanes, ahead);
        sums[v] = mul_add(load(a + i + v * kLanes), load(b + i + v * kLanes), sums[v]);
      }
    }
    for (int64_t v = 0; v < kVectors && i < end; v++, i += kLanes) {
      const int64_t rest = end - i < kLanes ? end - i : kLanes;
      sums[v] = mul_add(load_first(a + i, rest), load_first(b + i, rest), sums[v]);
    }
    for (int64_t half = kVectors / 2; half > 0; half /= 2) {
      for (int64_t v = 0; v < half; v++) sums[v] = sums[v] + sums[v + half];
    }
    const T sum = across_lanes(typename Wide<T>::D(), sums[0].v,
                               [](auto low, auto high) { return hn::Add(low, high); });
    total += static_cast<double>(sum);
  }
  *static_cast<T*>(to) = static_cast<T>(total);
}

// Up to Rows x Columns elements of a result, each of which takes 64 bytes of partial sums, with
// every instruction set. Rows and columns that are not there are the last ones once more.
template <class T, int Rows, int Columns>
TSC_INLINE void block_of_dots(const GemmTask& task, int64_t row, int64_t column) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  constexpr int64_t kPartials = 64 / sizeof(T);
  constexpr int kVectors = kPartials / kLanes;
  const T* a[Rows];
  const T* b[Columns];
  for (int i = 0; i < Rows; i++) {
    const int64_t last = task.rows - 1;
    a[i] =
        reinterpret_cast<const T*>(task.a) + (row + i < last ? row + i : last) * task.a_row_stride;
  }
  for (int j = 0; j < Columns; j++) {
    const int64_t last = task.columns - 1;
    b[j] = reinterpret_cast<const T*>(task.b) +
           (column + j < last ? column + j : last) * task.b_row_stride;
  }
  Wide<T> sums[Rows][Columns][kVectors];
  for (auto& of_row : sums) {
    for (auto& of_column : of_row) {
      for (Wide<T>& sum : of_column) sum = Wide<T>(0);
    }
  }
  const auto add = [&](int v, auto load_at) {
    Wide<T> right[Columns];
    for (int j = 0; j < Columns; j++) right[j] = load_at(b[j]);
    for (int i = 0; i < Rows; i++) {
      const Wide<T> left = load_at(a[i]);
      for (int j = 0; j < Columns; j++) sums[i][j][v] = mul_add(left, right[j], sums[i][j][v]);
    }
  };
  int64_t p = 0;
  for (; p + kPartials <= task.depth; p += kPartials) {
    for (int v = 0; v < kVectors; v++) {
      add(v, [&](const T* from) { return load(from + p + v * kLanes); });
    }
  }
  for (int v = 0; v < kVectors && p < task.depth; v++, p += kLanes) {
    const int64_t rest = task.depth - p < kLanes ? task.depth - p : kLanes;
    add(v, [&](const T* from) { return load_first(from + p, rest); });
  }
  const T alpha = *static_cast<const T*>(task.alpha);
  const T beta = *static_cast<const T*>(task.beta);
  // Two lanes are left of each.
  constexpr int64_t kJoined = kRowsOfVector<T>;
  alignas(HWY_MAX_BYTES) T lanes[Rows * Columns][2];
  Wide<T> joined[kJoined];
  for (int i = 0; i < Rows; i++) {
    for (int j = 0; j < Columns; j++) {
      for (int half = kVectors / 2; half > 0; half /= 2) {
        for (int v = 0; v < half; v++) sums[i][j][v] = sums[i][j][v] + sums[i][j][v + half];
      }
      const int64_t n = i * Columns + j;
      joined[n % kJoined] = sums[i][j][0];
      if (n % kJoined < kJoined - 1) continue;
      T* const pairs = lanes[n / kJoined * kJoined];
      if constexpr (kJoined == 1) {
        store(joined[0], pairs);
      } else {
        store(join_lanes<T>(joined, [](Wide<T> x, Wide<T> y) { return x + y; }), pairs);
      }
    }
  }
  for (int64_t i = 0; i < Rows && row + i < task.rows; i++) {
    T* const to = reinterpret_cast<T*>(task.result) + (row + i) * task.result_row_stride + column;
    for (int64_t j = 0; j < Columns && column + j < task.columns; j++) {
      const T sum = lanes[i * Columns + j][0] + lanes[i * Columns + j][1];
      to[j] = beta == 0 ? alpha * sum : alpha * sum + beta * to[j];
    }
  }
}

template <class T>
void gemm_dots(const GemmTask& task) {
  constexpr int kSide = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
  for (int64_t column = 0; column < task.columns; column += kSide) {
    int64_t row = 0;
    for (; row + kSide / 2 < task.rows; row += kSide) {
      block_of_dots<T, kSide, kSide>(task, row, column);
    }
    if (row < task.rows) block_of_dots<T, kSide / 2, kSide>(task, row, column);
  }
}

}  // namespace

namespace {
template <class Stored>
constexpr int64_t kBlockColumns = RegisterBlock<Stored>::kVectors* Columns<Stored>::kLanes;
template <class Stored>
constexpr GemmKernel kGemmVectors = {gemm_vectors<Stored>, kBlockColumns<Stored>};
template <class T>
constexpr GemmKernel kGemmFloats = {gemm_vectors<T>, kBlockColumns<T>, gemm_dots<T>};
template <class T>
constexpr GemmKernel kGemmIntegers = {gemm_integers<T>, 0};
}  // namespace

GemmKernel find_gemm(ScalarType type) {
  switch (type) {
    case ScalarType::Float: return kGemmFloats<float>;
    case ScalarType::Double: return kGemmFloats<double>;
    case ScalarType::ComplexFloat: return kGemmVectors<Complex<float>>;
    case ScalarType::ComplexDouble: return kGemmVectors<Complex<double>>;
    case ScalarType::Byte:
    case ScalarType::Char: return kGemmIntegers<uint8_t>;
    case ScalarType::Short: return kGemmIntegers<uint16_t>;
    case ScalarType::Int: return kGemmIntegers<uint32_t>;
    case ScalarType::Long: return kGemmIntegers<uint64_t>;
    case ScalarType::Bool:
    case ScalarType::Half:
    case ScalarType::BFloat16:
    case ScalarType::QInt8:
    case ScalarType::QUInt8:
    case ScalarType::QInt32:
    case ScalarType::Undefined: break;
  }
  return {nullptr, 0};
}

DotFunction find_dot(ScalarType type) {
  if (type == ScalarType::Float) return dot_vectors<float>;
  if (type == ScalarType::Double) return dot_vectors<double>;
  return nullptr;
}

}  // namespace tsc::cpu::TSC_ISA
