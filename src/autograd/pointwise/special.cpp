#include "autograd/pointwise/special.h"

#include "core/keys/thread_local_state.h"
#include "gen/calls/abs.h"
#include "gen/calls/arange.h"
#include "gen/calls/bitwise_and.h"
#include "gen/calls/cos.h"
#include "gen/calls/eq.h"
#include "gen/calls/le.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/reciprocal.h"
#include "gen/calls/sgn.h"
#include "gen/calls/sin.h"
#include "gen/calls/sum.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/where.h"
#include "gen/ops/special.h"
#include "ops/matrix/matrix_batches.h"

namespace tsc::autograd {

namespace {

// The formulas of i1 and i1e divide by self, so near 0 the slope is that at 0.
template <class Slope>
Tensor bessel_backward(const Tensor& grad, const Tensor& self, const Slope& slope) {
  const double epsilon = epsilon_of(self.dtype());
  const Tensor is_small = le(abs(self), epsilon);
  const Tensor safe = where(is_small, number_like(epsilon, self), self);
  const Tensor beside = slope(safe);
  return grad * where(is_small, number_like(0.5, self), beside);
}

}  // namespace

Tensor xlogy_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  const Tensor slope = xlogy(grad, other);
  return masked_fill(slope, bitwise_and(eq(self, 0.0), le(other, 0.0)), 0.0);
}

Tensor xlogy_self_backward(const Tensor& grad, const Tensor& self, const Scalar& other) {
  const Tensor slope = xlogy(grad, other);
  return other.to_double() > 0 ? slope : masked_fill(slope, eq(self, 0.0), 0.0);
}

Tensor xlog1py_self_backward(const Tensor& grad, const Tensor& self, const Scalar& other) {
  const Tensor slope = special_xlog1py(grad, other);
  return other.to_double() > -1 ? slope : masked_fill(slope, eq(self, 0.0), 0.0);
}

Tensor xlog1py_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  const Tensor slope = special_xlog1py(grad, other);
  return masked_fill(slope, bitwise_and(eq(self, 0.0), le(other, -1.0)), 0.0);
}

Tensor mvlgamma_slope(const Tensor& self, int64_t p) {
  const Tensor steps = arange(-static_cast<double>(p) / 2 + 0.5, 0.5, 0.5, self.options());
  const Tensor points = steps + unsqueeze(self, -1);
  return sum(tls().grad_mode ? digamma(points) : digamma_(points), IntArrayRef(-1));
}

Tensor sinc_backward(const Tensor& grad, const Tensor& self) {
  const Tensor angle = self * std::numbers::pi;
  const Tensor divisor = self * self * std::numbers::pi;
  const Tensor slope = (angle * cos(angle) - sin(angle)) / divisor;
  const Tensor result = grad * conjugate(slope);
  const Tensor none = number_like(0.0, grad);
  return where(eq(divisor, 0.0), none, result);
}

Tensor i1_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  return bessel_backward(grad, self, [&](const Tensor& safe) {
    const Tensor quotient = result * reciprocal(safe);
    return i0(safe) - quotient;
  });
}

Tensor i1e_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  return bessel_backward(grad, self, [&](const Tensor& safe) {
    const Tensor inverse = reciprocal(safe);
    const Tensor product = result * (sgn(safe) + inverse);
    return special_i0e(safe) - product;
  });
}

}  // namespace tsc::autograd
