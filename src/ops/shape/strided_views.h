// Views below the dispatcher: the same memory with other sizes, strides or dtype.
#pragma once

#include "core/small_vector.h"
#include "core/tensor.h"
#include "core/tensor_factory.h"

namespace tsc {

// The strides with which `sizes` (of as many elements) view `tensor` without a copy; nullopt where
// there are none.
TSC_API std::optional<DimVector> strides_for_view(const Tensor& tensor, IntArrayRef sizes);

// What x.view(size) gives; one size may be -1. RuntimeError where a copy would be needed. For the
// `view` of any backend with strided memory.
TSC_API Tensor view_with_size(const Tensor& self, IntArrayRef size);

// A complex tensor as a real one: the last dimension, of size 2, has the parts.
TSC_API Tensor view_as_real_parts(const Tensor& complex);

}  // namespace tsc
