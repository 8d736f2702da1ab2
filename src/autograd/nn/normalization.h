// Functions of the formulas in autograd/nn/normalization.yaml: they call the backward operators.
// Where the gradients must be differentiable, they compose them of differentiable operators, with
// statistics that depend on the input.
#pragma once

#include <array>

#include "autograd/operators.h"

namespace tsc::autograd {

using ThreeGradients = std::tuple<Tensor, Tensor, Tensor>;

ThreeGradients layer_norm_gradients(const Tensor& grad, const Tensor& input,
                                    IntArrayRef normalized_shape, const Tensor& mean,
                                    const Tensor& rstd, OptionalTensorRef weight,
                                    OptionalTensorRef bias, double eps,
                                    const std::array<bool, 3>& mask);
ThreeGradients batch_norm_gradients(const Tensor& grad, const Tensor& input,
                                    OptionalTensorRef weight, OptionalTensorRef running_mean,
                                    OptionalTensorRef running_var, const Tensor& mean,
                                    const Tensor& rstd, bool training, double eps,
                                    const std::array<bool, 3>& mask);
ThreeGradients group_norm_gradients(const Tensor& grad, const Tensor& input, const Tensor& mean,
                                    const Tensor& rstd, OptionalTensorRef weight, int64_t examples,
                                    int64_t channels, int64_t elements, int64_t groups, double eps,
                                    const std::array<bool, 3>& mask);

// The norm of a slice that is scaled depends on it, too.
Tensor renorm_backward(const Tensor& grad, const Tensor& self, const Scalar& p, int64_t dim,
                       const Scalar& maxnorm);

}  // namespace tsc::autograd
