// Writes to the places of an IndexPlan.
#pragma once

#include "core/tensor.h"
#include "ops/indexing/index_plan.h"

namespace tsc {

// Offsets, in elements, of all positions of some dimensions, in row-major order.
std::vector<int64_t> all_offsets(IntArrayRef sizes, IntArrayRef strides);

// self[plan] = source, which has the plan's sizes and no element of self. Of several writes to one
// place the last one counts.
void put_blocks(const Tensor& self, const IndexPlan& plan, const Tensor& source);

}  // namespace tsc
