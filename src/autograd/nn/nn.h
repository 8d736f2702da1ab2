// Longer formulas of autograd/nn/nn.yaml.
#pragma once

#include <optional>
#include <tuple>

#include "autograd/operators.h"

namespace tsc::autograd {

// The gradient of _softmax_backward_data with respect to the softmax's output.
Tensor softmax_output_gradient(const Tensor& grad, const Tensor& grad_output, int64_t dim,
                               const Tensor& output);
// The gradients of _log_softmax_backward_data with respect to its gradient and to the output.
Tensor log_softmax_grad_gradient(const Tensor& grad, int64_t dim, const Tensor& output);
Tensor log_softmax_output_gradient(const Tensor& grad, const Tensor& grad_output, int64_t dim,
                                   const Tensor& output);

// The gradient of mse_loss_backward with respect to self; a mean divides by `numel`.
Tensor mse_loss_double_backward(const Tensor& grad, int64_t numel, int64_t reduction);

using AttentionGradients = std::tuple<Tensor, Tensor, Tensor>;
AttentionGradients attention_gradients(const Tensor& grad, const Tensor& query, const Tensor& key,
                                       const Tensor& value, const Tensor& output,
                                       const Tensor& logsumexp, double dropout_p, bool is_causal,
                                       OptionalTensorRef mask, std::optional<double> scale);

}  // namespace tsc::autograd
