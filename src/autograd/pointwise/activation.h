// Formulas of autograd/pointwise/activation.yaml. Second derivatives are multiplied by `grad`.
#pragma once

#include <array>
#include <string_view>

#include "autograd/operators.h"

namespace tsc::autograd {

Tensor elu_second_derivative(const Tensor& grad, const Scalar& alpha, const Scalar& scale,
                             const Scalar& input_scale, bool is_result,
                             const Tensor& self_or_result);
Tensor gelu_second_derivative(const Tensor& grad, const Tensor& self, std::string_view approximate);
Tensor silu_second_derivative(const Tensor& grad, const Tensor& self);
Tensor softplus_second_derivative(const Tensor& grad, const Tensor& self, const Scalar& beta,
                                  const Scalar& threshold);
Tensor log_sigmoid_second_derivative(const Tensor& grad, const Tensor& self);

// First derivatives. They call the backward operator; where the gradient must be differentiable,
// they compose it of differentiable operators.
Tensor hardtanh_gradient(const Tensor& grad, const Tensor& self, const Scalar& min_val,
                         const Scalar& max_val);
Tensor mish_gradient(const Tensor& grad, const Tensor& self);
Tensor hardswish_gradient(const Tensor& grad, const Tensor& self);
Tensor glu_gradient(const Tensor& grad, const Tensor& self, int64_t dim);
std::tuple<Tensor, Tensor> prelu_gradients(const Tensor& grad, const Tensor& self,
                                           const Tensor& weight, const std::array<bool, 2>& mask);

}  // namespace tsc::autograd
