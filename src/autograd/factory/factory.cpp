#include "autograd/factory/factory.h"

#include "gen/calls/sgn.h"

namespace tsc::autograd {

// The parts of the gradient along the result's direction and across it.
std::tuple<Tensor, Tensor> polar_backward(const Tensor& grad, const Tensor& result) {
  const Tensor turned_grad = conjugate(grad);
  const Tensor along = real_part(turned_grad * sgn(result));
  const Tensor across = result * Scalar(std::complex<double>(0, 1));
  return {along, real_part(turned_grad * across)};
}

}  // namespace tsc::autograd
