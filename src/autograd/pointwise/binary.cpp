#include "autograd/pointwise/binary.h"

#include "gen/calls/eq.h"
#include "gen/calls/ge.h"
#include "gen/calls/gt.h"
#include "gen/calls/imag.h"
#include "gen/calls/isnan.h"
#include "gen/calls/le.h"
#include "gen/calls/log.h"
#include "gen/calls/logical_and.h"
#include "gen/calls/logical_not.h"
#include "gen/calls/logical_or.h"
#include "gen/calls/lt.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/real.h"
#include "gen/calls/reciprocal.h"
#include "gen/ops/binary.h"
#include "ops/structured/result_type.h"

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
  const Tensor slope = grad * conjugate(exponent * pow(self, exponent - 1));
  return real_if_real(where(eq(exponent, 0.0), number_like(0.0, slope), slope), self.dtype());
}

namespace {

// The places where an exponent is real and not negative.
Tensor is_not_below_zero(const Tensor& exponent) {
  return exponent.is_complex() ? logical_and(eq(imag(exponent), 0), ge(real(exponent), 0))
                               : ge(exponent, 0);
}

}  // namespace

Tensor pow_backward_exponent(const Tensor& grad, const Tensor& self, const Tensor& exponent,
                             const Tensor& result) {
  const Tensor is_flat = logical_and(eq(self, 0), is_not_below_zero(exponent));
  const Tensor base = cast(self, promoted_type(self, exponent));
  const Tensor slope = conjugate(result * log(base));
  return real_if_real(grad * where(is_flat, number_like(0.0, slope), slope), exponent.dtype());
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

// `grad`, halved where the two are equal, 0 where `is_other`.
Tensor extreme_backward(const Tensor& grad, const Tensor& self, const Tensor& other,
                        const Tensor& is_other) {
  const Tensor half = grad / 2;
  return masked_fill(where(eq(self, other), half, grad), is_other, 0);
}

// The places where `condition` holds or `tensor` is NaN.
Tensor or_nan(const Tensor& condition, const Tensor& tensor) {
  return logical_or_(condition, isnan(tensor));
}

}  // namespace

Tensor larger_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return extreme_backward(grad, self, other, lt(self, other));
}
Tensor smaller_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return extreme_backward(grad, self, other, gt(self, other));
}
Tensor fmax_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return extreme_backward(grad, self, other, logical_not_(or_nan(ge(self, other), other)));
}
Tensor fmax_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return extreme_backward(grad, self, other, or_nan(gt(self, other), other));
}
Tensor fmin_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return extreme_backward(grad, self, other, logical_not_(or_nan(le(self, other), other)));
}
Tensor fmin_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return extreme_backward(grad, self, other, or_nan(lt(self, other), other));
}

std::tuple<Tensor, Tensor> atan2_backward(const Tensor& grad, const Tensor& self,
                                          const Tensor& other, const std::array<bool, 2>& mask) {
  const Tensor squares = self * self + other * other;
  const Tensor inverse = reciprocal(squares);
  const Tensor scaled = masked_fill(inverse, eq(squares, 0), 0);
  return {mask[0] ? grad * other * scaled : Tensor(), mask[1] ? grad * -self * scaled : Tensor()};
}

Tensor copysign_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  const Tensor sign = result / self;
  return grad * masked_fill_(sign, eq(self, 0), 0);
}

Scalar one_minus(const Scalar& number) {
  return number.is_complex() ? Scalar(1.0 - number.to_complex()) : Scalar(1.0 - number.to_double());
}

Tensor where_above(const Tensor& grad, const Tensor& self, const Scalar& bound) {
  const Tensor none = number_like(0.0, grad);
  return where(gt(self, bound), grad, none);
}
Tensor where_below(const Tensor& grad, const Tensor& self, const Scalar& bound) {
  const Tensor none = number_like(0.0, grad);
  return where(lt(self, bound), grad, none);
}

namespace {

// Half of the gradient where self is at a bound, 0 outside of the bounds.
Tensor between(const Tensor& grad, const Tensor& self, const Tensor& min, const Tensor& max) {
  const Tensor is_range = lt(min, max);
  const Tensor at_min = eq(self, min);
  const Tensor at_bound = logical_and(logical_or(at_min, eq(self, max)), is_range);
  const Tensor below = lt(self, min);
  const Tensor outside = logical_or(below, gt(self, max));
  return masked_fill(where(at_bound, grad / 2, grad), outside, 0);
}

// The places where the lower bound is below the upper one, and where they are equal.
struct Bounds {
  Tensor are_range;
  Tensor are_point;
};

// The gradient of min: all of it where min is the result, half where self equals it. Where the
// bounds cross, the result is the upper one.
Tensor of_min(const Tensor& grad, const Tensor& self, const Tensor& min, const Bounds& bounds) {
  const Tensor in_range = logical_and(bounds.are_range, le(self, min));
  const Tensor at_point = logical_and(bounds.are_point, lt(self, min));
  const Tensor is_other = logical_not(logical_or(in_range, at_point));
  const Tensor half = grad / 2;
  return masked_fill(where(eq(self, min), half, grad), is_other, 0);
}

Tensor of_max(const Tensor& grad, const Tensor& self, const Tensor& min, const Tensor& max,
              const Bounds& bounds) {
  const Tensor crosses = lt(max, min);
  const Tensor in_range = logical_and(bounds.are_range, ge(self, max));
  const Tensor above = logical_or(crosses, in_range);
  const Tensor at_point = logical_and(bounds.are_point, gt(self, max));
  const Tensor is_other = logical_not(logical_or(above, at_point));
  const Tensor half = grad / 2;
  const Tensor is_half = logical_and(eq(self, max), bounds.are_range);
  return masked_fill(where(is_half, half, grad), is_other, 0);
}

}  // namespace

Tensor clamp_backward(const Tensor& grad, const Tensor& self, const std::optional<Scalar>& min,
                      const std::optional<Scalar>& max) {
  const Tensor none = number_like(0.0, grad);
  if (!min.has_value() || !max.has_value()) {
    return where(min.has_value() ? gt(self, *min) : lt(self, *max), grad, none);
  }
  const Tensor above = gt(self, *min);
  return where(logical_and_(above, lt(self, *max)), grad, none);
}

Tensor clamp_backward(const Tensor& grad, const Tensor& self, const Tensor& min,
                      const Tensor& max) {
  if (!max.defined()) {
    return larger_backward(grad, self, min);
  }
  return min.defined() ? between(grad, self, min, max) : smaller_backward(grad, self, max);
}

std::tuple<Tensor, Tensor> clamp_bounds_backward(const Tensor& grad, const Tensor& self,
                                                 const Tensor& min, const Tensor& max,
                                                 const std::array<bool, 2>& mask) {
  const bool is_both = min.defined() && max.defined();
  Bounds bounds;
  if (is_both) {
    bounds.are_range = lt(min, max);
    bounds.are_point = eq(min, max);
  }
  const auto min_gradient = [&] {
    return is_both ? of_min(grad, self, min, bounds) : smaller_backward(grad, self, min);
  };
  const auto max_gradient = [&] {
    return is_both ? of_max(grad, self, min, max, bounds) : larger_backward(grad, self, max);
  };
  Tensor of_lower = mask[0] && min.defined() ? min_gradient() : Tensor();
  return {std::move(of_lower), mask[1] && max.defined() ? max_gradient() : Tensor()};
}

}  // namespace tsc::autograd
