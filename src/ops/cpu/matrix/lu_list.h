// Kernels of each instruction set for factorisations P L U: the innermost parts. Matrices are
// stored by columns; `distance` is that between two columns, in elements.
#pragma once

#include <cstdint>

namespace tsc::cpu {

// Columns that `factor` takes at most.
inline constexpr int64_t kNarrowColumns = 8;

// Solves a x = b for a triangle a, which has strides of its own so that it may be given transposed.
// b is replaced by x.
struct TriangleTask {
  int64_t size;  // at most LuKernels::triangle
  bool lower;
  bool unit;  // the diagonal counts as ones
  const char* a;
  int64_t row_stride;
  int64_t column_stride;
  char* b;
  int64_t b_distance;
  int64_t columns;
};

struct LuKernels {
  // Factors a in place into L and U. pivots has min(rows, columns) elements, counted from 1.
  // Returns the first column, from 1, whose pivot is zero, or 0.
  int64_t (*factor)(char* a, int64_t rows, int64_t columns, int64_t distance, int32_t* pivots);
  void (*solve)(const TriangleTask& task);
  int64_t triangle;  // rows that `solve` takes at most
};

}  // namespace tsc::cpu
