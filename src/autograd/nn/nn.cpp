#include "autograd/nn/nn.h"

#include "core/keys/thread_local_state.h"
#include "gen/calls/exp.h"
#include "gen/calls/sum.h"
#include "gen/ops/nn.h"
#include "gen/ops/nn_native.h"

namespace tsc::autograd {

Tensor softmax_output_gradient(const Tensor& grad, const Tensor& grad_output, int64_t dim,
                               const Tensor& output) {
  return grad_output * grad - sum(output * grad_output, {dim}, true) * grad -
         grad_output * sum(output * grad, {dim}, true);
}

Tensor log_softmax_grad_gradient(const Tensor& grad, int64_t dim, const Tensor& output) {
  return grad - sum(grad * exp(output), {dim}, true);
}

Tensor log_softmax_output_gradient(const Tensor& grad, const Tensor& grad_output, int64_t dim,
                                   const Tensor& output) {
  return -sum(grad_output, {dim}, true) * exp(output) * grad;
}

Tensor mse_loss_double_backward(const Tensor& grad, int64_t numel, int64_t reduction) {
  const Tensor doubled = grad * 2;
  constexpr int64_t kMean = 1;
  return reduction == kMean ? doubled / static_cast<double>(numel) : doubled;
}

AttentionGradients attention_gradients(const Tensor& grad, const Tensor& query, const Tensor& key,
                                       const Tensor& value, const Tensor& output,
                                       const Tensor& logsumexp, double dropout_p, bool is_causal,
                                       OptionalTensorRef mask, std::optional<double> scale) {
  if (!tls().grad_mode) {
    return _scaled_dot_product_flash_attention_for_cpu_backward(
        grad, query, key, value, output, logsumexp, dropout_p, is_causal, mask, scale);
  }
  const auto [again, sums] = native::_scaled_dot_product_flash_attention_for_cpu(
      query, key, value, dropout_p, is_causal, mask, scale);
  return native::_scaled_dot_product_flash_attention_for_cpu_backward(
      grad, query, key, value, again, sums, dropout_p, is_causal, mask, scale);
}

}  // namespace tsc::autograd
