// The gradients of activations that are made of other operators.
#include "gen/ops/activation.h"
#include "gen/ops/activation_native.h"
#include "gen/ops/binary.h"
#include "gen/ops/compare.h"
#include "gen/ops/logic.h"
#include "gen/ops/math.h"
#include "gen/ops/shape.h"
#include "gen/ops/unary.h"
#include "gen/ops/view.h"

namespace tsc::native {
namespace {

// Strictly between the bounds.
Tensor is_within(const Tensor& self, const Scalar& least, const Scalar& most) {
  return logical_and(gt(self, least), lt(self, most));
}

// The gradient where the input was not set to 0.
Tensor shrink_backward(const Tensor& grad, const Tensor& self, const Scalar& lambd) {
  return where(le(abs(self), lambd), Scalar(0), grad);
}

}  // namespace

Tensor hardtanh_backward(const Tensor& grad_output, const Tensor& self, const Scalar& min_val,
                         const Scalar& max_val) {
  return where(is_within(self, min_val, max_val), grad_output, Scalar(0));
}

Tensor hardsigmoid_backward(const Tensor& grad_output, const Tensor& self) {
  return where(is_within(self, -3, 3), div(grad_output, Scalar(6)), Scalar(0));
}

Tensor hardswish_backward(const Tensor& grad_output, const Tensor& self) {
  const Tensor slope = add(div(self, Scalar(3)), Scalar(0.5));
  const Tensor bent = where(lt(self, Scalar(3)), mul(grad_output, slope), grad_output);
  return where(le(self, Scalar(-3)), Scalar(0), bent);
}

// The derivative of x * tanh(softplus(x)).
Tensor mish_backward(const Tensor& grad_output, const Tensor& self) {
  const Tensor gate = tanh(softplus(self));
  const Tensor bend = mul(mul(self, sigmoid(self)), rsub(mul(gate, gate), Scalar(1)));
  return mul(grad_output, add(gate, bend));
}

Tensor glu_backward(const Tensor& grad_output, const Tensor& self, int64_t dim) {
  const int64_t half = self.size(dim) / 2;
  const Tensor values = narrow(self, dim, 0, half);
  const Tensor gate = sigmoid(narrow(self, dim, half, half));
  const Tensor slope = mul(gate, rsub(gate, Scalar(1)));
  return cat({mul(grad_output, gate), mul(mul(grad_output, values), slope)}, dim);
}

Tensor hardshrink_backward(const Tensor& grad_out, const Tensor& self, const Scalar& lambd) {
  return shrink_backward(grad_out, self, lambd);
}
Tensor softshrink_backward(const Tensor& grad_output, const Tensor& self, const Scalar& lambd) {
  return shrink_backward(grad_output, self, lambd);
}

Tensor _prelu_kernel(const Tensor& self, const Tensor& weight) {
  return add(tsc::relu(self), mul(weight, clamp_max(self, 0)));
}
std::tuple<Tensor, Tensor> _prelu_kernel_backward(const Tensor& grad_output, const Tensor& self,
                                                  const Tensor& weight) {
  const Tensor is_positive = gt(self, Scalar(0));
  return {where(is_positive, grad_output, mul(weight, grad_output)),
          where(is_positive, Scalar(0), mul(self, grad_output))};
}

}  // namespace tsc::native
