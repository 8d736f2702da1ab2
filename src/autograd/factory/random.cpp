#include "autograd/factory/random.h"

#include "core/keys/thread_local_state.h"
#include "gen/ops/random.h"

namespace tsc::autograd {

Tensor dropout_backward(const Tensor& grad, const Tensor& mask, double p,
                        const std::optional<bool>& train) {
  const double scale = !train.value_or(false) ? 1.0 : p == 1 ? 0.0 : 1.0 / (1.0 - p);
  // With grad mode on the formula must itself be differentiable, to any order.
  if (tls().grad_mode) {
    return grad * (cast(mask, grad.dtype()) * scale);
  }
  return native_dropout_backward(grad, mask, scale);
}

}  // namespace tsc::autograd
