// Functions of the formulas in autograd/matrix/products.yaml.
#pragma once

#include <array>
#include <tuple>

#include "autograd/matrix/matmul.h"

namespace tsc::autograd {

// The gradients of a sum of `count` products of matrices, with respect to the left and the right
// ones.
Tensor addbmm_left_backward(const Tensor& grad, int64_t count, const Tensor& right);
Tensor addbmm_right_backward(const Tensor& grad, const Tensor& left);

std::tuple<Tensor, Tensor> euclidean_distance_gradients(const Tensor& grad, const Tensor& x1,
                                                        const Tensor& x2, const Tensor& distance,
                                                        const std::array<bool, 2>& mask);
// The gradient for x1. Calls the backward operator; where the gradient must be differentiable,
// composes it of differentiable operators.
Tensor distance_gradient(const Tensor& grad, const Tensor& x1, const Tensor& x2, double p,
                         const Tensor& distance);

}  // namespace tsc::autograd
