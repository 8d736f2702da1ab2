// avg_pool1d, avg_pool2d and avg_pool3d, and their gradients.
#include "core/dispatch_types.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/unsqueeze.h"
#include "gen/ops/pooling.h"
#include "gen/ops/pooling_native.h"
#include "ops/cpu/kernels.h"
#include "ops/nn/pooling_device.h"
#include "ops/structured/operand_checks.h"

namespace tsc {
namespace {

// What the operators of two and three dimensions take.
struct Average {
  PoolArguments arguments;
  bool count_include_pad;
  std::optional<int64_t> divisor_override;

  Average(int dims, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
          bool ceil_mode, bool count_padding, std::optional<int64_t> divisor)
      : arguments(average_pool_arguments(dims, kernel_size, stride, padding, ceil_mode, divisor)),
        count_include_pad(count_padding),
        divisor_override(divisor) {}

  PoolPlan plan(const Tensor& self, const PoolSizes& windows) const {
    PoolPlan plan =
        PoolPlan::regular(volume_of(self, arguments.dims), windows, arguments, count_include_pad);
    plan.divide_by(divisor_override);
    return plan;
  }
  DevicePool device_pool(const Tensor& self, const PoolSizes& windows) const {
    using Divisor = DevicePool::Divisor;
    DevicePool pool = DevicePool::regular(volume_of(self, arguments.dims), windows, arguments);
    pool.divisor = divisor_override.has_value() ? Divisor::number
                   : count_include_pad          ? Divisor::with_padding
                                                : Divisor::elements;
    pool.number = divisor_override.value_or(1);
    return pool;
  }
};

// Averages of volumes are contiguous, whatever the input is.
MemoryFormat format_of(const Tensor& self, int dims) {
  return dims == 2 ? pool_format(self, 2) : MemoryFormat::Contiguous;
}

// Volumes have no kernels for half types on the CPU, and integers none on devices.
void check_kernel(const Tensor& self, int dims, const char* kernel) {
  const ScalarType dtype = self.dtype();
  const bool is_cpu = self.is_cpu();
  if (!(is_floating_point(dtype) || (dtype == ScalarType::Long && is_cpu)) ||
      (dims == 3 && is_reduced_floating_point(dtype) && is_cpu)) {
    throw_dtype_not_implemented(kernel, dtype);
  }
}

void infer(MetaBase& meta, const Tensor& self, const Average& average) {
  const PoolSizes windows = check_pool(self, average.arguments, "avg_pool3d()");
  const int dims = average.arguments.dims;
  set_pool_output(meta, 0, sizes_with(self, dims, windows), self.dtype(), format_of(self, dims));
}

void run(const Tensor& self, const Average& average, const Tensor& out) {
  const int dims = average.arguments.dims;
  const MemoryFormat format = format_of(self, dims);
  const bool channels_last = format != MemoryFormat::Contiguous;
  check_kernel(self, dims,
               dims == 3       ? "avg_pool3d_out_frame"
               : channels_last ? "avg_pool2d_channels_last"
                               : "avg_pool2d");
  if (out.numel() == 0) {
    return;
  }
  if (TSC_UNLIKELY(!self.is_cpu())) {
    average_pool_on_device(average.device_pool(self, volume_of(out, dims)), self, dims, format,
                           out);
    return;
  }
  const PoolPlan plan = average.plan(self, volume_of(out, dims));
  const PoolInput in = plan.input(self, dims, format);
  const DenseResult result(out, self.dtype(), format);
  cpu::average_pool(in.call, in.data(), result.data());
  result.finish();
}

void infer_backward(MetaBase& meta, const Tensor& grad_output, const Tensor& self,
                    const Average& average) {
  const PoolArguments& arguments = average.arguments;
  if (arguments.dims == 2) {
    check_gradient_dtype(grad_output, self.dtype(), "gradOutput");
  }
  const PoolSizes windows = check_pool(self, arguments, "avg_pool3d_backward()");
  check_pooled_sizes(grad_output, self, arguments.dims, windows);
  set_pool_output(meta, 0, self.sizes(), self.dtype(), format_of(self, arguments.dims));
}

void run_backward(const Tensor& grad_output, const Tensor& self, const Average& average,
                  const Tensor& grad_input) {
  const int dims = average.arguments.dims;
  const MemoryFormat format = format_of(self, dims);
  check_kernel(self, dims, dims == 3 ? "avg_pool3d_backward_out_frame" : "avg_pool2d_backward");
  check_scalar_type(grad_output, self.dtype());
  if (grad_input.numel() == 0) {
    return;
  }
  if (TSC_UNLIKELY(!self.is_cpu())) {
    average_pool_backward_on_device(average.device_pool(self, volume_of(grad_output, dims)),
                                    grad_output, dims, format, grad_input);
    return;
  }
  const ScalarType type = cpu::compute_type(self.dtype());
  const Tensor from = dense_values(grad_output, type, format);
  const DenseResult result(grad_input, type, format);
  const PoolPlan plan = average.plan(self, volume_of(grad_output, dims));
  cpu::average_pool_backward(plan.call(self, dims, type, format != MemoryFormat::Contiguous),
                             static_cast<const char*>(from.data()), result.data());
  result.finish();
}

}  // namespace

#define TSC_AVERAGE_POOL(name, dims)                                                           \
  TSC_META_FUNC(name)                                                                          \
  (const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,       \
   bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {          \
    infer(*this, self,                                                                         \
          Average(dims, kernel_size, stride, padding, ceil_mode, count_include_pad,            \
                  divisor_override));                                                          \
  }                                                                                            \
  TSC_IMPL_FUNC(name##_cpu)                                                                    \
  (const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,       \
   bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override,            \
   const Tensor& out) {                                                                        \
    run(self,                                                                                  \
        Average(dims, kernel_size, stride, padding, ceil_mode, count_include_pad,              \
                divisor_override),                                                             \
        out);                                                                                  \
  }                                                                                            \
  TSC_META_FUNC(name##_backward)                                                               \
  (const Tensor& grad_output, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, \
   IntArrayRef padding, bool ceil_mode, bool count_include_pad,                                \
   std::optional<int64_t> divisor_override) {                                                  \
    infer_backward(*this, grad_output, self,                                                   \
                   Average(dims, kernel_size, stride, padding, ceil_mode, count_include_pad,   \
                           divisor_override));                                                 \
  }                                                                                            \
  TSC_IMPL_FUNC(name##_backward_cpu)                                                           \
  (const Tensor& grad_output, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, \
   IntArrayRef padding, bool ceil_mode, bool count_include_pad,                                \
   std::optional<int64_t> divisor_override, const Tensor& grad_input) {                        \
    run_backward(grad_output, self,                                                            \
                 Average(dims, kernel_size, stride, padding, ceil_mode, count_include_pad,     \
                         divisor_override),                                                    \
                 grad_input);                                                                  \
  }
TSC_AVERAGE_POOL(avg_pool2d, 2)
TSC_AVERAGE_POOL(avg_pool3d, 3)
#undef TSC_AVERAGE_POOL

namespace native {

Tensor avg_pool1d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, bool ceil_mode, bool count_include_pad) {
  check_pooled_dims(self, "avg_pool1d");
  const auto number = [](IntArrayRef values, const char* argument) {
    return check_one_int(values, "avg_pool1d", argument);
  };
  const int64_t kernel = number(kernel_size, "kernel_size");
  const int64_t step = stride.empty() ? kernel : number(stride, "stride");
  const int64_t before = number(padding, "padding");
  return squeeze(avg_pool2d(unsqueeze(self, -2), {1, kernel}, {1, step}, {0, before}, ceil_mode,
                            count_include_pad),
                 -2);
}

}  // namespace native
}  // namespace tsc
