#include "autograd/formulas/unary.h"

#include "core/thread_local_state.h"
#include "gen/ops/binary.h"
#include "gen/ops/compare.h"
#include "gen/ops/factory.h"
#include "gen/ops/logic.h"
#include "gen/ops/math.h"
#include "gen/ops/reduce.h"
#include "gen/ops/unary.h"
#include "gen/ops/unary_native.h"
#include "gen/ops/view.h"

namespace tsc::autograd {

Tensor sgn_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  if (!self.is_complex()) {
    return zeros_of(self);
  }
  // The part of the gradient that is across the direction of self turns it; the part along it does
  // nothing.
  const Tensor length = abs(self);
  const Tensor across = (grad - real(conjugate(grad) * result) * result) / length;
  return zero_or(eq(length, 0.0), across);
}

Tensor angle_backward(const Tensor& grad, const Tensor& self) {
  if (!self.is_complex()) {
    return zeros_like(self, {}, MemoryFormat::Preserve);
  }
  const Scalar turn(std::complex<double>(0, 1));
  const Tensor slope = grad * self / square(abs(self)) * turn;
  const Tensor none = zeros({}, self.options());
  return where(eq(self, 0.0), none, slope);
}

Tensor is_finite(const Tensor& tensor) { return isfinite(tensor); }

Tensor logit_gradient(const Tensor& grad, const Tensor& self, std::optional<double> eps) {
  return tls().grad_mode ? native::logit_backward(grad, self, eps)
                         : logit_backward(grad, self, eps);
}

}  // namespace tsc::autograd
