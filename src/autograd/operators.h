// Arithmetic for formulas. Each of these is an ordinary call of the operator, so that a formula can
// be watched, and differentiated again.
#pragma once

#include <string_view>

#include "core/scalar.h"
#include "core/tensor.h"

namespace tsc {

// A gradient that is undefined, which stands for zeros, stays so.
TSC_API Tensor operator-(const Tensor& self);
TSC_API Tensor operator+(const Tensor& self, const Tensor& other);
TSC_API Tensor operator-(const Tensor& self, const Tensor& other);
TSC_API Tensor operator*(const Tensor& self, const Tensor& other);
TSC_API Tensor operator/(const Tensor& self, const Tensor& other);
TSC_API Tensor operator+(const Tensor& self, const Scalar& other);
TSC_API Tensor operator-(const Tensor& self, const Scalar& other);
TSC_API Tensor operator*(const Tensor& self, const Scalar& other);
TSC_API Tensor operator/(const Tensor& self, const Scalar& other);
TSC_API Tensor operator+(const Scalar& self, const Tensor& other);
TSC_API Tensor operator-(const Scalar& self, const Tensor& other);
TSC_API Tensor operator*(const Scalar& self, const Tensor& other);
TSC_API Tensor operator/(const Scalar& self, const Tensor& other);

namespace autograd {

// The conjugate of a complex tensor or number; any other is returned as it is.
TSC_API Tensor conjugate(const Tensor& tensor);
TSC_API Scalar conjugate(const Scalar& number);
// `tensor * number`; `tensor` itself where the number is 1.
TSC_API Tensor maybe_multiply(const Tensor& tensor, const Scalar& number);
// The sum; an undefined tensor stands for zeros.
TSC_API Tensor add_defined(const Tensor& a, const Tensor& b);
// The gradient of a real argument in a complex computation: the real part.
TSC_API Tensor real_if_real(const Tensor& grad, ScalarType dtype);
TSC_API Tensor real_part(const Tensor& grad);
TSC_API Tensor imaginary_part(const Tensor& grad);
TSC_API Tensor zeros_of(const Tensor& like);
// Zeros in the dtype and on the device of `like`.
TSC_API Tensor zeros_of(IntArrayRef sizes, const Tensor& like);
// `tensor` where the condition holds (zero_or: does not hold); zeros elsewhere.
TSC_API Tensor where_or_zero(const Tensor& condition, const Tensor& tensor);
TSC_API Tensor zero_or(const Tensor& condition, const Tensor& tensor);
// `self` cast to the dtype of `grad`, or to the complex type of that where `self` is complex.
TSC_API Tensor in_precision_of(const Tensor& grad, const Tensor& self);
// For an argument without a gradient formula. `what` names the operator.
[[noreturn]] TSC_API TSC_COLD Tensor not_implemented(std::string_view what);
// The tensor itself where it has the dtype.
TSC_API Tensor cast(const Tensor& tensor, ScalarType dtype);
// A copy's gradient as its source is: of the source's dtype and device, and real where it is.
TSC_API Tensor copied_back(const Tensor& grad, const TensorOptions& source);
// `value` as a tensor without dimensions that does not promote `like`.
TSC_API Tensor number_like(const Scalar& value, const Tensor& like);

}  // namespace autograd
}  // namespace tsc
