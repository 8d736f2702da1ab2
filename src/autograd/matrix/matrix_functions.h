// Longer formulas of autograd/matrix/matrix_functions.yaml.
#pragma once

#include "autograd/operators.h"

namespace tsc::autograd {

Tensor pinv_backward(const Tensor& grad, const Tensor& inverse, const Tensor& a);
Tensor matrix_exp_backward(const Tensor& grad, const Tensor& a);

}  // namespace tsc::autograd
