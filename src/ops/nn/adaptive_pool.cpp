// Adaptive pooling: as many windows as asked for, whatever the size of the input.
#include "core/dispatch_types.h"
#include "gen/calls/as_strided.h"
#include "gen/calls/mean.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/unsqueeze.h"
#include "gen/ops/pooling.h"
#include "gen/ops/pooling_native.h"
#include "ops/cpu/kernels.h"
#include "ops/nn/pooling_device.h"
#include "ops/structured/operand_checks.h"
#include "ops/structured/type_names.h"

namespace tsc {
namespace {

std::string function_of(const char* kind, int dims, const char* suffix = "()") {
  return fmt::format("adaptive_{}_pool{}d{}", kind, dims, suffix);
}

// ---- The largest elements

void infer_max(MetaBase& meta, const Tensor& self, int dims, IntArrayRef output_size) {
  const std::string function = function_of("max", dims);
  check_image_dim(self, dims, function);
  check_no_empty_dim(self, 1, function.c_str());
  TSC_CHECK(output_size.size() == static_cast<size_t>(dims),
            "{}: internal error: output_size.size() must be {}", function, dims);
  const DimVector sizes = sizes_with(self, dims, pool_sizes(output_size));
  const MemoryFormat format = dims == 2 ? pool_format(self, 2) : MemoryFormat::Contiguous;
  set_pool_output(meta, 0, sizes, self.dtype(), format);
  set_pool_output(meta, 1, sizes, ScalarType::Long, format);
}

void run_max(const Tensor& self, int dims, const Tensor& out, const Tensor& indices) {
  const MemoryFormat format = dims == 2 ? pool_format(self, 2) : MemoryFormat::Contiguous;
  if (!is_floating_point(self.dtype())) {
    throw_dtype_not_implemented(dims == 3 ? "adaptive_max_pool3d_cpu"
                                : format != MemoryFormat::Contiguous
                                    ? "adaptive_max_pool2d_channels_last"
                                    : "adaptive_max_pool2d",
                                self.dtype());
  }
  if (out.numel() == 0) {
    return;
  }
  if (TSC_UNLIKELY(!self.is_cpu())) {
    max_pool_on_device({volume_of(self, dims), volume_of(out, dims)}, self, dims, format, out,
                       indices);
    return;
  }
  run_max_pool(self, dims, PoolPlan::adaptive(volume_of(self, dims), volume_of(out, dims)), format,
               out, indices);
}

void infer_max_backward(MetaBase& meta, const Tensor& grad_output, const Tensor& self, int dims,
                        const Tensor& indices) {
  const char* const name = dims == 2 ? "grad_output" : "gradOutput";
  TSC_CHECK(grad_output.dim() == dims + 1 || grad_output.dim() == dims + 2,
            "adaptive_max_pool{}{}: Expected {}D or {}D {}, but got: {}", dims == 2 ? "ing" : "",
            dims == 2 ? "2d_backward()" : "3d_backward()", dims + 1, dims + 2, name,
            grad_output.sizes());
  check_no_empty_dim(grad_output, 1, function_of("max", dims, "_backward()").c_str(),
                     "grad_output");
  check_gradient_dtype(grad_output, self.dtype(), name);
  TSC_CHECK(indices.dim() == self.dim(),
            "expected dimensions {} for `indices` but got dimensions {}", self.dim(),
            indices.dim());
  TSC_CHECK(grad_output.sizes() == indices.sizes(), "expected sizes {} for `{}` but got sizes {}",
            indices.sizes(), name, grad_output.sizes());
  check_pooled_sizes(grad_output, self, dims, volume_of(grad_output, dims));
  set_pool_output(meta, 0, self.sizes(), self.dtype(),
                  dims == 2 ? pool_format(self, 2) : MemoryFormat::Contiguous);
}

// ---- Averages

void infer_average(MetaBase& meta, const Tensor& self, int dims, IntArrayRef output_size) {
  const std::string function = function_of("avg", dims);
  TSC_CHECK(output_size.size() == static_cast<size_t>(dims),
            "adaptive_avg_pool{}d: output_size must be {}", dims, dims);
  check_image_dim(self, dims, function, "got");
  // Images of no channels are taken, but not volumes.
  check_no_empty_dim(self, dims == 2 ? self.dim() - 2 : 1, function.c_str());
  set_pool_output(meta, 0, sizes_with(self, dims, pool_sizes(output_size)), self.dtype(),
                  dims == 2 ? pool_format(self, 2) : MemoryFormat::Contiguous);
}

PoolPlan average_plan(const Tensor& self, const Tensor& pooled, int dims) {
  PoolPlan plan = PoolPlan::adaptive(volume_of(self, dims), volume_of(pooled, dims));
  plan.divide_one_by_one();
  return plan;
}

void run_average(const Tensor& self, int dims, const Tensor& out) {
  const MemoryFormat format = dims == 2 ? pool_format(self, 2) : MemoryFormat::Contiguous;
  const bool channels_last = format != MemoryFormat::Contiguous;
  if (!is_floating_point(self.dtype())) {
    throw_dtype_not_implemented(dims == 3       ? "adaptive_avg_pool3d_cpu"
                                : channels_last ? "adaptive_avg_pool2d_channels_last"
                                                : "adaptive_avg_pool2d",
                                self.dtype());
  }
  if (out.numel() == 0) {
    return;
  }
  if (TSC_UNLIKELY(!self.is_cpu())) {
    average_pool_on_device({volume_of(self, dims), volume_of(out, dims)}, self, dims, format, out);
    return;
  }
  const PoolPlan plan = average_plan(self, out, dims);
  const PoolInput in = plan.input(self, dims, format);
  const DenseResult result(out, self.dtype(), format);
  cpu::average_pool(in.call, in.data(), result.data());
  result.finish();
}

void infer_average_backward(MetaBase& meta, const Tensor& grad_output, const Tensor& self,
                            int dims) {
  check_no_empty_dim(grad_output, 1, function_of("avg", dims, "_backward()").c_str(),
                     "grad_output");
  const char* const name = dims == 2 ? "grad_output" : "gradOutput_";
  const std::string function = function_of("avg", dims, "_backward_out_cpu_template");
  TSC_CHECK(grad_output.dim() == self.dim(),
            "{}: Expected dimensions {} for `{}` but got dimensions {}", function, self.dim(), name,
            grad_output.dim());
  check_image_dim(self, dims, function, "got");
  if (dims == 2) {
    TSC_CHECK(grad_output.dtype() == self.dtype(),
              "{}: Expected dtype {} for `{}` but got dtype {}", function,
              cpp_type_name(self.dtype()), name, cpp_type_name(grad_output.dtype()));
  }
  check_pooled_sizes(grad_output, self, dims, volume_of(grad_output, dims));
  set_pool_output(meta, 0, self.sizes(), self.dtype(),
                  dims == 2 ? pool_format(self, 2) : MemoryFormat::Contiguous);
}

void run_average_backward(const Tensor& grad_output, const Tensor& self, int dims,
                          const Tensor& grad_input) {
  const MemoryFormat format = dims == 2 ? pool_format(self, 2) : MemoryFormat::Contiguous;
  if (!is_floating_point(self.dtype())) {
    throw_dtype_not_implemented(
        dims == 2 ? "adaptive_avg_pool2d_backward" : "adaptive_avg_pool3d_backward_cpu",
        self.dtype());
  }
  check_scalar_type(grad_output, self.dtype());
  if (grad_input.numel() == 0) {
    return;
  }
  if (TSC_UNLIKELY(!self.is_cpu())) {
    average_pool_backward_on_device({volume_of(self, dims), volume_of(grad_output, dims)},
                                    grad_output, dims, format, grad_input);
    return;
  }
  const ScalarType type = cpu::compute_type(self.dtype());
  const Tensor from = dense_values(grad_output, type, format);
  const DenseResult result(grad_input, type, format);
  const PoolPlan plan = average_plan(self, grad_output, dims);
  cpu::average_pool_backward(plan.call(self, dims, type, format != MemoryFormat::Contiguous),
                             static_cast<const char*>(from.data()), result.data());
  result.finish();
}

void check_adaptive_out(const Tensor& self, const Tensor& out) {
  check_gradient_dtype(out, self.dtype(), "output");
}

}  // namespace

TSC_META_FUNC(adaptive_max_pool2d)(const Tensor& self, IntArrayRef output_size) {
  infer_max(*this, self, 2, output_size);
}
TSC_IMPL_FUNC(adaptive_max_pool2d_cpu)
(const Tensor& self, IntArrayRef, const Tensor& out, const Tensor& indices) {
  run_max(self, 2, out, indices);
}
TSC_META_FUNC(adaptive_max_pool3d)(const Tensor& self, IntArrayRef output_size) {
  infer_max(*this, self, 3, output_size);
}
TSC_IMPL_FUNC(adaptive_max_pool3d_cpu)
(const Tensor& self, IntArrayRef, const Tensor& out, const Tensor& indices) {
  run_max(self, 3, out, indices);
}

TSC_META_FUNC(adaptive_max_pool2d_backward)
(const Tensor& grad_output, const Tensor& self, const Tensor& indices) {
  infer_max_backward(*this, grad_output, self, 2, indices);
}
TSC_IMPL_FUNC(adaptive_max_pool2d_backward_cpu)
(const Tensor& grad_output, const Tensor& self, const Tensor& indices, const Tensor& grad_input) {
  run_max_pool_backward(grad_output, indices, 2, pool_format(self, 2),
                        "adaptive_max_pool2d_backward", grad_input);
}
TSC_META_FUNC(adaptive_max_pool3d_backward)
(const Tensor& grad_output, const Tensor& self, const Tensor& indices) {
  infer_max_backward(*this, grad_output, self, 3, indices);
}
TSC_IMPL_FUNC(adaptive_max_pool3d_backward_cpu)
(const Tensor& grad_output, const Tensor&, const Tensor& indices, const Tensor& grad_input) {
  run_max_pool_backward(grad_output, indices, 3, MemoryFormat::Contiguous,
                        "adaptive_max_pool3d_backward", grad_input);
}

namespace native {
namespace {

// One window is a mean. It keeps the format of its input, which its sizes leave open.
Tensor global_mean(const Tensor& self, int dims) {
  const Tensor out = dims == 2 ? mean(self, IntArrayRef({-1, -2}), true)
                               : mean(self, IntArrayRef({-1, -2, -3}), true);
  const MemoryFormat last = dims == 2 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
  if (self.suggest_memory_format() != last) {
    return out;
  }
  const int64_t channels = self.size(1);
  DimVector strides(out.sizes().size(), channels);
  strides[1] = 1;
  return as_strided(out, out.sizes(), strides);
}

}  // namespace

std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, IntArrayRef output_size) {
  check_pooled_dims(self, "adaptive_max_pool1d");
  const int64_t windows = check_one_int(output_size, "adaptive_max_pool1d", "output_size");
  check_no_empty_dim(self, 1, "adaptive_max_pool1d()");
  const auto [out, indices] = adaptive_max_pool2d(unsqueeze(self, -2), {1, windows});
  return {squeeze(out, -2), squeeze(indices, -2)};
}

Tensor adaptive_avg_pool1d(const Tensor& self, IntArrayRef output_size) {
  check_pooled_dims(self, "adaptive_avg_pool1d");
  const int64_t windows = check_one_int(output_size, "adaptive_avg_pool1d", "output_size");
  return squeeze(tsc::adaptive_avg_pool2d(unsqueeze(self, -2), {1, windows}), -2);
}

Tensor adaptive_avg_pool2d(const Tensor& self, IntArrayRef output_size) {
  TSC_CHECK(output_size.size() == 2, "adaptive_avg_pool2d: output_size must be 2");
  TSC_CHECK(output_size[0] >= 0 && output_size[1] >= 0,
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but "
            "received {{{}, {}}}",
            output_size[0], output_size[1]);
  return output_size[0] == 1 && output_size[1] == 1 ? global_mean(self, 2)
                                                    : tsc::_adaptive_avg_pool2d(self, output_size);
}

Tensor adaptive_avg_pool3d(const Tensor& self, IntArrayRef output_size) {
  TSC_CHECK(output_size.size() == 3, "adaptive_avg_pool3d: output_size must be 3");
  TSC_CHECK(output_size[0] >= 0 && output_size[1] >= 0 && output_size[2] >= 0,
            "adaptive_avg_pool3d: elements of output_size must be greater than or equal to 0 but "
            "received {{{}, {},{}}}",
            output_size[0], output_size[1], output_size[2]);
  const bool one = output_size[0] == 1 && output_size[1] == 1 && output_size[2] == 1;
  return one ? global_mean(self, 3) : tsc::_adaptive_avg_pool3d(self, output_size);
}

#define TSC_ADAPTIVE_AVERAGE(dims)                                                             \
  Tensor _adaptive_avg_pool##dims##d(const Tensor& self, IntArrayRef output_size) {            \
    return new_output(                                                                         \
        self, [&](MetaBase& meta) { infer_average(meta, self, dims, output_size); },           \
        [&](const Tensor& out) { run_average(self, dims, out); });                             \
  }                                                                                            \
  const Tensor& adaptive_avg_pool##dims##d_out(const Tensor& self, IntArrayRef output_size,    \
                                               const Tensor& out) {                            \
    check_adaptive_out(self, out);                                                             \
    return given_output(                                                                       \
        out, [&](MetaBase& meta) { infer_average(meta, self, dims, output_size); },            \
        [&](const Tensor& to) { run_average(self, dims, to); }, self);                         \
  }                                                                                            \
  Tensor _adaptive_avg_pool##dims##d_backward(const Tensor& grad_output, const Tensor& self) { \
    return new_output(                                                                         \
        self, [&](MetaBase& meta) { infer_average_backward(meta, grad_output, self, dims); },  \
        [&](const Tensor& out) { run_average_backward(grad_output, self, dims, out); });       \
  }
TSC_ADAPTIVE_AVERAGE(2)
TSC_ADAPTIVE_AVERAGE(3)
#undef TSC_ADAPTIVE_AVERAGE

const Tensor& adaptive_avg_pool3d_backward_out(const Tensor& grad_output, const Tensor& self,
                                               const Tensor& grad_input) {
  return given_output(
      grad_input, [&](MetaBase& meta) { infer_average_backward(meta, grad_output, self, 3); },
      [&](const Tensor& out) { run_average_backward(grad_output, self, 3, out); }, self,
      grad_output);
}

}  // namespace native
}  // namespace tsc
