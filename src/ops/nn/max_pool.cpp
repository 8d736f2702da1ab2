// max_pool1d, max_pool2d and max_pool3d, with and without the places of the results.
#include "core/dispatch_types.h"
#include "core/keys/custom_key.h"
#include "core/keys/thread_local_state.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/unsqueeze.h"
#include "gen/ops/pooling.h"
#include "gen/ops/pooling_native.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/nn/pool_line.h"
#include "ops/nn/pooling_device.h"
#include "ops/structured/fill.h"

namespace tsc {
namespace {

constexpr char kForward3d[] = "max_pool3d_with_indices_out_cpu_template()";
constexpr char kBackward3d[] = "max_pool3d_with_indices_backward_out_cpu_template()";

// A volume without a batch is laid out as one of a batch of one.
MemoryFormat format_3d(const Tensor& self) {
  if (self.dim() == 5) {
    return self.suggest_memory_format();
  }
  DimVector sizes(1, 1);
  DimVector strides(1, self.numel());
  for (size_t dim = 0; dim < self.sizes().size(); dim++) {
    sizes.push_back(self.sizes()[dim]);
    strides.push_back(self.strides()[dim]);
  }
  const bool is_last = !self.is_contiguous() &&
                       is_channels_last_contiguous(MemoryFormat::ChannelsLast3d, sizes, strides);
  return is_last ? MemoryFormat::ChannelsLast3d : MemoryFormat::Contiguous;
}

MemoryFormat format_of(const Tensor& self, int dims) {
  return dims == 2 ? pool_format(self, 2) : format_3d(self);
}

void check_kernel(const Tensor& self, int dims, MemoryFormat format) {
  const ScalarType dtype = self.dtype();
  if (dtype == ScalarType::Bool || is_complex(dtype)) {
    const bool last = format != MemoryFormat::Contiguous;
    throw_dtype_not_implemented(dims == 2 ? (last ? "max_pool2d_channels_last" : "max_pool2d")
                                          : (last ? "max_pool3d_channels_last" : "max_pool3d"),
                                dtype);
  }
}

void infer(MetaBase& meta, const Tensor& self, const PoolArguments& arguments) {
  const PoolSizes windows = check_pool(self, arguments, kForward3d);
  const DimVector sizes = sizes_with(self, arguments.dims, windows);
  const MemoryFormat format = format_of(self, arguments.dims);
  set_pool_output(meta, 0, sizes, self.dtype(), format);
  set_pool_output(meta, 1, sizes, ScalarType::Long, format);
}

void run(const Tensor& self, const PoolArguments& arguments, const Tensor& out,
         const Tensor& indices) {
  const int dims = arguments.dims;
  TSC_CHECK(
      dims == 2 || self.dim() == 5 || self.suggest_memory_format() != MemoryFormat::ChannelsLast,
      "Unsupported memory format. Supports only ChannelsLast3d, Contiguous");
  const MemoryFormat format = format_of(self, dims);
  check_kernel(self, dims, format);
  if (TSC_UNLIKELY(!self.is_cpu())) {
    max_pool_on_device(DevicePool::regular(volume_of(self, dims), volume_of(out, dims), arguments),
                       self, dims, format, out, indices);
    return;
  }
  run_max_pool(self, dims,
               PoolPlan::regular(volume_of(self, dims), volume_of(out, dims), arguments), format,
               out, indices);
}

void infer_backward(MetaBase& meta, const Tensor& grad_output, const Tensor& self,
                    const PoolArguments& arguments, const Tensor& indices) {
  check_gradient_dtype(grad_output, self.dtype(), "gradOutput");
  const PoolSizes windows = check_pool(self, arguments, kBackward3d);
  check_pooled_sizes(grad_output, self, arguments.dims, windows);
  check_pooled_sizes(indices, self, arguments.dims, windows);
  set_pool_output(meta, 0, self.sizes(), self.dtype(), format_of(self, arguments.dims));
}

}  // namespace

TSC_META_FUNC(max_pool2d_with_indices)
(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
 IntArrayRef dilation, bool ceil_mode) {
  infer(*this, self, max_pool_arguments(2, kernel_size, stride, padding, dilation, ceil_mode));
}
TSC_IMPL_FUNC(max_pool2d_with_indices_cpu)
(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
 IntArrayRef dilation, bool ceil_mode, const Tensor& out, const Tensor& indices) {
  run(self, max_pool_arguments(2, kernel_size, stride, padding, dilation, ceil_mode), out, indices);
}

TSC_META_FUNC(max_pool2d_with_indices_backward)
(const Tensor& grad_output, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
 IntArrayRef padding, IntArrayRef dilation, bool ceil_mode, const Tensor& indices) {
  infer_backward(*this, grad_output, self,
                 max_pool_arguments(2, kernel_size, stride, padding, dilation, ceil_mode), indices);
}
TSC_IMPL_FUNC(max_pool2d_with_indices_backward_cpu)
(const Tensor& grad_output, const Tensor& self, IntArrayRef, IntArrayRef, IntArrayRef, IntArrayRef,
 bool, const Tensor& indices, const Tensor& grad_input) {
  run_max_pool_backward(grad_output, indices, 2, format_of(self, 2), "max_pool2d_backward",
                        grad_input);
}

namespace native {
namespace {

// The arguments of a function of one dimension, which PyTorch checks in words of their own.
struct Line {
  cpu::LineWindows of;
  int64_t windows;
};

int64_t only_number(IntArrayRef values, const char* name, const char* what) {
  TSC_CHECK(values.size() == 1, "max_pool1d() {} must be {} of size 1 but got size {}", name, what,
            values.size());
  return values[0];
}

// Whether calls of operators would lead to the CPU's kernels, beside columns that only look.
bool is_plain(const Tensor& self) {
  const ThreadLocalState& state = tls();
  const DispatchKeySet keys = (self.key_set() | state.included) - state.excluded;
  constexpr DispatchKeySet kPlain =
      kAutogradKeys |
      DispatchKeySet{DispatchKey::CPU, DispatchKey::ADInplaceOrView, DispatchKey::BackendSelect};
  const DispatchKeySet others = keys - kPlain - looking_keys();
  return self.key_set().has(DispatchKey::CPU) &&
         (others.bits() & DispatchKeySet::kFunctionalityBits) == 0 &&
         !(self.requires_grad() && state.grad_mode);
}

// Below the dispatcher, and without the places of the results.
Tensor largest_of_lines(const Tensor& self, const cpu::LineWindows& windows, int64_t count) {
  DimVector sizes(self.sizes());
  sizes.back() = count;
  const ScalarType type = cpu::compute_type(self.dtype());
  const Tensor in = contiguous_as(self, type);
  const Tensor out = empty_tensor(sizes, type);
  const int64_t grain = std::max<int64_t>(1, kParallelGrain / windows.kernel);
  parallel_for(0, out.numel(), grain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      throw_if_interrupted();
      const int64_t line = begin / count;
      const int64_t first = begin % count;
      const int64_t part = std::min({count - first, end - begin, grain});
      if (type == ScalarType::Double) {
        cpu::line_pool->doubles(windows, in.data_ptr<double>() + line * windows.size,
                                out.data_ptr<double>() + line * count, first, first + part);
      } else {
        cpu::line_pool->floats(windows, in.data_ptr<float>() + line * windows.size,
                               out.data_ptr<float>() + line * count, first, first + part);
      }
      begin += part;
    }
  });
  return contiguous_as(out, self.dtype());
}

Line check_line(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  const bool has_rank = self.dim() == 2 || self.dim() == 3;
  TSC_CHECK(has_rank && self.size(-1) > 0 && self.size(-2) > 0,
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
            "input, but got:{}",
            self.sizes());
  cpu::LineWindows line;
  line.size = self.size(-1);
  line.kernel = only_number(kernel_size, "kernel_size", "an int, list of ints or tuple of ints");
  TSC_CHECK(stride.empty() || stride.size() == 1,
            "max_pool1d() stride must be None, an int, list of ints, or tuple of ints of size 1 "
            "but got size {}",
            stride.size());
  line.stride = stride.empty() ? line.kernel : stride[0];
  line.padding = only_number(padding, "padding", "an int, list of ints, or tuple of ints");
  line.dilation = only_number(dilation, "dilation", "an int, list of ints or tuple of ints");
  TSC_CHECK(line.kernel > 0, "max_pool1d() kernel_size must be greater than zero, but got {}",
            line.kernel);
  TSC_CHECK(line.stride > 0, "max_pool1d() stride must be greater than zero, but got {}",
            line.stride);
  TSC_CHECK(line.padding >= 0, "max_pool1d() padding must be non-negative, but got {}",
            line.padding);
  TSC_CHECK(line.padding <= line.kernel / 2,
            "max_pool1d() padding should be at most half of kernel size, but got padding={} and "
            "kernel_size={}",
            line.padding, line.kernel);
  TSC_CHECK(line.dilation > 0, "max_pool1d() dilation must be greater than zero, but got {}",
            line.dilation);
  int64_t extent = 0;
  TSC_CHECK(!__builtin_mul_overflow(line.kernel - 1, line.dilation, &extent) &&
                !__builtin_add_overflow(extent, 1, &extent),
            "effective kernel size overflows, but got kernel_size={} and dilation={}", line.kernel,
            line.dilation);
  const int64_t windows = count_windows(self.size(-1), line.kernel, line.stride, line.padding,
                                        line.dilation, ceil_mode);
  TSC_CHECK(windows > 0, "max_pool1d() Invalid computed output size: {}", windows);
  return {line, windows};
}

}  // namespace

std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& self, IntArrayRef kernel_size,
                                                   IntArrayRef stride, IntArrayRef padding,
                                                   IntArrayRef dilation, bool ceil_mode) {
  check_pooled_dims(self, "max_pool1d");
  const auto number = [](IntArrayRef values, const char* argument) {
    return check_one_int(values, "max_pool1d", argument);
  };
  const int64_t kernel = number(kernel_size, "kernel_size");
  const int64_t step = stride.empty() ? kernel : number(stride, "stride");
  const int64_t before = number(padding, "padding");
  const int64_t apart = number(dilation, "dilation");
  const auto [out, indices] = max_pool2d_with_indices(unsqueeze(self, -2), {1, kernel}, {1, step},
                                                      {0, before}, {1, apart}, ceil_mode);
  return {squeeze(out, -2), squeeze(indices, -2)};
}

Tensor max_pool1d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  const Line line = check_line(self, kernel_size, stride, padding, dilation, ceil_mode);
  const bool is_recorded = self.requires_grad() && tls().grad_mode;
  if (self.device().type == DeviceType::CPU && !is_recorded && !is_floating_point(self.dtype())) {
    throw_dtype_not_implemented("max_pool1d_impl", self.dtype());
  }
  if (!is_plain(self)) {
    return std::get<0>(
        tsc::max_pool1d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
  }
  return largest_of_lines(self, line.of, line.windows);
}

Tensor max_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  return std::get<0>(
      tsc::max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}

Tensor max_pool3d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  return std::get<0>(
      tsc::max_pool3d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}

std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& self, IntArrayRef kernel_size,
                                                   IntArrayRef stride, IntArrayRef padding,
                                                   IntArrayRef dilation, bool ceil_mode) {
  const PoolArguments arguments =
      max_pool_arguments(3, kernel_size, stride, padding, dilation, ceil_mode);
  Tensor out;
  Tensor indices;
  PlainOutputs meta;
  meta.allocate(self, out, indices);
  infer(meta, self, arguments);
  if (!meta.is_meta()) {
    run(self, arguments, out, indices);
  }
  return {std::move(out), std::move(indices)};
}

std::tuple<const Tensor&, const Tensor&> max_pool3d_with_indices_out(
    const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool ceil_mode, const Tensor& out, const Tensor& indices) {
  const PoolArguments arguments =
      max_pool_arguments(3, kernel_size, stride, padding, dilation, ceil_mode);
  PlainOutputs meta;
  meta.write(self, out, indices);
  meta.note_inputs<2>(self);
  infer(meta, self, arguments);
  if (!meta.is_meta()) {
    run(self, arguments, out, indices);
  }
  return {out, indices};
}

Tensor max_pool3d_with_indices_backward(const Tensor& grad_output, const Tensor& self,
                                        IntArrayRef kernel_size, IntArrayRef stride,
                                        IntArrayRef padding, IntArrayRef dilation, bool ceil_mode,
                                        const Tensor& indices) {
  return new_output(
      self,
      [&](MetaBase& meta) {
        infer_backward(meta, grad_output, self,
                       max_pool_arguments(3, kernel_size, stride, padding, dilation, ceil_mode),
                       indices);
      },
      [&](const Tensor& out) {
        run_max_pool_backward(grad_output, indices, 3, format_of(self, 3), "max_pool3d_backward",
                              out);
      });
}

const Tensor& max_pool3d_with_indices_backward_out(const Tensor& grad_output, const Tensor& self,
                                                   IntArrayRef kernel_size, IntArrayRef stride,
                                                   IntArrayRef padding, IntArrayRef dilation,
                                                   bool ceil_mode, const Tensor& indices,
                                                   const Tensor& grad_input) {
  return given_output(
      grad_input,
      [&](MetaBase& meta) {
        infer_backward(meta, grad_output, self,
                       max_pool_arguments(3, kernel_size, stride, padding, dilation, ceil_mode),
                       indices);
      },
      [&](const Tensor& out) {
        run_max_pool_backward(grad_output, indices, 3, format_of(self, 3), "max_pool3d_backward",
                              out);
      },
      self, grad_output, indices);
}

}  // namespace native
}  // namespace tsc
