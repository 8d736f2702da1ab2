// Kernels of each instruction set for small products: the rows of a result, each element a sum over
// k in order, so that it does not depend on its position.
#pragma once

#include <cstdint>

namespace tsc::cpu {

// result[i][j] = alpha * sum over p of a[i][p] * b[p][j]  (+ beta * result[i][j] unless beta is 0).
// Strides in elements. b and the result have contiguous rows.
struct GemmTask {
  int64_t rows;
  int64_t columns;
  int64_t depth;
  const char* a;
  int64_t a_row_stride;
  int64_t a_column_stride;
  const char* b;
  int64_t b_row_stride;
  char* result;
  int64_t result_row_stride;
  const void* alpha;  // of the element type
  const void* beta;
};

struct GemmKernel {
  void (*run)(const GemmTask& task);  // null: none for the type
  int64_t block_columns;              // that it works on at once, a multiple of a cache line's
  // The same for a whose rows are contiguous and b whose columns are, b_row_stride being the distance
  // from a column to the next. Each element is a sum of interleaved partial sums. Null: none.
  void (*run_dots)(const GemmTask& task) = nullptr;
};

// sum over i of a[i] * b[i], both contiguous, written to `to`.
using DotFunction = void (*)(void* to, const char* a, const char* b, int64_t count);

}  // namespace tsc::cpu
