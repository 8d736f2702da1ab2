// What the forms that codegen makes of a functional operator do with its result.
#pragma once

#include "core/tensor.h"

namespace tsc {

// `out` gets the result's sizes, with PyTorch's warning where it had others, and its elements.
// RuntimeError where its dtype cannot hold them.
TSC_API const Tensor& store_result(const Tensor& result, const Tensor& out);
// The same for operators whose `out` has the result's own dtype; RuntimeError for another.
TSC_API const Tensor& store_exact(const Tensor& result, const Tensor& out);
// The elements of self become those of the result, which has its sizes.
TSC_API const Tensor& store_in_place(const Tensor& result, const Tensor& self);

// A view's elements as a tensor of its own.
TSC_API Tensor copied(const Tensor& view);
TSC_API std::vector<Tensor> copied(const std::vector<Tensor>& views);

}  // namespace tsc
