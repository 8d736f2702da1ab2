// Activation functions and their gradients.
#include <limits>

#include "core/dispatch_types.h"
#include "core/tensor_factory.h"
#include "gen/calls/add.h"
#include "gen/calls/clamp.h"
#include "gen/calls/clamp_min.h"
#include "gen/calls/div.h"
#include "gen/calls/ge.h"
#include "gen/calls/gt.h"
#include "gen/calls/le.h"
#include "gen/calls/logical_and.h"
#include "gen/calls/lt.h"
#include "gen/calls/max.h"
#include "gen/calls/mul.h"
#include "gen/calls/narrow.h"
#include "gen/calls/reshape.h"
#include "gen/calls/sigmoid.h"
#include "gen/calls/sub.h"
#include "gen/calls/tanh.h"
#include "gen/calls/where.h"
#include "gen/ops/activation.h"
#include "gen/ops/activation_native.h"
#include "ops/cpu/pointwise/activation_list.h"
#include "ops/structured/elementwise.h"

namespace tsc {
namespace {

using cpu::Ufunc;
namespace ufuncs = cpu::ufuncs;

Ufunc gelu_formula(std::string_view approximate, Ufunc exact, Ufunc by_tanh) {
  TSC_CHECK(approximate == "none" || approximate == "tanh",
            "approximate argument must be either none or tanh.");
  return approximate == "none" ? exact : by_tanh;
}

double largest_number(ScalarType dtype) {
  if (dtype == ScalarType::Half) {
    return 65504;
  }
  const double single = std::numeric_limits<float>::max();
  return dtype == ScalarType::Double     ? std::numeric_limits<double>::max()
         : dtype == ScalarType::BFloat16 ? static_cast<double>(BFloat16(3.39e38f))
                                         : single;
}

}  // namespace

TSC_META_FUNC(threshold)(const Tensor& self, const Scalar&, const Scalar&) { build_unary_op(self); }
TSC_IMPL_FUNC(threshold_cpu)
(const Tensor&, const Scalar& threshold, const Scalar& value, const Tensor&) {
  run_elementwise(*this, ufuncs::threshold, "threshold_cpu", {threshold, value});
}

TSC_META_FUNC(leaky_relu)(const Tensor& self, const Scalar&) { build_unary_op(self); }
TSC_IMPL_FUNC(leaky_relu_cpu)(const Tensor&, const Scalar& negative_slope, const Tensor&) {
  run_elementwise(*this, ufuncs::leaky_relu, "leaky_relu_cpu", negative_slope);
}

TSC_META_FUNC(elu)(const Tensor& self, const Scalar&, const Scalar&, const Scalar&) {
  build_unary_op(self);
}
TSC_IMPL_FUNC(elu_cpu)
(const Tensor&, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale,
 const Tensor&) {
  run_elementwise(*this, ufuncs::elu, "elu_cpu", {alpha, scale, input_scale});
}

TSC_META_FUNC(gelu)(const Tensor& self, std::string_view) { build_unary_op(self); }
TSC_IMPL_FUNC(gelu_cpu)(const Tensor&, std::string_view approximate, const Tensor&) {
  run_elementwise(*this, gelu_formula(approximate, ufuncs::gelu, ufuncs::gelu_tanh),
                  "GeluKernelImpl");
}

TSC_META_FUNC(silu)(const Tensor& self) { build_unary_op(self); }
TSC_IMPL_FUNC(silu_cpu)(const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::silu, "silu_cpu");
}

// float16 and bfloat16 round the bound to their own precision.
static Scalar rounded_bound(const Scalar& bound, ScalarType type) {
  return type == ScalarType::Half       ? Scalar(static_cast<double>(bound.to<Half>()))
         : type == ScalarType::BFloat16 ? Scalar(static_cast<double>(bound.to<BFloat16>()))
                                        : bound;
}

TSC_META_FUNC(hardshrink)(const Tensor& self, const Scalar&) { build_unary_op(self); }
TSC_IMPL_FUNC(hardshrink_cpu)(const Tensor&, const Scalar& lambd, const Tensor&) {
  run_elementwise(*this, ufuncs::hardshrink, "hardshrink_cpu",
                  rounded_bound(lambd, common_dtype()));
}

TSC_META_FUNC(softshrink)(const Tensor& self, const Scalar& lambd) {
  if (!self.is_floating_point()) {
    throw_dtype_not_implemented("softshrink_check", self.dtype());
  }
  const double bound = lambd.to_double();
  const double largest = largest_number(self.dtype());
  TSC_CHECK(bound >= 0 && bound <= largest,
            "lambda must be in range [0, {:g}] for input dtype {}, but found {}", largest,
            self.dtype(), bound);
  build_unary_op(self);
}
TSC_IMPL_FUNC(softshrink_cpu)(const Tensor&, const Scalar& lambd, const Tensor&) {
  run_elementwise(*this, ufuncs::softshrink, "softshrink_cpu",
                  rounded_bound(lambd, common_dtype()));
}

TSC_META_FUNC(softplus)(const Tensor& self, const Scalar&, const Scalar&) { build_unary_op(self); }
TSC_IMPL_FUNC(softplus_cpu)
(const Tensor&, const Scalar& beta, const Scalar& threshold, const Tensor&) {
  run_elementwise(*this, ufuncs::softplus, "softplus_cpu", {beta, threshold});
}

TSC_META_FUNC(mish)(const Tensor& self) { build_unary_op(self); }
TSC_IMPL_FUNC(mish_cpu)(const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::mish, "mish_cpu");
}

TSC_META_FUNC(glu)(const Tensor& self, int64_t dim) {
  TSC_CHECK(self.dim() > 0, "glu does not support 0-dimensional tensors");
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  const int64_t size = self.size(at);
  TSC_CHECK(size % 2 == 0, "Halving dimension must be even, but dimension {} is size {}", at, size);
  DimVector sizes(self.sizes());
  sizes[static_cast<size_t>(at)] = size / 2;
  const int64_t offset = self.storage_offset();
  const Tensor& values = keep(view_tensor(self, sizes, self.strides(), offset));
  build_binary_op(
      values, keep(view_tensor(self, sizes, self.strides(), offset + size / 2 * self.stride(at))));
}
TSC_IMPL_FUNC(glu_cpu)(const Tensor&, int64_t, const Tensor&) {
  run_elementwise(*this, ufuncs::glu, "glu_cpu");
}

// --- gradients ---

TSC_META_FUNC(sigmoid_backward)(const Tensor& grad_output, const Tensor& output) {
  build_binary_op(grad_output, output);
}
TSC_IMPL_FUNC(sigmoid_backward_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::sigmoid_backward, "sigmoid_backward_cpu");
}

TSC_META_FUNC(tanh_backward)(const Tensor& grad_output, const Tensor& output) {
  build_binary_op(grad_output, output);
}
TSC_IMPL_FUNC(tanh_backward_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::tanh_backward, "tanh_backward_cpu");
}

TSC_META_FUNC(threshold_backward)(const Tensor& grad_output, const Tensor& self, const Scalar&) {
  build_binary_op(grad_output, self);
}
TSC_IMPL_FUNC(threshold_backward_cpu)
(const Tensor&, const Tensor&, const Scalar& threshold, const Tensor&) {
  run_elementwise(*this, ufuncs::threshold_backward, "threshold_cpu", threshold);
}

TSC_META_FUNC(leaky_relu_backward)
(const Tensor& grad_output, const Tensor& self, const Scalar& negative_slope, bool self_is_result) {
  TSC_CHECK(!self_is_result || negative_slope.to_double() >= 0,
            "In-place leakyReLu backward calculation is triggered with a negative slope which is "
            "not supported. This is caused by calling in-place forward function with a negative "
            "slope, please call out-of-place version instead. File an issue at "
            "https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu "
            "backward calculation with negative slope");
  build_binary_op(grad_output, self);
}
TSC_IMPL_FUNC(leaky_relu_backward_cpu)
(const Tensor&, const Tensor&, const Scalar& negative_slope, bool, const Tensor&) {
  run_elementwise(*this, ufuncs::leaky_relu_backward, "leaky_relu_backward_cpu", negative_slope);
}

TSC_META_FUNC(elu_backward)
(const Tensor& grad_output, const Scalar& alpha, const Scalar&, const Scalar&, bool is_result,
 const Tensor& self_or_result) {
  TSC_CHECK(!is_result || alpha.to_double() >= 0,
            "In-place elu backward calculation is triggered with a negative slope which is not "
            "supported. This is caused by calling in-place forward function with a negative slope, "
            "please call out-of-place version instead.");
  build_binary_op(grad_output, self_or_result);
}
TSC_IMPL_FUNC(elu_backward_cpu)
(const Tensor&, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale, bool is_result,
 const Tensor&, const Tensor&) {
  run_elementwise(*this, is_result ? ufuncs::elu_backward_from_result : ufuncs::elu_backward,
                  "elu_backward_cpu", {alpha, scale, input_scale});
}

TSC_META_FUNC(gelu_backward)(const Tensor& grad_output, const Tensor& self, std::string_view) {
  build_binary_op(grad_output, self);
}
TSC_IMPL_FUNC(gelu_backward_cpu)
(const Tensor&, const Tensor&, std::string_view approximate, const Tensor&) {
  run_elementwise(*this,
                  gelu_formula(approximate, ufuncs::gelu_backward, ufuncs::gelu_tanh_backward),
                  "GeluBackwardKernelImpl");
}

TSC_META_FUNC(silu_backward)(const Tensor& grad_output, const Tensor& self) {
  build_binary_op(grad_output, self);
}
TSC_IMPL_FUNC(silu_backward_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::silu_backward, "silu_backward_cpu");
}

TSC_META_FUNC(softplus_backward)
(const Tensor& grad_output, const Tensor& self, const Scalar&, const Scalar&) {
  build_binary_op(grad_output, self);
}
TSC_IMPL_FUNC(softplus_backward_cpu)
(const Tensor&, const Tensor&, const Scalar& beta, const Scalar& threshold, const Tensor&) {
  run_elementwise(*this, ufuncs::softplus_backward, "softplus_backward_cpu", {beta, threshold});
}

namespace native {

Tensor relu(const Tensor& self) {
  TSC_CHECK_NOT_IMPLEMENTED(self.dtype() != ScalarType::Bool,
                            "Boolean inputs not supported for relu");
  TSC_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "clamp is not supported for complex types");
  Tensor out;
  TensorIterator iterator;
  iterator.allocate_outputs(self.device().type, out);
  iterator.build_unary_op(self);
  if (!iterator.is_meta()) {
    run_elementwise(iterator, ufuncs::relu, "clamp_min_scalar_cpu");
  }
  return out;
}
const Tensor& relu_(const Tensor& self) {
  TSC_CHECK_NOT_IMPLEMENTED(self.dtype() != ScalarType::Bool,
                            "Boolean inputs not supported for relu");
  TSC_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "clamp is not supported for complex types");
  TensorIterator iterator(self);
  iterator.build_unary_op(self);
  if (!iterator.is_meta()) {
    run_elementwise(iterator, ufuncs::relu, "clamp_min_scalar_cpu");
  }
  return self;
}

std::tuple<Tensor, Tensor> log_sigmoid_forward(const Tensor& self) {
  Tensor out;
  TensorIterator iterator;
  iterator.allocate_outputs(self.device().type, out);
  iterator.build_unary_op(self);
  if (!iterator.is_meta()) {
    run_elementwise(iterator, ufuncs::log_sigmoid, "log_sigmoid_cpu");
  }
  return {out, empty_tensor({0}, self.dtype(), self.device())};
}
Tensor log_sigmoid_backward(const Tensor& grad_output, const Tensor& self, const Tensor&) {
  Tensor out;
  TensorIterator iterator;
  iterator.allocate_outputs(self.device().type, out);
  iterator.build_binary_op(grad_output, self);
  if (!iterator.is_meta()) {
    run_elementwise(iterator, ufuncs::log_sigmoid_backward, "log_sigmoid_backward_cpu");
  }
  return out;
}
Tensor log_sigmoid(const Tensor& self) { return std::get<0>(tsc::log_sigmoid_forward(self)); }

Tensor hardtanh(const Tensor& self, const Scalar& min_val, const Scalar& max_val) {
  TSC_CHECK(self.dtype() != ScalarType::Bool, "Bool inputs not supported for hardtanh");
  if (is_integral(self.dtype(), false)) {
    return clamp(self, Scalar(min_val.to_int()), Scalar(max_val.to_int()));
  }
  return clamp(self, min_val, max_val);
}
Tensor relu6(const Tensor& self) { return tsc::hardtanh(self, 0, 6); }
const Tensor& relu6_(const Tensor& self) { return tsc::hardtanh_(self, 0, 6); }

// The alpha and scale of selu.
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;
Tensor selu(const Tensor& self) { return elu(self, kSeluAlpha, kSeluScale); }
const Tensor& selu_(const Tensor& self) { return elu_(self, kSeluAlpha, kSeluScale); }
Tensor celu(const Tensor& self, const Scalar& alpha) {
  TSC_CHECK(alpha.to_double() != 0, "ZeroDivisionError: alpha cannot be 0 for CELU");
  return elu(self, alpha, 1, 1 / alpha.to_double());
}
Tensor hardswish(const Tensor& self) { return mul(self, tsc::hardsigmoid(self)); }
Tensor hardswish_cpu(const Tensor& self) {
  Tensor out;
  TensorIterator iterator;
  iterator.allocate_outputs(self.device().type, out);
  iterator.build_unary_op(self);
  run_elementwise(iterator, ufuncs::hardswish, "hardswish_cpu");
  return out;
}
Tensor prelu(const Tensor& self, const Tensor& weight) {
  TSC_CHECK(self.dtype() == weight.dtype(), "prelu: Type promoting not supported. Got {} and {}",
            self.dtype(), weight.dtype());
  Tensor slope = weight;
  if (weight.numel() != 1) {
    TSC_CHECK(self.dim() > 0, "Not allow zero-dim input tensor.");
    const int64_t channels = self.dim() >= 2 ? self.size(1) : 1;
    TSC_CHECK(channels == weight.numel(),
              "Mismatch of parameter numbers and input channel size. Found parameter numbers = {} "
              "and channel size = {}.",
              weight.numel(), channels);
    DimVector sizes(static_cast<size_t>(self.dim()), 1);
    sizes[self.dim() >= 2 ? 1 : 0] = weight.numel();
    slope = reshape(weight, sizes);
  }
  return tsc::_prelu_kernel(self, slope);
}

}  // namespace native
}  // namespace tsc
