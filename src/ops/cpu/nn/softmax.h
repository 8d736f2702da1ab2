// softmax and log_softmax of lines of contiguous memory.
#pragma once

#include <cstdint>

#include "core/scalar_type.h"
#include "ops/cpu/lines.h"

namespace tsc::cpu {

// From elements of a floating point type to another: softmax(float16) may give float32. Rows of
// Half and BFloat16 compute in float and round once.
void softmax(bool log, const LineShape& shape, char* to, ScalarType to_type, const char* from,
             ScalarType from_type);

// The gradient of the input, from that of the result and the result itself, which have one type.
void softmax_backward(bool log, const LineShape& shape, char* to, ScalarType to_type,
                      const char* gradient, const char* result, ScalarType type);

}  // namespace tsc::cpu
