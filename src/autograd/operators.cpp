#include "autograd/operators.h"

#include "gen/calls/add.h"
#include "gen/calls/conj.h"
#include "gen/calls/div.h"
#include "gen/calls/imag.h"
#include "gen/calls/is_complex.h"
#include "gen/calls/mul.h"
#include "gen/calls/neg.h"
#include "gen/calls/new_zeros.h"
#include "gen/calls/real.h"
#include "gen/calls/scalar_tensor.h"
#include "gen/calls/sub.h"
#include "gen/calls/to.h"
#include "gen/calls/where.h"
#include "gen/calls/zeros_like.h"
#include "ops/pointwise/number_on_left.h"

namespace tsc {

Tensor operator-(const Tensor& self) { return self.defined() ? neg(self) : Tensor(); }
Tensor operator+(const Tensor& self, const Tensor& other) { return add(self, other); }
Tensor operator-(const Tensor& self, const Tensor& other) { return sub(self, other); }
Tensor operator*(const Tensor& self, const Tensor& other) { return mul(self, other); }
Tensor operator/(const Tensor& self, const Tensor& other) { return div(self, other); }
Tensor operator+(const Tensor& self, const Scalar& other) { return add(self, other); }
Tensor operator-(const Tensor& self, const Scalar& other) { return sub(self, other); }
Tensor operator*(const Tensor& self, const Scalar& other) { return mul(self, other); }
Tensor operator/(const Tensor& self, const Scalar& other) { return div(self, other); }
Tensor operator+(const Scalar& self, const Tensor& other) { return add(other, self); }
Tensor operator-(const Scalar& self, const Tensor& other) { return number_minus(self, other); }
Tensor operator*(const Scalar& self, const Tensor& other) { return mul(other, self); }
Tensor operator/(const Scalar& self, const Tensor& other) { return number_over(self, other); }

namespace autograd {

Tensor conjugate(const Tensor& tensor) { return tensor.is_complex() ? conj(tensor) : tensor; }

Scalar conjugate(const Scalar& number) {
  return number.is_complex() ? Scalar(std::conj(number.to_complex())) : number;
}

Tensor maybe_multiply(const Tensor& tensor, const Scalar& number) {
  const bool is_one = !number.is_complex() ? number.to_double() == 1
                                           : number.to_complex() == std::complex<double>(1);
  return is_one ? tensor : mul(tensor, number);
}

Tensor add_defined(const Tensor& a, const Tensor& b) {
  return !a.defined() ? b : !b.defined() ? a : a + b;
}

Tensor real_if_real(const Tensor& grad, ScalarType dtype) {
  return grad.defined() && grad.is_complex() && !is_complex(dtype) ? real(grad) : grad;
}

Tensor real_part(const Tensor& grad) { return real(grad); }
Tensor imaginary_part(const Tensor& grad) { return imag(grad); }

Tensor zeros_of(const Tensor& like) { return zeros_like(like); }

Tensor zeros_of(IntArrayRef sizes, const Tensor& like) {
  return new_zeros(like, sizes, like.options());
}

Tensor where_or_zero(const Tensor& condition, const Tensor& tensor) {
  return where(condition, tensor, number_like(0, tensor));
}
Tensor zero_or(const Tensor& condition, const Tensor& tensor) {
  return where(condition, number_like(0, tensor), tensor);
}

Tensor cast(const Tensor& tensor, ScalarType dtype) {
  return tensor.dtype() == dtype ? tensor : to(tensor, tensor.options().dtype(dtype));
}

Tensor copied_back(const Tensor& grad, const TensorOptions& source) {
  const Tensor part = cast(real_if_real(grad, source.dtype()), source.dtype());
  return part.device() == source.device() ? part : to(part, part.options().device(source.device()));
}

Tensor in_precision_of(const Tensor& grad, const Tensor& self) {
  return cast(self, self.is_complex() ? to_complex_type(grad.dtype()) : grad.dtype());
}

Tensor not_implemented(std::string_view what) {
  throw_error(ErrorKind::NotImplementedError, "the derivative for '{}' is not implemented.", what);
}

Tensor number_like(const Scalar& value, const Tensor& like) {
  return scalar_tensor(value, like.options());
}

}  // namespace autograd
}  // namespace tsc
