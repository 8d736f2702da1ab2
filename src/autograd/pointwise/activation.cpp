#include "autograd/pointwise/activation.h"

#include <numbers>

#include "core/keys/thread_local_state.h"
#include "gen/calls/exp.h"
#include "gen/calls/le.h"
#include "gen/calls/sigmoid.h"
#include "gen/calls/tanh.h"
#include "gen/ops/activation.h"
#include "gen/ops/activation_native.h"

namespace tsc::autograd {

Tensor elu_second_derivative(const Tensor& grad, const Scalar& alpha, const Scalar& scale,
                             const Scalar& input_scale, bool is_result,
                             const Tensor& self_or_result) {
  const double slope = input_scale.to_double();
  const double depth = alpha.to_double() * scale.to_double();
  const Tensor below = le(self_or_result, 0);
  // From the result r = depth * (exp(slope * x) - 1) the derivative is slope * (r + depth).
  return where_or_zero(below, is_result
                                  ? grad * slope
                                  : grad * (depth * slope * slope) * exp(self_or_result * slope));
}

Tensor gelu_second_derivative(const Tensor& grad, const Tensor& self,
                              std::string_view approximate) {
  const Tensor squared = self * self;
  if (approximate != "tanh") {
    const double height = std::numbers::sqrt2 / 2 * std::numbers::inv_sqrtpi;
    return grad * (height * exp(squared * -0.5)) * (2 - squared);
  }
  // x / 2 * (1 + tanh(u)), with u = root * (x + cubic * x^3).
  constexpr double kRoot = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  constexpr double kCubic = 0.044715;
  const Tensor bend = tanh(kRoot * (self + kCubic * (squared * self)));
  const Tensor flat = 1 - bend * bend;
  const Tensor first = kRoot * (1 + 3 * kCubic * squared);
  const Tensor second = 6 * kRoot * kCubic * self;
  return grad * flat * (first + 0.5 * self * (second - 2 * bend * first * first));
}

Tensor silu_second_derivative(const Tensor& grad, const Tensor& self) {
  const Tensor gate = sigmoid(self);
  return grad * gate * (1 - gate) * (2 + self * (1 - 2 * gate));
}

Tensor softplus_second_derivative(const Tensor& grad, const Tensor& self, const Scalar& beta,
                                  const Scalar& threshold) {
  const Tensor scaled = self * beta;
  const Tensor gate = sigmoid(scaled);
  return where_or_zero(le(scaled, threshold), grad * gate * (1 - gate) * beta);
}

Tensor log_sigmoid_second_derivative(const Tensor& grad, const Tensor& self) {
  const Tensor gate = sigmoid(self);
  return -grad * gate * (1 - gate);
}

// --- First derivatives

#define TSC_GRADIENT(name, parameters, arguments)                                           \
  Tensor name##_gradient parameters {                                                       \
    return tls().grad_mode ? native::name##_backward arguments : name##_backward arguments; \
  }
TSC_GRADIENT(hardtanh,
             (const Tensor& grad, const Tensor& self, const Scalar& min_val, const Scalar& max_val),
             (grad, self, min_val, max_val))
TSC_GRADIENT(mish, (const Tensor& grad, const Tensor& self), (grad, self))
TSC_GRADIENT(hardswish, (const Tensor& grad, const Tensor& self), (grad, self))
TSC_GRADIENT(glu, (const Tensor& grad, const Tensor& self, int64_t dim), (grad, self, dim))
#undef TSC_GRADIENT

std::tuple<Tensor, Tensor> prelu_gradients(const Tensor& grad, const Tensor& self,
                                           const Tensor& weight, const std::array<bool, 2>&) {
  return tls().grad_mode ? native::_prelu_kernel_backward(grad, self, weight)
                         : _prelu_kernel_backward(grad, self, weight);
}

}  // namespace tsc::autograd
