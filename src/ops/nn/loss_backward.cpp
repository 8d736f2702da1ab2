// The gradients of losses of elements.
#include "gen/calls/clamp.h"
#include "gen/calls/clamp_min.h"
#include "gen/calls/div.h"
#include "gen/calls/gt.h"
#include "gen/calls/mul.h"
#include "gen/calls/rsub.h"
#include "gen/calls/sub.h"
#include "gen/calls/to.h"
#include "gen/ops/loss.h"
#include "gen/ops/loss_native.h"

namespace tsc::native {
namespace {

// The gradient of each pair's loss; for a mean, divided by the number of pairs.
Tensor share(const Tensor& grad_output, const Tensor& slope, int64_t reduction) {
  constexpr int64_t kMean = 1;
  const Tensor product = mul(slope, grad_output);
  return reduction == kMean ? div(product, Scalar(slope.numel())) : product;
}

}  // namespace

Tensor smooth_l1_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                               int64_t reduction, double beta) {
  const Tensor distance = sub(self, target);
  if (beta == 0) {
    // 1 or -1, without values in between.
    const Tensor above = to(gt(distance, Scalar(0)), distance.dtype());
    return share(grad_output, sub(mul(above, Scalar(2)), Scalar(1)), reduction);
  }
  return share(grad_output, clamp(div(distance, Scalar(beta)), Scalar(-1.0), Scalar(1.0)),
               reduction);
}

Tensor huber_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                           int64_t reduction, double delta) {
  return share(grad_output, clamp(sub(self, target), Scalar(-delta), Scalar(delta)), reduction);
}

Tensor binary_cross_entropy_backward(const Tensor& grad_output, const Tensor& self,
                                     const Tensor& target, OptionalTensorRef weight,
                                     int64_t reduction) {
  // Where the probability is 0 or 1, the denominator would be 0.
  constexpr double kLeast = 1e-12;
  const Tensor denominator = clamp_min(mul(rsub(self, Scalar(1)), self), Scalar(kLeast));
  const Tensor slope = div(sub(self, target), denominator);
  return share(grad_output, weight.has_value() ? mul(slope, *weight) : slope, reduction);
}

}  // namespace tsc::native
