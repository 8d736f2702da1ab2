#include "autograd/formulas/math.h"

#include "gen/ops/activation.h"
#include "gen/ops/binary.h"
#include "gen/ops/math.h"

namespace tsc::autograd {

Tensor cube(const Tensor& tensor) { return pow(tensor, 3); }

Tensor acosh_gradient(const Tensor& grad, const Tensor& self) {
  // Of complex numbers the two roots are not the root of the product.
  return self.is_complex() ? grad * conjugate(rsqrt(self + 1) * rsqrt(self - 1))
                           : grad * rsqrt(self * self - 1);
}

Tensor tanh_gradient(const Tensor& grad, const Tensor& result) {
  return tanh_backward(grad, result);
}
Tensor sigmoid_gradient(const Tensor& grad, const Tensor& result) {
  return sigmoid_backward(grad, result);
}

}  // namespace tsc::autograd
