#include "autograd/nn/loss.h"

#include "core/keys/thread_local_state.h"
#include "gen/calls/add.h"
#include "gen/calls/div.h"
#include "gen/calls/log_sigmoid.h"
#include "gen/calls/logit.h"
#include "gen/calls/mul.h"
#include "gen/calls/neg.h"
#include "gen/calls/sigmoid.h"
#include "gen/calls/sub.h"
#include "gen/ops/loss.h"
#include "gen/ops/loss_native.h"

namespace tsc::autograd {

Tensor smooth_l1_loss_gradient(const Tensor& grad, const Tensor& self, const Tensor& target,
                               int64_t reduction, double beta) {
  return tls().grad_mode ? native::smooth_l1_loss_backward(grad, self, target, reduction, beta)
                         : smooth_l1_loss_backward(grad, self, target, reduction, beta);
}

Tensor huber_loss_gradient(const Tensor& grad, const Tensor& self, const Tensor& target,
                           int64_t reduction, double delta) {
  return tls().grad_mode ? native::huber_loss_backward(grad, self, target, reduction, delta)
                         : huber_loss_backward(grad, self, target, reduction, delta);
}

Tensor binary_cross_entropy_gradient(const Tensor& grad, const Tensor& self, const Tensor& target,
                                     OptionalTensorRef weight, int64_t reduction) {
  return tls().grad_mode
             ? native::binary_cross_entropy_backward(grad, self, target, weight, reduction)
             : binary_cross_entropy_backward(grad, self, target, weight, reduction);
}

namespace {

// Applies the weight, and the mean's divisor, to the gradient of each pair.
Tensor share(Tensor gradient, OptionalTensorRef weight, int64_t reduction) {
  constexpr int64_t kMean = 1;
  if (weight.has_value()) {
    gradient = mul(gradient, *weight);
  }
  return reduction == kMean ? div_(gradient, Scalar(gradient.numel())) : gradient;
}

}  // namespace

Tensor binary_cross_entropy_target_gradient(const Tensor& grad, const Tensor& self,
                                            OptionalTensorRef weight, int64_t reduction) {
  return share(mul(neg_(logit(self)), grad), weight, reduction);
}

Tensor logits_gradient(const Tensor& grad, const Tensor& self, const Tensor& target,
                       OptionalTensorRef weight, OptionalTensorRef pos_weight, int64_t reduction) {
  if (!pos_weight.has_value()) {
    return share(mul(sub(sigmoid(self), target), grad), weight, reduction);
  }
  const Tensor hit = mul(*pos_weight, target);
  const Tensor both = sub(add(hit, Scalar(1)), target);
  return share(mul(sub(mul(both, sigmoid(self)), hit), grad), weight, reduction);
}

Tensor logits_target_gradient(const Tensor& grad, const Tensor& self, OptionalTensorRef weight,
                              OptionalTensorRef pos_weight, int64_t reduction) {
  if (!pos_weight.has_value()) {
    return share(mul(neg(self), grad), weight, reduction);
  }
  const Tensor miss = log_sigmoid(neg(self));
  return share(mul(sub(miss, mul(log_sigmoid(self), *pos_weight)), grad), weight, reduction);
}

Tensor soft_margin_loss_gradient(const Tensor& grad, const Tensor& self, const Tensor& target,
                                 int64_t reduction) {
  return tls().grad_mode ? native::soft_margin_loss_backward(grad, self, target, reduction)
                         : soft_margin_loss_backward(grad, self, target, reduction);
}

Tensor multi_margin_loss_gradient(const Tensor& grad, const Tensor& self, const Tensor& target,
                                  const Scalar& p, const Scalar& margin, OptionalTensorRef weight,
                                  int64_t reduction) {
  return tls().grad_mode
             ? native::multi_margin_loss_backward(grad, self, target, p, margin, weight, reduction)
             : multi_margin_loss_backward(grad, self, target, p, margin, weight, reduction);
}

}  // namespace tsc::autograd
