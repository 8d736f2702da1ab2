// Longer formulas of autograd/nn.yaml.
#pragma once

#include "autograd/formulas/operators.h"

namespace tsc::autograd {

// Of _softmax_backward_data with respect to the softmax's output.
Tensor softmax_output_gradient(const Tensor& grad, const Tensor& grad_output, int64_t dim,
                               const Tensor& output);
// Of _log_softmax_backward_data with respect to its gradient and to the output.
Tensor log_softmax_grad_gradient(const Tensor& grad, int64_t dim, const Tensor& output);
Tensor log_softmax_output_gradient(const Tensor& grad, const Tensor& grad_output, int64_t dim,
                                   const Tensor& output);

}  // namespace tsc::autograd
