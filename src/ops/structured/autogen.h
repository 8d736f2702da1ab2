// Used by the generated variants (out=, in-place, copy) of functional operators to store their
// result.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/tensor.h"
#include "ops/structured/memory_overlap.h"

namespace tsc {

// Which `out` takes the result's strides: none, one that is resized, or one without elements.
enum class OutStrides : uint8_t { Contiguous, Resized, Empty };

// Resizes `out` to the result's sizes, with PyTorch's warning where it had others, and copies the
// elements. RuntimeError where its dtype cannot hold them, or it is on another device.
TSC_API const Tensor& store_result(const Tensor& result, const Tensor& out,
                                   OutStrides strides = OutStrides::Contiguous);
// The same for results of any layout.
TSC_API const Tensor& store_whole(const Tensor& result, const Tensor& out);
// The same for operators whose `out` has the result's own dtype; RuntimeError for another.
TSC_API const Tensor& store_exact(const Tensor& result, const Tensor& out,
                                  OutStrides strides = OutStrides::Contiguous);
// store_exact() for operators that PyTorch has write to `out` at once: RuntimeError where it is one
// of the inputs and would be resized.
template <class... Inputs>
const Tensor& store_beside(const Tensor& result, const Tensor& out, const Inputs&... inputs) {
  if (is_an_input(out, inputs...) && out.sizes() != result.sizes()) {
    check_no_overlap(out, out);
  }
  return store_exact(result, out);
}
// RuntimeError where an input shares memory with `out`.
template <class... Inputs>
void check_apart(const Tensor& out, const Inputs&... inputs) {
  (check_no_overlap(out, inputs), ...);
}
// RuntimeError where an argument of an out= form requires grad, for forms that are made of operators
// which have their gradients.
TSC_API bool requires_gradient(const Tensor& tensor);
TSC_API bool requires_gradient(OptionalTensorRef tensor);
TSC_API bool requires_gradient(TensorList tensors);
[[noreturn]] TSC_API void throw_out_gradient(std::string_view name);
template <class... Tensors>
void refuse_gradient(std::string_view name, const Tensors&... tensors) {
  if ((requires_gradient(tensors) || ...)) {
    throw_out_gradient(name);
  }
}
// Copies the elements of the result to self, which has the same sizes.
TSC_API const Tensor& store_in_place(const Tensor& result, const Tensor& self);

// A view's elements as a tensor of its own.
TSC_API Tensor copied(const Tensor& view);
TSC_API std::vector<Tensor> copied(const std::vector<Tensor>& views);

}  // namespace tsc
