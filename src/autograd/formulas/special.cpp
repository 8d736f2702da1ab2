#include "autograd/formulas/special.h"

#include "gen/ops/indexing.h"
#include "gen/ops/logic.h"
#include "gen/ops/special.h"

namespace tsc::autograd {

namespace {

// 1 where self is 0: a divisor whose quotient is replaced there.
Tensor without_zero(const Tensor& self) { return masked_fill(self, eq(self, 0), 1); }

}  // namespace

Tensor xlogy_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  const Tensor slope = xlogy(grad, other);
  return masked_fill(slope, bitwise_and(eq(self, 0.0), le(other, 0.0)), 0.0);
}

Tensor sinc_backward(const Tensor& grad, const Tensor& self) {
  const Tensor angle = self * std::numbers::pi;
  const Tensor divisor = without_zero(self);
  const Tensor slope = (angle * cos(angle) - sin(angle)) / (divisor * divisor * std::numbers::pi);
  return grad * conjugate(masked_fill(slope, eq(self, 0), 0));
}

Tensor i1_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  const Tensor slope = i0(self) - result / without_zero(self);
  return grad * masked_fill(slope, eq(self, 0), 0.5);
}

Tensor i1e_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  const Tensor slope = special_i0e(self) - result * (sgn(self) + reciprocal(without_zero(self)));
  return grad * masked_fill(slope, eq(self, 0), 0.5);
}

}  // namespace tsc::autograd
