// softmax and log_softmax along one dimension, and their gradients.
#include "ops/cpu/nn/softmax.h"
#include "core/dispatch_types.h"
#include "gen/calls/is_floating_point.h"
#include "gen/calls/to.h"
#include "gen/ops/nn.h"
#include "gen/ops/nn_native.h"
#include "ops/structured/contiguous_lines.h"
#include "ops/structured/device_kernels.h"
#include "ops/structured/operand_checks.h"

namespace tsc {
namespace {

void check_softmax(bool half_to_float) {
  TSC_CHECK(!half_to_float, "softmax with half to float conversion is not supported on CPU");
}

// RuntimeError that names the kernel of `stem`, which has another name for the last dimension.
void check_kernel(const Tensor& self, int64_t dim, const char* stem) {
  if (!is_floating_point(self.dtype())) {
    const bool last = dim + 1 >= self.dim();
    const std::string kernel = std::string(stem) + (last ? "_lastdim" : "") + "_kernel_impl";
    throw_dtype_not_implemented(kernel.c_str(), self.dtype());
  }
}

void run_forward(const Tensor& self, int64_t dim, const Tensor& out, bool logarithm) {
  if (out.numel() == 0) {
    return;
  }
  dim = maybe_wrap_dim(dim, self.dim());
  check_kernel(self, dim, logarithm ? "log_softmax" : "softmax");
  const Tensor from = contiguous_values(self);
  const ContiguousResult result(out);
  if (TSC_UNLIKELY(!out.is_cpu())) {
    device_kernels(out.device().type)
        .softmax({logarithm, lines_along(self.sizes(), dim), result.data(), out.dtype(), from,
                  Tensor()});
    result.finish();
    return;
  }
  cpu::softmax(logarithm, lines_along(self.sizes(), dim), result.data(), out.dtype(),
               static_cast<const char*>(from.data()), from.dtype());
  result.finish();
}

// A gradient keeps its dtype, unless softmax widened its input.
ScalarType gradient_dtype(const Tensor& grad, ScalarType input_dtype) {
  return input_dtype == ScalarType::Half ? input_dtype : grad.dtype();
}

void run_backward(const Tensor& grad, const Tensor& output, int64_t dim, const Tensor& grad_input,
                  bool logarithm) {
  if (grad.numel() == 0) {
    return;
  }
  dim = maybe_wrap_dim(dim, grad.dim());
  check_kernel(grad, dim, logarithm ? "log_softmax_backward" : "softmax_backward");
  check_scalar_type(grad_input, grad.dtype());
  check_scalar_type(output, grad.dtype());
  const Tensor gradient = contiguous_values(grad);
  const Tensor values = contiguous_values(output);
  const ContiguousResult result(grad_input);
  if (TSC_UNLIKELY(!grad.is_cpu())) {
    device_kernels(grad.device().type)
        .softmax({logarithm, lines_along(grad.sizes(), dim), result.data(), grad_input.dtype(),
                  gradient, values});
    result.finish();
    return;
  }
  cpu::softmax_backward(logarithm, lines_along(grad.sizes(), dim), result.data(),
                        grad_input.dtype(), static_cast<const char*>(gradient.data()),
                        static_cast<const char*>(values.data()), grad.dtype());
  result.finish();
}

}  // namespace

TSC_META_FUNC(_softmax)(const Tensor& self, int64_t dim, bool half_to_float) {
  maybe_wrap_dim(dim, self.dim());
  check_softmax(half_to_float);
  set_output(self.sizes(), self.dtype());
}
TSC_IMPL_FUNC(softmax_cpu)(const Tensor& self, int64_t dim, bool, const Tensor& out) {
  run_forward(self, dim, out, false);
}

TSC_META_FUNC(_log_softmax)(const Tensor& self, int64_t dim, bool half_to_float) {
  maybe_wrap_dim(dim, self.dim());
  check_softmax(half_to_float);
  set_output(self.sizes(), self.dtype());
}
TSC_IMPL_FUNC(log_softmax_cpu)(const Tensor& self, int64_t dim, bool, const Tensor& out) {
  run_forward(self, dim, out, true);
}

TSC_META_FUNC(_softmax_backward_data)
(const Tensor& grad_output, const Tensor& output, int64_t dim, ScalarType input_dtype) {
  check_same_size(grad_output, "grad", output, "output", "softmax_backward");
  maybe_wrap_dim(dim, grad_output.dim());
  set_output(grad_output.sizes(), gradient_dtype(grad_output, input_dtype));
}
TSC_IMPL_FUNC(softmax_backward_cpu)
(const Tensor& grad_output, const Tensor& output, int64_t dim, ScalarType,
 const Tensor& grad_input) {
  run_backward(grad_output, output, dim, grad_input, false);
}

TSC_META_FUNC(_log_softmax_backward_data)
(const Tensor& grad_output, const Tensor& output, int64_t dim, ScalarType input_dtype) {
  check_same_size(grad_output, "grad", output, "output", "log_softmax_backward");
  maybe_wrap_dim(dim, grad_output.dim());
  set_output(grad_output.sizes(), gradient_dtype(grad_output, input_dtype));
}
TSC_IMPL_FUNC(log_softmax_backward_cpu)
(const Tensor& grad_output, const Tensor& output, int64_t dim, ScalarType, const Tensor& out) {
  run_backward(grad_output, output, dim, out, true);
}

namespace native {
namespace {

// Integers become the default float, as PyTorch's softmax has it.
Tensor converted(const Tensor& self, std::optional<ScalarType> dtype) {
  return dtype.has_value() ? to(self, self.options().dtype(*dtype)) : self;
}

}  // namespace

Tensor softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  return _softmax(converted(self, dtype), dim, false);
}
Tensor log_softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  return _log_softmax(converted(self, dtype), dim, false);
}

}  // namespace native
}  // namespace tsc
