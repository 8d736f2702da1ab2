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

}  // namespace tsc::autograd
