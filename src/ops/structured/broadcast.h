// Shapes that broadcast against one another.
#pragma once

#include "core/small_vector.h"
#include "core/tensor.h"

namespace tsc {

// The number of elements that a tensor of these sizes has.
TSC_API int64_t product(IntArrayRef sizes);

// The shape of an elementwise result. RuntimeError "The size of tensor a (3) must match ...".
TSC_API DimVector broadcast_sizes(IntArrayRef a, IntArrayRef b);

// Whether `from` broadcasts to exactly `to`.
TSC_API bool is_expandable_to(IntArrayRef from, IntArrayRef to);

// RuntimeError in expand()'s words where `tensor` does not broadcast to `sizes`.
TSC_API void check_expandable(const Tensor& tensor, IntArrayRef sizes);

// Sizes with one -1 filled in so that `numel` elements fit. RuntimeError "shape '[2, 3]' is invalid
// for input of size 5".
TSC_API DimVector infer_size(IntArrayRef sizes, int64_t numel);

// The strides of `tensor` expanded to `sizes`: 0 in broadcast dimensions.
TSC_API DimVector expanded_strides(const Tensor& tensor, IntArrayRef sizes);
// A view of `tensor` with the given sizes, broadcast dimensions with stride 0, below the
// dispatcher.
TSC_API Tensor expand_to(const Tensor& tensor, IntArrayRef sizes);

}  // namespace tsc
