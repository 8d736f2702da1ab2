// The gradients of activations that are made of other operators.
#include "gen/calls/add.h"
#include "gen/calls/cat.h"
#include "gen/calls/clamp_max.h"
#include "gen/calls/div.h"
#include "gen/calls/ge.h"
#include "gen/calls/gt.h"
#include "gen/calls/le.h"
#include "gen/calls/logical_and.h"
#include "gen/calls/logical_or.h"
#include "gen/calls/lt.h"
#include "gen/calls/mul.h"
#include "gen/calls/narrow.h"
#include "gen/calls/rsub.h"
#include "gen/calls/sigmoid.h"
#include "gen/calls/tanh.h"
#include "gen/calls/where.h"
#include "gen/ops/activation.h"
#include "gen/ops/activation_native.h"
#include "ops/cpu/pointwise/activation_list.h"
#include "ops/structured/elementwise.h"

namespace tsc::native {
namespace {

using cpu::Ufunc;
namespace ufuncs = cpu::ufuncs;

// True strictly between the bounds.
Tensor is_within(const Tensor& self, const Scalar& least, const Scalar& most) {
  return logical_and(gt(self, least), lt(self, most));
}

}  // namespace

Tensor hardtanh_backward(const Tensor& grad_output, const Tensor& self, const Scalar& min_val,
                         const Scalar& max_val) {
  return where(is_within(self, min_val, max_val), grad_output, Scalar(0));
}

Tensor hardswish_backward(const Tensor& grad_output, const Tensor& self) {
  const Tensor slope = add(div(self, Scalar(3)), Scalar(0.5));
  const Tensor bent = where(ge(self, Scalar(3)), grad_output, mul(grad_output, slope));
  return where(le(self, Scalar(-3)), Scalar(0), bent);
}

// The derivative of x * tanh(softplus(x)).
Tensor silu_backward(const Tensor& grad_output, const Tensor& self) {
  const Tensor gate = sigmoid(self);
  const Tensor bend = add(mul(self, rsub(gate, Scalar(1))), Scalar(1));
  return mul(grad_output, mul(gate, bend));
}

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

Tensor _prelu_kernel(const Tensor& self, const Tensor& weight) {
  return add(tsc::relu(self), mul(weight, clamp_max(self, 0)));
}
std::tuple<Tensor, Tensor> _prelu_kernel_backward(const Tensor& grad_output, const Tensor& self,
                                                  const Tensor& weight) {
  const Tensor is_positive = gt(self, Scalar(0));
  return {where(is_positive, grad_output, mul(weight, grad_output)),
          where(is_positive, Scalar(0), mul(self, grad_output))};
}

// --- The same in one pass

namespace {

Tensor pass(Ufunc formula, const char* name, const Tensor& a, const Tensor& b,
            std::initializer_list<Scalar> parameters = {}) {
  Tensor out;
  TensorIterator iterator;
  iterator.allocate_outputs(b.device().type, out);
  iterator.build_binary_op(a, b);
  run_elementwise(iterator, formula, name, parameters);
  return out;
}

}  // namespace

Tensor hardtanh_backward_cpu(const Tensor& grad_output, const Tensor& self, const Scalar& min_val,
                             const Scalar& max_val) {
  return pass(ufuncs::hardtanh_backward, "hardshrink_backward_cpu", grad_output, self,
              {min_val, max_val});
}
Tensor hardswish_backward_cpu(const Tensor& grad_output, const Tensor& self) {
  return pass(ufuncs::hardswish_backward, "hardswish_backward_cpu", grad_output, self);
}
Tensor mish_backward_cpu(const Tensor& grad_output, const Tensor& self) {
  return pass(ufuncs::mish_backward, "mish_backward_cpu", grad_output, self);
}
Tensor _prelu_kernel_cpu(const Tensor& self, const Tensor& weight) {
  return pass(ufuncs::prelu, "prelu_cpu", self, weight);
}
std::tuple<Tensor, Tensor> _prelu_kernel_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                                      const Tensor& weight) {
  Tensor gradient;
  TensorIterator iterator;
  iterator.allocate_outputs(self.device().type, gradient);
  iterator.build_ternary_op(grad_output, self, weight);
  run_elementwise(iterator, ufuncs::prelu_backward, "prelu_backward_cpu");
  return {gradient, pass(ufuncs::prelu_weight_backward, "prelu_backward_cpu", grad_output, self)};
}

}  // namespace tsc::native

namespace tsc {

TSC_META_FUNC(hardsigmoid_backward)(const Tensor& grad_output, const Tensor& self) {
  build_binary_op(grad_output, self);
}
TSC_IMPL_FUNC(hardsigmoid_backward_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, cpu::ufuncs::hardsigmoid_backward, "hardsigmoid_backward");
}

TSC_META_FUNC(hardshrink_backward)
(const Tensor& grad_out, const Tensor& self, const Scalar&) { build_binary_op(grad_out, self); }
TSC_IMPL_FUNC(hardshrink_backward_cpu)
(const Tensor&, const Tensor&, const Scalar& lambd, const Tensor&) {
  run_elementwise(*this, cpu::ufuncs::shrink_backward, "shrink_backward_cpu", lambd);
}

TSC_META_FUNC(softshrink_backward)
(const Tensor& grad_output, const Tensor& self, const Scalar&) {
  build_binary_op(grad_output, self);
}
TSC_IMPL_FUNC(softshrink_backward_cpu)
(const Tensor&, const Tensor&, const Scalar& lambd, const Tensor&) {
  run_elementwise(*this, cpu::ufuncs::shrink_backward, "shrink_backward_cpu", lambd);
}

}  // namespace tsc
