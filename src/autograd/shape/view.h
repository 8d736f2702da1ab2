// Longer formulas of autograd/shape/view.yaml.
#pragma once

#include <optional>
#include <span>

#include "autograd/copy_slices.h"
#include "autograd/manual_kernels.h"
#include "autograd/operators.h"
#include "core/tensor_options.h"

namespace tsc::autograd {

// Several elements of `grad` may belong to one element of `self`: they are added. If several
// elements of `self` in turn share memory, the gradient is divided among them.
Tensor as_strided_backward(const Tensor& grad, const TensorGeometry& self, IntArrayRef sizes,
                           IntArrayRef strides, std::optional<int64_t> storage_offset);
Tensor permute_backward(const Tensor& grad, IntArrayRef dims);
// Restores the dimensions of size 1 that squeeze() removed: all of them, or those of `dims`.
Tensor unsqueeze_to(const Tensor& grad, IntArrayRef sizes);
Tensor unsqueeze_to(const Tensor& grad, int64_t dim, IntArrayRef sizes);
Tensor unsqueeze_to(const Tensor& grad, IntArrayRef dims, IntArrayRef sizes);
// Gradients of views that were not used are undefined.
Tensor unbind_backward(std::span<const Tensor> grads, IntArrayRef sizes,
                       const TensorOptions& options, int64_t dim);
Tensor split_backward(std::span<const Tensor> grads, IntArrayRef sizes,
                      const TensorOptions& options, int64_t split_size, int64_t dim);
Tensor split_with_sizes_backward(std::span<const Tensor> grads, IntArrayRef sizes,
                                 const TensorOptions& options, IntArrayRef split_sizes,
                                 int64_t dim);
Tensor as_contiguous(const Tensor& tensor);

}  // namespace tsc::autograd
