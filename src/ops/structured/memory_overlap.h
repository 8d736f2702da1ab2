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
TSC_API void check_no_overlap(const Tensor& output, TensorList inputs);
inline void check_no_overlap(const Tensor& output, const OptionalTensorRef& input) {
  if (input.has_value()) {
    check_no_overlap(output, *input);
  }
}

namespace detail {

inline bool is_in(const Tensor& tensor, const Tensor& input) {
  return input.defined() && input.is_same(tensor);
}
inline bool is_in(const Tensor& tensor, OptionalTensorRef input) { return is_in(tensor, *input); }
inline bool is_in(const Tensor& tensor, TensorList inputs) {
  for (const Tensor& input : inputs) {
    if (is_in(tensor, input)) {
      return true;
    }
  }
  return false;
}

}  // namespace detail

// Whether `output` is one of the tensors of a call's other arguments.
template <class... Inputs>
bool is_an_input(const Tensor& output, const Inputs&... inputs) {
  return (detail::is_in(output, inputs) || ...);
}

}  // namespace tsc
