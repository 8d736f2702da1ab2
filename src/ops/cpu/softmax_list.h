// What each instruction set offers for softmax: functions of one contiguous row of floats or
// doubles.
#pragma once

#include <cstdint>

namespace tsc::cpu {

// Of a row, or a part of one: its largest element, and the sum of exp(x - largest).
struct SoftmaxSum {
  double largest;
  double sum;
};

struct SoftmaxKernels {
  using Row = void (*)(char* to, const char* row, int64_t count);
  using Sum = void (*)(void* to, const char* row, int64_t count);
  using Apply = void (*)(char* to, const char* row, int64_t count, const SoftmaxSum& total);
  using Backward = void (*)(char* to, const char* gradient, const char* result, int64_t count);

  Row softmax;
  Row log_softmax;
  // A row in parts: the sums of the parts, merged, and then the elements.
  Sum sum;
  Apply softmax_apply;
  Apply log_softmax_apply;
  Backward softmax_backward;
  Backward log_softmax_backward;
};

}  // namespace tsc::cpu
