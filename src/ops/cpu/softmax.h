// softmax and log_softmax over one dimension of contiguous memory, seen as [outer, size, inner].
#pragma once

#include <cstdint>

#include "core/scalar_type.h"

namespace tsc::cpu {

struct SoftmaxShape {
  int64_t outer;
  int64_t size;
  int64_t inner;
};

// From elements of a floating point type to another: softmax(float16) may give float32. Rows of
// Half and BFloat16 compute in float and round once.
void softmax(bool log, const SoftmaxShape& shape, char* to, ScalarType to_type, const char* from,
             ScalarType from_type);

// The gradient of the input, from that of the result and the result itself, which have one type.
void softmax_backward(bool log, const SoftmaxShape& shape, char* to, ScalarType to_type,
                      const char* gradient, const char* result, ScalarType type);

}  // namespace tsc::cpu
