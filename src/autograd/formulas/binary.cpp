#include "autograd/formulas/binary.h"

#include "gen/ops/binary.h"
#include "gen/ops/compare.h"
#include "gen/ops/logic.h"
#include "gen/ops/math.h"
#include "gen/ops/view.h"
#include "ops/result_type.h"

namespace tsc::autograd {

Tensor div_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return -grad * conjugate((self / other) / other);
}

Tensor pow_backward(const Tensor& grad, const Tensor& self, const Scalar& exponent) {
  if (!exponent.to_bool()) {
    return zeros_of(self);
  }
  const Scalar less = exponent.is_complex() ? Scalar(exponent.to_complex() - 1.0)
                                            : Scalar(exponent.to_double() - 1.0);
  const Scalar factor = exponent.is_complex() ? exponent : Scalar(exponent.to_double());
  return real_if_real(grad * conjugate(factor * pow(self, less)), self.dtype());
}

Tensor pow_backward_self(const Tensor& grad, const Tensor& self, const Tensor& exponent) {
  return real_if_real(
      zero_or(eq(exponent, 0.0), grad * conjugate(exponent * pow(self, exponent - 1))),
      self.dtype());
}

namespace {

// Where an exponent is real and not below zero.
Tensor is_not_below_zero(const Tensor& exponent) {
  return exponent.is_complex() ? logical_and(eq(imag(exponent), 0), ge(real(exponent), 0))
                               : ge(exponent, 0);
}

}  // namespace

Tensor pow_backward_exponent(const Tensor& grad, const Tensor& self, const Tensor& exponent,
                             const Tensor& result) {
  const Tensor is_flat = logical_and(eq(self, 0), is_not_below_zero(exponent));
  const Tensor base = cast(self, result_type(self, exponent));
  return real_if_real(grad * zero_or(is_flat, conjugate(result * log(base))), exponent.dtype());
}

Tensor pow_backward_exponent(const Tensor& grad, const Scalar& self, const Tensor& exponent,
                             const Tensor& result) {
  const Scalar log_base = self.is_complex() || exponent.is_complex()
                              ? Scalar(std::log(self.to_complex()))
                              : Scalar(std::log(self.to_double()));
  const Tensor slope = conjugate(result * log_base);
  const Tensor masked = self.to_bool() ? slope : zero_or(is_not_below_zero(exponent), slope);
  return real_if_real(grad * masked, exponent.dtype());
}

namespace {

// `grad`, half of it where the two are equal, nothing where `is_other`.
Tensor extreme_backward(const Tensor& grad, const Tensor& self, const Tensor& other,
                        const Tensor& is_other) {
  return zero_or(is_other, where(eq(self, other), grad / 2, grad));
}

}  // namespace

Tensor larger_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return extreme_backward(grad, self, other, lt(self, other));
}
Tensor smaller_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return extreme_backward(grad, self, other, gt(self, other));
}
Tensor fmax_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  const Tensor is_self = logical_or(ge(self, other), isnan(other));
  return extreme_backward(grad, self, other, logical_not(is_self));
}
Tensor fmax_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return extreme_backward(grad, self, other, logical_or(gt(self, other), isnan(other)));
}
Tensor fmin_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  const Tensor is_self = logical_or(le(self, other), isnan(other));
  return extreme_backward(grad, self, other, logical_not(is_self));
}
Tensor fmin_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return extreme_backward(grad, self, other, logical_or(lt(self, other), isnan(other)));
}

std::tuple<Tensor, Tensor> atan2_backward(const Tensor& grad, const Tensor& self,
                                          const Tensor& other, const std::array<bool, 2>& mask) {
  const Tensor scaled = reciprocal(self * self + other * other);
  return {mask[0] ? grad * other * scaled : Tensor(), mask[1] ? grad * -self * scaled : Tensor()};
}

Tensor copysign_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  return grad * zero_or(eq(self, 0), result / self);
}

Scalar one_minus(const Scalar& number) {
  return number.is_complex() ? Scalar(1.0 - number.to_complex()) : Scalar(1.0 - number.to_double());
}

Tensor where_above(const Tensor& grad, const Tensor& self, const Scalar& bound) {
  return where_or_zero(gt(self, bound), grad);
}
Tensor where_below(const Tensor& grad, const Tensor& self, const Scalar& bound) {
  return where_or_zero(lt(self, bound), grad);
}

namespace {

template <class Bound>
Tensor clamp_inside(const Tensor& grad, const Tensor& self, const Bound* min, const Bound* max) {
  if (min != nullptr && max != nullptr) {
    return where_or_zero(logical_and(ge(self, *min), le(self, *max)), grad);
  }
  if (min != nullptr) {
    return where_or_zero(ge(self, *min), grad);
  }
  return max != nullptr ? where_or_zero(le(self, *max), grad) : grad;
}

}  // namespace

Tensor clamp_backward(const Tensor& grad, const Tensor& self, const std::optional<Scalar>& min,
                      const std::optional<Scalar>& max) {
  return clamp_inside(grad, self, min.has_value() ? &*min : nullptr,
                      max.has_value() ? &*max : nullptr);
}

Tensor clamp_backward(const Tensor& grad, const Tensor& self, const Tensor& min,
                      const Tensor& max) {
  return clamp_inside(grad, self, min.defined() ? &min : nullptr, max.defined() ? &max : nullptr);
}

std::tuple<Tensor, Tensor> clamp_bounds_backward(const Tensor& grad, const Tensor& self,
                                                 const Tensor& min, const Tensor& max,
                                                 const std::array<bool, 2>& mask) {
  // Where the bounds cross, the result is the upper one.
  Tensor below = min.defined() ? lt(self, min) : Tensor();
  Tensor above = max.defined() ? gt(self, max) : Tensor();
  if (min.defined() && max.defined()) {
    below = logical_and(below, lt(min, max));
    above = logical_or(above, lt(max, min));
  }
  return {mask[0] && min.defined() ? where_or_zero(below, grad) : Tensor(),
          mask[1] && max.defined() ? where_or_zero(above, grad) : Tensor()};
}

}  // namespace tsc::autograd
