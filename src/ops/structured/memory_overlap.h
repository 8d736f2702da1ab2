// Checks whether elements to be written share memory with one another or with an input.
#pragma once

#include "core/tensor.h"

namespace tsc {

// Whether several elements of `tensor` share one place in memory, as far as the strides tell.
TSC_API bool has_internal_overlap(const Tensor& tensor);
// RuntimeError when several elements of `tensor`, which is to be written, share one place in
// memory.
TSC_API void check_no_internal_overlap(const Tensor& tensor);
// RuntimeError when `output` and `input` share memory without being the same elements.
TSC_API void check_no_partial_overlap(const Tensor& output, const Tensor& input);
// RuntimeError when they share any memory.
TSC_API void check_no_overlap(const Tensor& output, const Tensor& input);

}  // namespace tsc
