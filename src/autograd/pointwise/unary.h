// Longer formulas of autograd/pointwise/unary.yaml.
#pragma once

#include <numbers>
#include <optional>

#include "autograd/operators.h"

namespace tsc::autograd {

Tensor sgn_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Tensor angle_backward(const Tensor& grad, const Tensor& self);
// 1 where finite, 0 elsewhere, as a mask.
Tensor is_finite(const Tensor& tensor);
Tensor logit_gradient(const Tensor& grad, const Tensor& self, std::optional<double> eps);

}  // namespace tsc::autograd
