// Sorting along lines. NaN is larger than every number.
#pragma once

#include "core/scalar_type.h"
#include "ops/cpu/lines.h"

namespace tsc::cpu {

// RuntimeError where a line has more elements than an index that stands beside a key can count.
void check_length(const LineShape& shape);

// Sorts each line, and writes the former indices of its elements. Equal elements keep their order.
void sort(const LineShape& shape, ScalarType type, bool descending, char* values, int64_t* indices,
          const char* in);

// The k largest or smallest of each line, in order if `sorted`: lines of k elements, 0 <= k <=
// shape.size.
void topk(const LineShape& shape, ScalarType type, int64_t k, bool largest, bool sorted,
          char* values, int64_t* indices, const char* in);

}  // namespace tsc::cpu
