// Longer formulas of autograd/pointwise/special.yaml.
#pragma once

#include <numbers>

#include "autograd/pointwise/math.h"

namespace tsc::autograd {

inline constexpr double kHalfSqrtPi = 0.5 / std::numbers::inv_sqrtpi;
inline constexpr double kRootOfTwoPi = 2.5066282746310002;
// The normal distribution's density at 0.
inline constexpr double kNormalDensity = 0.3989422804014327;

Tensor xlogy_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
Tensor xlogy_self_backward(const Tensor& grad, const Tensor& self, const Scalar& other);
Tensor xlog1py_self_backward(const Tensor& grad, const Tensor& self, const Scalar& other);
Tensor xlog1py_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
Tensor mvlgamma_slope(const Tensor& self, int64_t p);
Tensor sinc_backward(const Tensor& grad, const Tensor& self);
Tensor i1_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Tensor i1e_backward(const Tensor& grad, const Tensor& self, const Tensor& result);

}  // namespace tsc::autograd
