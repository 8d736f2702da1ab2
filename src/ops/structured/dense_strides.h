// The strides of a result that is laid out like an input.
#pragma once

#include "core/small_vector.h"
#include "core/tensor.h"

namespace tsc {

// Those of `self` where its elements fill one piece of memory. Otherwise strides, in elements, of
// such a piece with the dimensions in the same order; where that leaves it open, the last dimension
// is the fastest.
TSC_API DimVector dense_strides_like(const Tensor& self);

}  // namespace tsc
