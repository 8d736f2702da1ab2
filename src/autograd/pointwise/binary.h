// Longer formulas of autograd/pointwise/binary.yaml.
#pragma once

#include <array>
#include <optional>
#include <tuple>

#include "autograd/operators.h"

namespace tsc::autograd {

// The gradient of self / other with respect to other.
Tensor div_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other);

// The gradients of self ** exponent. Where the exponent is 0 the result does not depend on self,
// and where self is 0 (and the exponent not negative) not on the exponent, although the formula
// gives NaN.
Tensor pow_backward(const Tensor& grad, const Tensor& self, const Scalar& exponent);
Tensor pow_backward_self(const Tensor& grad, const Tensor& self, const Tensor& exponent);
Tensor pow_backward_exponent(const Tensor& grad, const Tensor& self, const Tensor& exponent,
                             const Tensor& result);
Tensor pow_backward_exponent(const Tensor& grad, const Scalar& self, const Tensor& exponent,
                             const Tensor& result);

// The gradient of the larger or smaller of two with respect to the first: `grad` where the first
// was taken, half of it where both are equal.
Tensor larger_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
Tensor smaller_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
// fmax and fmin take the element that is not NaN, and the first where both are.
Tensor fmax_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
Tensor fmax_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
Tensor fmin_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
Tensor fmin_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other);

std::tuple<Tensor, Tensor> atan2_backward(const Tensor& grad, const Tensor& self,
                                          const Tensor& other, const std::array<bool, 2>& mask);
Tensor copysign_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Scalar one_minus(const Scalar& number);

Tensor where_above(const Tensor& grad, const Tensor& self, const Scalar& bound);
Tensor where_below(const Tensor& grad, const Tensor& self, const Scalar& bound);

Tensor clamp_backward(const Tensor& grad, const Tensor& self, const std::optional<Scalar>& min,
                      const std::optional<Scalar>& max);
Tensor clamp_backward(const Tensor& grad, const Tensor& self, const Tensor& min, const Tensor& max);
std::tuple<Tensor, Tensor> clamp_bounds_backward(const Tensor& grad, const Tensor& self,
                                                 const Tensor& min, const Tensor& max,
                                                 const std::array<bool, 2>& mask);

}  // namespace tsc::autograd
