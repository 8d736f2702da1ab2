// Kernels of each instruction set for softmax: functions of contiguous rows of floats or doubles,
// and of columns, `width` side by side, whose elements are `stride` apart.
#pragma once

#include <cstdint>

namespace tsc::cpu {

// For a row, or a part of one: its largest element, and the sum of exp(x - largest); for a whole
// row also the sum's logarithm, which log_softmax subtracts.
struct SoftmaxSum {
  double largest;
  double sum;
  double log_sum = 0;
};

struct SoftmaxKernels {
  using Row = void (*)(char* to, const char* row, int64_t count);
  using Sum = void (*)(void* to, const char* row, int64_t count);
  using Apply = void (*)(char* to, const char* row, int64_t count, const SoftmaxSum& total);
  using Backward = void (*)(char* to, const char* gradient, const char* result, int64_t count);
  using Columns = void (*)(char* to, const char* from, int64_t size, int64_t stride, int64_t width);
  using Exponentials = void (*)(char* to, double* sums, const char* from, int64_t size,
                                int64_t stride, int64_t width);
  using Divide = void (*)(char* columns, const double* sums, int64_t size, int64_t stride,
                          int64_t width);
  using ColumnsBackward = void (*)(char* to, const char* gradient, const char* result, int64_t size,
                                   int64_t stride, int64_t width);

  Row softmax;
  Row log_softmax;
  // exp(x - largest), whose softmax is a division by their sum.
  SoftmaxSum (*exponentials)(char* to, const char* row, int64_t count);
  // A row in parts: the sums of the parts, merged, and then the elements.
  Sum sum;
  Apply softmax_apply;
  Apply log_softmax_apply;
  Backward softmax_backward;
  Backward log_softmax_backward;
  Columns softmax_columns;
  // The two halves of softmax_columns: the exponentials with their sums, and the division.
  Exponentials column_exponentials;
  Divide divide_columns;
  Columns log_softmax_columns;
  ColumnsBackward softmax_columns_backward;
  ColumnsBackward log_softmax_columns_backward;
};

}  // namespace tsc::cpu
