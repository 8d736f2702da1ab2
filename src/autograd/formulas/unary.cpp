#include "autograd/formulas/unary.h"

#include <limits>

#include "gen/ops/binary.h"
#include "gen/ops/compare.h"
#include "gen/ops/logic.h"
#include "gen/ops/math.h"
#include "gen/ops/reduce.h"
#include "gen/ops/unary.h"
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
    return zeros_of(self);
  }
  const Scalar turn(std::complex<double>(0, 1));
  return zero_or(eq(self, 0.0), grad * self / square(abs(self)) * turn);
}

Tensor is_finite(const Tensor& tensor) { return isfinite(tensor); }

Tensor logit_backward(const Tensor& grad, const Tensor& self, std::optional<double> eps) {
  const double low = eps.value_or(0.0);
  const double outside = eps.has_value() ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  return where(logical_or(lt(self, low), gt(self, 1.0 - low)), number_like(outside, grad),
               grad / (self * (1.0 - self)));
}

}  // namespace tsc::autograd
