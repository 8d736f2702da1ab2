// Resizing tensors that the caller provided.
#pragma once

#include "core/tensor.h"

namespace tsc {

// Gives `output` the sizes. Where it had elements and other sizes, with PyTorch's warning. Returns
// whether it changed.
TSC_API bool resize_output(const Tensor& output, IntArrayRef sizes);

// RuntimeError for an offset in front of the memory.
TSC_API void check_storage_offset(int64_t offset);

// Sizes and strides (contiguous where there are none) in place, growing the storage where it is too
// small; elements that stay keep their values.
TSC_API void resize_in_place(const Tensor& tensor, IntArrayRef sizes,
                             OptionalIntArrayRef strides = std::nullopt);

}  // namespace tsc
