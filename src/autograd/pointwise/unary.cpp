#include "autograd/pointwise/unary.h"

#include <limits>

#include "core/keys/thread_local_state.h"
#include "gen/calls/div.h"
#include "gen/calls/eq.h"
#include "gen/calls/gt.h"
#include "gen/calls/isfinite.h"
#include "gen/calls/logical_or.h"
#include "gen/calls/lt.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/mul.h"
#include "gen/calls/real.h"
#include "gen/calls/rsub.h"
#include "gen/calls/square.h"
#include "gen/calls/where.h"
#include "gen/calls/zeros.h"
#include "gen/calls/zeros_like.h"
#include "gen/ops/unary.h"

namespace tsc::autograd {

Tensor sgn_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  if (!self.is_complex()) {
    return zeros_of(self);
  }
  // The part of the gradient across the direction of self rotates it; the part along it has no
  // effect.
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

// Made of operators that have derivatives where the gradient itself may be differentiated.
Tensor logit_gradient(const Tensor& grad, const Tensor& self, std::optional<double> eps) {
  if (!tls().grad_mode) {
    return logit_backward(grad, self, eps);
  }
  const Tensor slope = div(grad, mul(self, rsub(self, Scalar(1.0))));
  const double low = eps.value_or(0.0);
  const double outside = eps.has_value() ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  const Tensor is_outside = logical_or(lt(self, Scalar(low)), gt(self, Scalar(1.0 - low)));
  return masked_fill(slope, is_outside, Scalar(outside));
}

}  // namespace tsc::autograd
