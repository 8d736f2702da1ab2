#include "autograd/formulas/normalization.h"

#include "core/thread_local_state.h"
#include "gen/ops/normalization.h"
#include "gen/ops/normalization_native.h"

namespace tsc::autograd {

ThreeGradients layer_norm_gradients(const Tensor& grad, const Tensor& input,
                                    IntArrayRef normalized_shape, const Tensor& mean,
                                    const Tensor& rstd, OptionalTensorRef weight,
                                    OptionalTensorRef bias, double eps,
                                    const std::array<bool, 3>& mask) {
  const ArrayRef<bool> wanted(mask.data(), mask.size());
  if (!tls().grad_mode) {
    return native_layer_norm_backward(grad, input, normalized_shape, mean, rstd, weight, bias,
                                      wanted);
  }
  const auto [normal, centre, inverse] =
      native::native_layer_norm(input, normalized_shape, {}, {}, eps);
  return native::native_layer_norm_backward(grad, input, normalized_shape, centre, inverse, weight,
                                            bias, wanted);
}

ThreeGradients batch_norm_gradients(const Tensor& grad, const Tensor& input,
                                    OptionalTensorRef weight, OptionalTensorRef running_mean,
                                    OptionalTensorRef running_var, const Tensor& mean,
                                    const Tensor& rstd, bool training, double eps,
                                    const std::array<bool, 3>& mask) {
  const ArrayRef<bool> wanted(mask.data(), mask.size());
  if (!tls().grad_mode) {
    return native_batch_norm_backward(grad, input, weight, running_mean, running_var, mean, rstd,
                                      training, eps, wanted);
  }
  if (!training) {
    return native::native_batch_norm_backward(grad, input, weight, running_mean, running_var, mean,
                                              rstd, false, eps, wanted);
  }
  const auto [normal, centre, inverse] =
      native::native_batch_norm(input, {}, {}, {}, {}, true, 0, eps);
  return native::native_batch_norm_backward(grad, input, weight, {}, {}, centre, inverse, true, eps,
                                            wanted);
}

ThreeGradients group_norm_gradients(const Tensor& grad, const Tensor& input, const Tensor& mean,
                                    const Tensor& rstd, OptionalTensorRef weight, int64_t examples,
                                    int64_t channels, int64_t elements, int64_t groups, double eps,
                                    const std::array<bool, 3>& mask) {
  const ArrayRef<bool> wanted(mask.data(), mask.size());
  if (!tls().grad_mode) {
    return native_group_norm_backward(grad, input, mean, rstd, weight, examples, channels, elements,
                                      groups, wanted);
  }
  const auto [normal, centre, inverse] =
      native::native_group_norm(input, {}, {}, examples, channels, elements, groups, eps);
  return native::native_group_norm_backward(grad, input, centre, inverse, weight, examples,
                                            channels, elements, groups, wanted);
}

}  // namespace tsc::autograd
