// Functions of the formulas in autograd/nn/loss.yaml. Those with a backward operator call it; where
// the gradient must be differentiable, they compose it of differentiable operators.
#pragma once

#include "autograd/operators.h"

namespace tsc::autograd {

Tensor smooth_l1_loss_gradient(const Tensor& grad, const Tensor& self, const Tensor& target,
                               int64_t reduction, double beta);
Tensor huber_loss_gradient(const Tensor& grad, const Tensor& self, const Tensor& target,
                           int64_t reduction, double delta);
Tensor binary_cross_entropy_gradient(const Tensor& grad, const Tensor& self, const Tensor& target,
                                     OptionalTensorRef weight, int64_t reduction);
Tensor binary_cross_entropy_target_gradient(const Tensor& grad, const Tensor& self,
                                            OptionalTensorRef weight, int64_t reduction);
Tensor logits_gradient(const Tensor& grad, const Tensor& self, const Tensor& target,
                       OptionalTensorRef weight, OptionalTensorRef pos_weight, int64_t reduction);
Tensor logits_target_gradient(const Tensor& grad, const Tensor& self, OptionalTensorRef weight,
                              OptionalTensorRef pos_weight, int64_t reduction);

Tensor soft_margin_loss_gradient(const Tensor& grad, const Tensor& self, const Tensor& target,
                                 int64_t reduction);
Tensor multi_margin_loss_gradient(const Tensor& grad, const Tensor& self, const Tensor& target,
                                  const Scalar& p, const Scalar& margin, OptionalTensorRef weight,
                                  int64_t reduction);

}  // namespace tsc::autograd
