#include "autograd/formulas/nn.h"

#include "gen/ops/binary.h"
#include "gen/ops/math.h"
#include "gen/ops/reduce.h"

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

}  // namespace tsc::autograd
