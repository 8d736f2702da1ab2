// One element of each line, found by its place among the others in order.
#pragma once

#include <cstdint>

#include "core/scalar_type.h"
#include "core/system/parallel.h"
#include "ops/cpu/lines.h"

namespace tsc::cpu {

// Writes the element of each line, and its index, that a stable sort would bring to the place
// rank(elements that are not NaN).
void pick_ranked(const LineShape& shape, ScalarType type, FunctionRef<int64_t(int64_t)> rank,
                 char* values, int64_t* indices, const char* in);

// The most frequent element of each line, the least of them where there are more, and the index of
// the last such element.
void pick_mode(const LineShape& shape, ScalarType type, char* values, int64_t* indices,
               const char* in);

// The element of a rank; which of equal ones, PyTorch's exchanges decide.
void pick_kth(const LineShape& shape, ScalarType type, int64_t rank, char* values, int64_t* indices,
              const char* in);

}  // namespace tsc::cpu
