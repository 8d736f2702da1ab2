#include "autograd/pointwise/math.h"

#include "gen/calls/pow.h"
#include "gen/calls/sigmoid_backward.h"
#include "gen/calls/tanh_backward.h"
#include "gen/ops/math.h"

namespace tsc::autograd {

Tensor cube(const Tensor& tensor) { return pow(tensor, 3); }

Tensor acosh_gradient(const Tensor& grad, const Tensor& self) {
  // For complex numbers the product of the two roots is not the root of the product.
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
