// Longer formulas of autograd/matrix.yaml.
#pragma once

#include "autograd/formulas/operators.h"

namespace tsc::autograd {

Tensor pinv_backward(const Tensor& grad, const Tensor& inverse, const Tensor& a);
Tensor matrix_exp_backward(const Tensor& grad, const Tensor& a);

}  // namespace tsc::autograd
