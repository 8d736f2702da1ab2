// Resizing tensors that the caller provided.
#pragma once

#include "core/tensor.h"

namespace tsc {

// Resizes `output`, with PyTorch's warning where it had elements and other sizes. Returns whether
// its sizes changed.
TSC_API bool resize_output(const Tensor& output, IntArrayRef sizes);

// RuntimeError for a negative offset.
TSC_API void check_storage_offset(int64_t offset);

// Sets sizes and strides (elements; contiguous where there are none) in place, and grows the
// storage where it is too small; elements keep their values.
TSC_API void resize_in_place(const Tensor& tensor, IntArrayRef sizes,
                             OptionalIntArrayRef strides = std::nullopt);

}  // namespace tsc
