// Second derivatives for autograd/activation.yaml, times `grad`.
#pragma once

#include <string_view>

#include "autograd/formulas/operators.h"

namespace tsc::autograd {

Tensor elu_second_derivative(const Tensor& grad, const Scalar& alpha, const Scalar& scale,
                             const Scalar& input_scale, bool is_result,
                             const Tensor& self_or_result);
Tensor gelu_second_derivative(const Tensor& grad, const Tensor& self, std::string_view approximate);
Tensor silu_second_derivative(const Tensor& grad, const Tensor& self);
Tensor softplus_second_derivative(const Tensor& grad, const Tensor& self, const Scalar& beta,
                                  const Scalar& threshold);
Tensor log_sigmoid_second_derivative(const Tensor& grad, const Tensor& self);

}  // namespace tsc::autograd
