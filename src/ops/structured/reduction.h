// The shared part of reductions: which dimensions are reduced, the sizes of the result, and the
// call of the CPU's kernels.
#pragma once

#include "core/small_vector.h"
#include "core/tensor.h"
#include "ops/cpu/reduce/reduce_list.h"

namespace tsc {

// One flag a dimension.
using DimMask = SmallVector<bool, 8>;

// The dimensions in a list. RuntimeError for one that occurs twice.
TSC_API DimMask mask_of_dims(IntArrayRef dims, int64_t count);
TSC_API DimMask mask_of_dim(int64_t dim, int64_t count);
TSC_API DimMask mask_of_all(int64_t count);
// No list, or an empty one, stands for all dimensions.
TSC_API DimMask mask_of_dims_or_all(OptionalIntArrayRef dims, int64_t count);

// The sizes of the result: reduced dimensions have size 1 with `keepdim`, and are removed without.
TSC_API DimVector reduced_sizes(const Tensor& self, const DimMask& mask, bool keepdim);

// IndexError where a dimension that is reduced has no elements, for reductions without an identity.
TSC_API void check_reducible(const Tensor& self, const DimMask& mask, const char* name);

struct ReductionRequest {
  cpu::Reduction op;
  // The reduction's name in the message for a dtype that does not have it.
  const char* name;
  // Elements are converted to this type first.
  ScalarType convert_to = ScalarType::Undefined;
  cpu::ReduceParameters parameters{};
};
// Reduces `self` into `out` (and `second` for reductions with two results), which have the reduced
// sizes, with or without the reduced dimensions. Nothing on Meta.
TSC_API void run_reduction(const ReductionRequest& request, const Tensor& self, const DimMask& mask,
                           const Tensor& out, const Tensor& second = Tensor());

}  // namespace tsc
