// Running sums, products and extremes along lines.
#pragma once

#include "core/scalar_type.h"
#include "ops/cpu/lines.h"

namespace tsc::cpu {

enum class Scan : uint8_t { sum, prod, max, min, logsumexp };

// `type` is that of the input and of the values. Sums and products of float accumulate in double,
// those of Half and BFloat16 in float. max and min (the last of equals; NaN wins and stays) write
// indices too; others take null. logsumexp is of floating point types.
// The results are contiguous; `in` has strides of its own.
void scan(Scan op, const LineShape& shape, ScalarType type, char* values, int64_t* indices,
          const char* in, const LineStrides& strides);

// Whether there is such a scan of this type.
bool has_scan(Scan op, ScalarType type);

}  // namespace tsc::cpu
