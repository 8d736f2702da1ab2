// Longer formulas of autograd/view.yaml.
#pragma once

#include <optional>
#include <span>

#include "autograd/copy_slices.h"
#include "autograd/formulas/operators.h"
#include "autograd/manual_kernels.h"
#include "core/tensor_options.h"
#include "gen/ops/factory.h"
#include "gen/ops/math_bits.h"
#include "gen/ops/shape.h"

namespace tsc::autograd {

// Several elements of `grad` may show one element of `self`: their gradients add up. And `self` may
// itself show an element several times: then the gradient is shared among these.
Tensor as_strided_backward(const Tensor& grad, const TensorGeometry& self, IntArrayRef sizes,
                           IntArrayRef strides, std::optional<int64_t> storage_offset);
Tensor permute_backward(const Tensor& grad, IntArrayRef dims);
// Puts dimensions of size 1 back that squeeze() took out: all there were, or those of `dims`.
Tensor unsqueeze_to(const Tensor& grad, IntArrayRef sizes);
Tensor unsqueeze_to(const Tensor& grad, int64_t dim, IntArrayRef sizes);
Tensor unsqueeze_to(const Tensor& grad, IntArrayRef dims, IntArrayRef sizes);
// Views that were not used have undefined gradients.
Tensor unbind_backward(std::span<const Tensor> grads, IntArrayRef sizes,
                       const TensorOptions& options, int64_t dim);
Tensor split_backward(std::span<const Tensor> grads, IntArrayRef sizes,
                      const TensorOptions& options, int64_t split_size, int64_t dim);
Tensor split_with_sizes_backward(std::span<const Tensor> grads, IntArrayRef sizes,
                                 const TensorOptions& options, IntArrayRef split_sizes,
                                 int64_t dim);
Tensor as_contiguous(const Tensor& tensor);

}  // namespace tsc::autograd
