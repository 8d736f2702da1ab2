// result = alpha * a @ b + beta * result, for each of a batch of matrices with any strides. Before this
// stand Stored, the elements' type, and T, the one that products are summed in.
//
// A block computes kTile x kTile elements, kEach x kEach a thread, from slices of kDepth columns of a and
// rows of b in shared memory.

constexpr int kTile = 64;
constexpr int kEach = 4;
constexpr int kDepth = 8;
constexpr int kSide = kTile / kEach;  // threads along a side

struct Matrix {
  char* data;
  int64_t row_stride;  // elements
  int64_t column_stride;
  int64_t batch_stride;
};
struct Arguments {
  Matrix a;
  Matrix b;
  Matrix result;
  int64_t m;
  int64_t n;
  int64_t k;
  __align__(16) T alpha;
  __align__(16) T beta;
  int reads_result;  // beta is not 0
};

__shared__ T slice_a[kDepth][kTile];
__shared__ T slice_b[kDepth][kTile];

TSC_FN Stored* element(const Matrix& matrix, int64_t batch, int64_t row, int64_t column) {
  return reinterpret_cast<Stored*>(matrix.data) + batch * matrix.batch_stride + row * matrix.row_stride +
         column * matrix.column_stride;
}

extern "C" __global__ void __launch_bounds__(kSide * kSide) gemm_kernel(Arguments arguments) {
  const int thread = threadIdx.x;
  const int64_t batch = blockIdx.z;
  const int64_t first_row = static_cast<int64_t>(blockIdx.y) * kTile;
  const int64_t first_column = static_cast<int64_t>(blockIdx.x) * kTile;
  // The thread's elements are kSide apart, so that neighbours write neighbours.
  const int row = thread / kSide;
  const int column = thread % kSide;
  T sum[kEach][kEach];
#pragma unroll
  for (int i = 0; i < kEach; i++) {
#pragma unroll
    for (int j = 0; j < kEach; j++) sum[i][j] = T(0);
  }
  for (int64_t begin = 0; begin < arguments.k; begin += kDepth) {
#pragma unroll
    for (int part = 0; part < kDepth * kTile / (kSide * kSide); part++) {
      const int place = part * kSide * kSide + thread;
      // Neighbours load along the dimension that is dense.
      const bool by_columns = arguments.a.column_stride == 1;
      const int depth_a = by_columns ? place % kDepth : place / kTile;
      const int row_a = by_columns ? place / kDepth : place % kTile;
      const bool has_a = begin + depth_a < arguments.k && first_row + row_a < arguments.m;
      slice_a[depth_a][row_a] =
          has_a ? convert<T>(*element(arguments.a, batch, first_row + row_a, begin + depth_a)) : T(0);
      const bool by_rows = arguments.b.row_stride == 1;
      const int depth_b = by_rows ? place % kDepth : place / kTile;
      const int column_b = by_rows ? place / kDepth : place % kTile;
      const bool has_b = begin + depth_b < arguments.k && first_column + column_b < arguments.n;
      slice_b[depth_b][column_b] =
          has_b ? convert<T>(*element(arguments.b, batch, begin + depth_b, first_column + column_b)) : T(0);
    }
    __syncthreads();
#pragma unroll
    for (int depth = 0; depth < kDepth; depth++) {
#pragma unroll
      for (int i = 0; i < kEach; i++) {
        const T a = slice_a[depth][row + i * kSide];
#pragma unroll
        for (int j = 0; j < kEach; j++) {
          sum[i][j] = mul_add(a, slice_b[depth][column + j * kSide], sum[i][j]);
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kEach; i++) {
#pragma unroll
    for (int j = 0; j < kEach; j++) {
      const int64_t at_row = first_row + row + i * kSide;
      const int64_t at_column = first_column + column + j * kSide;
      if (at_row < arguments.m && at_column < arguments.n) {
        Stored* const to = element(arguments.result, batch, at_row, at_column);
        T value = T(arguments.alpha * sum[i][j]);
        if (arguments.reads_result != 0) value = T(value + arguments.beta * convert<T>(*to));
        *to = convert<Stored>(value);
      }
    }
  }
}
