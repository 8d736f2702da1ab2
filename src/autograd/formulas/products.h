// What the formulas of autograd/products.yaml use.
#pragma once

#include <array>
#include <tuple>

#include "autograd/formulas/linalg.h"
#include "gen/ops/copy.h"
#include "gen/ops/linalg.h"
#include "gen/ops/view.h"

namespace tsc::autograd {

// Of a sum of products of `count` pairs of matrices, with respect to the left and the right ones.
Tensor addbmm_left_backward(const Tensor& grad, int64_t count, const Tensor& right);
Tensor addbmm_right_backward(const Tensor& grad, const Tensor& left);

std::tuple<Tensor, Tensor> euclidean_distance_gradients(const Tensor& grad, const Tensor& x1,
                                                        const Tensor& x2, const Tensor& distance,
                                                        const std::array<bool, 2>& mask);
// The gradient for x1. It calls the operator; where the gradient has to have a gradient, it does
// what that is made of.
Tensor distance_gradient(const Tensor& grad, const Tensor& x1, const Tensor& x2, double p,
                         const Tensor& distance);

}  // namespace tsc::autograd
