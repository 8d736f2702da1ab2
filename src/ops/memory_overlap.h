// Whether elements that are to be written share memory with one another or with what is read.
#pragma once

#include "core/tensor.h"

namespace tsc {

// Whether several elements of `tensor` are one place in memory, as far as a look at the strides
// says.
TSC_API bool has_internal_overlap(const Tensor& tensor);
// RuntimeError when several elements of `tensor`, which is to be written, are one place in memory.
TSC_API void check_no_internal_overlap(const Tensor& tensor);
// RuntimeError when `output` and `input` share some memory without being the same elements.
TSC_API void check_no_partial_overlap(const Tensor& output, const Tensor& input);
// RuntimeError when they share any.
TSC_API void check_no_overlap(const Tensor& output, const Tensor& input);

}  // namespace tsc
