// Views below the dispatcher: the same memory with other sizes, strides or dtype.
#pragma once

#include "core/small_vector.h"
#include "core/tensor.h"
#include "core/tensor_factory.h"
#include "ops/inner_call.h"

namespace tsc {

// The strides that show `tensor` with `sizes` (as many elements) without a copy; nullopt where
// there are none.
TSC_API std::optional<DimVector> strides_for_view(const Tensor& tensor, IntArrayRef sizes);

// What view kernels return. PyTorch's make it by as_strided, and so does this where it shows.
TSC_API Tensor strided_view_by_call(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                                    int64_t storage_offset);
TSC_ALWAYS_INLINE Tensor strided_view(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                                      int64_t storage_offset) {
  return shows_inner_calls() ? strided_view_by_call(self, sizes, strides, storage_offset)
                             : view_tensor(self, sizes, strides, storage_offset);
}

// What x.view(size) gives; one size may be -1. RuntimeError where a copy would be needed. For the
// `view` of any backend with strided memory.
TSC_API Tensor view_with_size(const Tensor& self, IntArrayRef size);

// A complex tensor as a real one with a last dimension of 2: the parts.
TSC_API Tensor view_as_real_parts(const Tensor& complex);

}  // namespace tsc
