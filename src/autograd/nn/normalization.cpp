#include "autograd/nn/normalization.h"

#include "autograd/reduce/reduce.h"
#include "core/keys/thread_local_state.h"
#include "gen/calls/gt.h"
#include "gen/calls/linalg_vector_norm.h"
#include "gen/calls/reciprocal.h"
#include "gen/calls/sum.h"
#include "gen/calls/to.h"
#include "gen/calls/where.h"
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

Tensor renorm_backward(const Tensor& grad, const Tensor& self, const Scalar& p, int64_t dim,
                       const Scalar& maxnorm) {
  DimVector others;
  const int64_t kept = maybe_wrap_dim(dim, self.dim());
  for (int64_t d = 0; d < self.dim(); d++) {
    if (d != kept) {
      others.push_back(d);
    }
  }
  const bool is_double = to_real_value_type(self.dtype()) == ScalarType::Double;
  const ScalarType wide = is_double || self.is_cpu() ? ScalarType::Double : ScalarType::Float;
  const Tensor norm = linalg_vector_norm(self, p, IntArrayRef(others), true, wide);
  const Tensor product = conjugate(self) * grad;
  const Tensor projected =
      sum(product, IntArrayRef(others), true, self.is_complex() ? to_complex_type(wide) : wide);
  const Tensor along = norm_backward(real_if_real(projected, wide), self, p, norm, others, true);
  const Tensor inverse = reciprocal(norm + 1e-7);
  const Tensor across = grad - inverse * along;
  const Tensor scaled = to(inverse * maxnorm * across, grad.dtype());
  return where(gt(norm, maxnorm), scaled, grad);
}

}  // namespace tsc::autograd
