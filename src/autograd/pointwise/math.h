// Longer formulas of autograd/pointwise/math.yaml.
#pragma once

#include <numbers>

#include "autograd/operators.h"

namespace tsc::autograd {

inline constexpr double kTwoOverSqrtPi = 2 * std::numbers::inv_sqrtpi;

Tensor cube(const Tensor& tensor);
Tensor acosh_gradient(const Tensor& grad, const Tensor& self);
Tensor tanh_gradient(const Tensor& grad, const Tensor& result);
Tensor sigmoid_gradient(const Tensor& grad, const Tensor& result);

}  // namespace tsc::autograd
