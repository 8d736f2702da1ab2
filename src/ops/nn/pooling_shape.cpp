#include "ops/nn/pooling_shape.h"

#include <algorithm>
#include <numeric>

#include "core/dispatch_types.h"
#include "core/tensor_factory.h"
#include "ops/cpu/kernels.h"
#include "ops/nn/pooling_device.h"
#include "ops/structured/fill.h"
#include "ops/structured/operand_checks.h"
#include "ops/structured/type_names.h"

namespace tsc {
namespace {

// [kernel, ...] as depth, height and width.
PoolSizes expanded(int dims, IntArrayRef values, int64_t depth) {
  PoolSizes sizes;
  for (size_t i = 0; i < 3; i++) {
    const size_t at = i + static_cast<size_t>(dims) - 3;
    sizes[i] = dims == 2 && i == 0 ? depth : values.size() == 1 ? values[0] : values[at];
    TSC_CHECK(sizes[i] == static_cast<int32_t>(sizes[i]),
              "value cannot be converted to type int without overflow");
  }
  return sizes;
}

bool has_length(IntArrayRef values, int dims) {
  return values.size() == 1 || values.size() == static_cast<size_t>(dims);
}

// PyTorch words the same thing differently from operator to operator.
PoolArguments make_arguments(int dims, const char* name, const char* must, IntArrayRef kernel,
                             IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                             bool ceil_mode) {
  const char* const number = dims == 2 ? "two" : "three";
  TSC_CHECK(has_length(kernel, dims), "{}: kernel_size {} a single int, or a tuple of {} ints",
            name, must, number);
  TSC_CHECK(stride.empty() || has_length(stride, dims),
            "{}: stride {} omitted, a single int, or a tuple of {} ints", name, must, number);
  TSC_CHECK(has_length(padding, dims), "{}: padding {} a single int, or a tuple of {} ints", name,
            must, number);
  TSC_CHECK(has_length(dilation, dims),
            "{}: dilation must be either a single int, or a tuple of {} ints", name, number);
  return {dims,
          name,
          expanded(dims, kernel, 1),
          expanded(dims, stride.empty() ? kernel : stride, 1),
          expanded(dims, padding, 0),
          expanded(dims, dilation, 1),
          ceil_mode};
}

int64_t windows_along(int64_t size, const PoolArguments& arguments, size_t dim) {
  const int64_t kernel = arguments.kernel[dim];
  const int64_t stride = arguments.stride[dim];
  const int64_t padding = arguments.padding[dim];
  const int64_t dilation = arguments.dilation[dim];
  TSC_CHECK(stride != 0, "stride should not be zero");
  TSC_CHECK(padding >= 0, "pad must be non-negative, but got pad: {}", padding);
  TSC_CHECK(padding <= ((kernel - 1) * dilation + 1) / 2,
            "pad should be at most half of effective kernel size, but got pad={}, kernel_size={} "
            "and dilation={}",
            padding, kernel, dilation);
  return count_windows(size, kernel, stride, padding, dilation, arguments.ceil_mode);
}

void check_positive(const PoolArguments& arguments, const PoolSizes& values, const char* what,
                    const char* const (&names)[3]) {
  const auto [d, h, w] = values;
  if (arguments.dims == 2) {
    TSC_CHECK(w > 0 && h > 0, "{} should be greater than zero, but got {}: {} {}: {}", what,
              names[1], h, names[2], w);
  } else {
    TSC_CHECK(w > 0 && h > 0 && d > 0,
              "{} should be greater than zero, but got {}: {} {}: {} {}: {}", what, names[0], d,
              names[1], h, names[2], w);
  }
}

std::string joined(const Tensor& self, int dims, const PoolSizes& volume) {
  std::string text = fmt::format("{}", self.size(-dims - 1));
  for (size_t i = dims == 2 ? 1 : 0; i < 3; i++) {
    text += fmt::format("x{}", volume[i]);
  }
  return text;
}

bool is_average(const PoolArguments& arguments) { return arguments.name[0] == 'a'; }

void check_volume(const Tensor& self, const PoolArguments& arguments, const char* function) {
  if (arguments.dims == 2) {
    const bool good = (self.dim() == 3 || self.dim() == 4) &&
                      std::all_of(self.sizes().end() - 3, self.sizes().end(),
                                  [](int64_t size) { return size != 0; });
    TSC_CHECK(good,
              "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
              "got:{}",
              self.sizes());
    return;
  }
  check_no_empty_dim(self, self.dim() == 5 ? 1 : 0, function);
  if (is_average(arguments)) {
    const PoolSizes volume = volume_of(self, 3);
    const PoolSizes& kernel = arguments.kernel;
    TSC_CHECK(volume[0] >= kernel[0] && volume[1] >= kernel[1] && volume[2] >= kernel[2],
              "input image (T: {} H: {} W: {}) smaller than kernel size (kT: {} kH: {} kW: {})",
              volume[0], volume[1], volume[2], kernel[0], kernel[1], kernel[2]);
  }
}

}  // namespace

int64_t count_windows(int64_t size, int64_t kernel, int64_t stride, int64_t padding,
                      int64_t dilation, bool ceil_mode) {
  const __int128 free = static_cast<__int128>(size) + 2 * static_cast<__int128>(padding) -
                        static_cast<__int128>(dilation) * (static_cast<__int128>(kernel) - 1) - 1 +
                        (ceil_mode ? stride - 1 : 0);
  const bool is_above = free % stride != 0 && (free < 0) != (stride < 0);
  const auto windows = static_cast<int64_t>(free / stride - (is_above ? 1 : 0) + 1);
  // The last window begins within the volume or the padding before it.
  const bool outside = ceil_mode && static_cast<__int128>(windows - 1) * stride >=
                                        static_cast<__int128>(size) + padding;
  return outside ? windows - 1 : windows;
}

void check_pooled_dims(const Tensor& self, const char* function) {
  TSC_CHECK(self.dim() == 2 || self.dim() == 3,
            "Expected 2 to 3 dimensions, but got {}-dimensional tensor for argument #1 'self' "
            "(while checking arguments for {})",
            self.dim(), function);
}

int64_t check_one_int(IntArrayRef values, const char* function, const char* argument) {
  TSC_CHECK(values.size() == 1, "{}() argument '{}' should contain one int (got {})", function,
            argument, values.size());
  return values[0];
}

PoolArguments max_pool_arguments(int dims, IntArrayRef kernel, IntArrayRef stride,
                                 IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  return make_arguments(dims, dims == 2 ? "max_pool2d" : "max_pool3d", "must either be", kernel,
                        stride, padding, dilation, ceil_mode);
}

PoolArguments average_pool_arguments(int dims, IntArrayRef kernel, IntArrayRef stride,
                                     IntArrayRef padding, bool ceil_mode,
                                     std::optional<int64_t> divisor_override) {
  const PoolArguments arguments = make_arguments(dims, dims == 2 ? "avg_pool2d" : "avg_pool3d",
                                                 dims == 2 ? "must either be" : "must be", kernel,
                                                 stride, padding, {1}, ceil_mode);
  TSC_CHECK(divisor_override != 0, "divisor must be not zero");
  return arguments;
}

PoolSizes check_pool(const Tensor& self, const PoolArguments& arguments, const char* function) {
  const int dims = arguments.dims;
  // PyTorch reads the sizes of what is pooled in two dimensions to averages before it looks at
  // their number.
  if (dims == 2 && is_average(arguments)) {
    maybe_wrap_dim(-3, self.dim());
  } else {
    TSC_CHECK(self.dim() == dims + 1 || self.dim() == dims + 2,
              "non-empty {}D or {}D (batch mode) tensor expected for input", dims + 1, dims + 2);
  }
  const PoolSizes volume = volume_of(self, dims);
  PoolSizes windows = {1, 1, 1};
  for (size_t dim = dims == 2 ? 1 : 0; dim < 3; dim++) {
    windows[dim] = windows_along(volume[dim], arguments, dim);
  }
  check_positive(arguments, arguments.kernel, "kernel size", {"kT", "kH", "kW"});
  check_positive(arguments, arguments.stride, "stride", {"dT", "dH", "dW"});
  check_positive(arguments, arguments.dilation, "dilation",
                 {"dilationT", "dilationH", "dilationW"});
  check_volume(self, arguments, function);
  TSC_CHECK(*std::min_element(windows.begin(), windows.end()) >= 1,
            "Given input size: ({}). Calculated output size: ({}). Output size is too small",
            joined(self, dims, volume), joined(self, dims, windows));
  return windows;
}

PoolSizes volume_of(const Tensor& self, int dims) {
  return {dims == 2 ? 1 : self.size(-3), self.size(-2), self.size(-1)};
}

DimVector sizes_with(const Tensor& self, int dims, const PoolSizes& volume) {
  DimVector sizes(self.sizes());
  for (size_t i = 1; i <= static_cast<size_t>(dims); i++) {
    sizes[sizes.size() - i] = volume[3 - i];
  }
  return sizes;
}

PoolSizes pool_sizes(IntArrayRef sizes, int64_t depth) {
  return sizes.size() == 2 ? PoolSizes{depth, sizes[0], sizes[1]}
                           : PoolSizes{sizes[0], sizes[1], sizes[2]};
}

void check_pooled_sizes(const Tensor& tensor, const Tensor& self, int dims,
                        const PoolSizes& windows) {
  const int64_t channels = self.dim() - dims - 1;
  check_dim_size(tensor, self.dim(), channels, self.size(channels));
  for (int i = 0; i < dims; i++) {
    check_dim_size(tensor, self.dim(), channels + 1 + i,
                   windows[static_cast<size_t>(3 - dims) + static_cast<size_t>(i)]);
  }
  if (channels == 1) {
    check_dim_size(tensor, self.dim(), 0, self.size(0));
  }
}

void check_image_dim(const Tensor& tensor, int dims, std::string_view function,
                     std::string_view got) {
  TSC_CHECK(tensor.dim() == dims + 1 || tensor.dim() == dims + 2,
            "{}: Expected {}D or {}D tensor, but {} {}", function, dims + 1, dims + 2, got,
            tensor.sizes());
}

void check_no_empty_dim(const Tensor& tensor, int64_t first, const char* function,
                        const char* what) {
  for (int64_t dim = first; dim < tensor.dim(); dim++) {
    TSC_CHECK(tensor.size(dim) > 0,
              "{0}: Expected {1} to have non-zero size for non-batch dimensions, but {1} has sizes "
              "{2} with dimension {3} being empty",
              function, what, tensor.sizes(), dim);
  }
}

void check_gradient_dtype(const Tensor& gradient, ScalarType expected, const char* name) {
  TSC_CHECK(gradient.dtype() == expected, "expected dtype {} for `{}` but got dtype {}",
            cpp_type_name(expected), name, cpp_type_name(gradient.dtype()));
}

MemoryFormat pool_format(const Tensor& self, int dims) {
  return self.dim() == dims + 2 ? self.suggest_memory_format() : MemoryFormat::Contiguous;
}

void set_pool_output(MetaBase& meta, int index, IntArrayRef sizes, ScalarType dtype,
                     MemoryFormat format) {
  meta.set_output(index, sizes, dtype, format);
  if (meta.output_mode() != OutputMode::Functional) {
    check_no_internal_overlap(meta.output(index));
  }
}

PoolPlan::PoolPlan(cpu::PoolWindowList depth, cpu::PoolWindowList height, cpu::PoolWindowList width)
    : depth_(std::move(depth)), height_(std::move(height)), width_(std::move(width)) {}

PoolPlan PoolPlan::regular(const PoolSizes& volume, const PoolSizes& windows,
                           const PoolArguments& arguments, bool count_padding) {
  const auto along = [&](size_t dim) {
    return cpu::PoolWindowList::regular(volume[dim], windows[dim], arguments.kernel[dim],
                                        arguments.stride[dim], arguments.padding[dim],
                                        arguments.dilation[dim], count_padding);
  };
  return {along(0), along(1), along(2)};
}

PoolPlan PoolPlan::adaptive(const PoolSizes& volume, const PoolSizes& windows) {
  const auto along = [&](size_t dim) {
    return cpu::PoolWindowList::adaptive(volume[dim], windows[dim]);
  };
  return {along(0), along(1), along(2)};
}

void PoolPlan::divide_by(std::optional<int64_t> number) {
  if (number.has_value()) {
    divisor_ = cpu::PoolDivisor::fixed;
    fixed_divisor_ = *number;
  }
}

cpu::PoolWindows PoolPlan::windows() const {
  return {depth_.axis(), height_.axis(), width_.axis(), divisor_, fixed_divisor_};
}

cpu::PoolCall PoolPlan::call(const Tensor& self, int dims, ScalarType type,
                             bool channels_last) const {
  return {windows(), type, self.dim() == dims + 2 ? self.size(0) : 1, self.size(-dims - 1),
          channels_last};
}

std::optional<cpu::PoolStrides> PoolPlan::strides_in_place(const Tensor& self, int dims,
                                                           MemoryFormat format) const {
  constexpr double kManyElements = 8;
  const bool is_computed = self.dtype() == ScalarType::Float || self.dtype() == ScalarType::Double;
  if (!is_computed || format != MemoryFormat::Contiguous || self.is_contiguous() ||
      self.size(-dims - 1) < 2) {
    return std::nullopt;
  }
  const cpu::PoolWindows pooled = windows();
  double elements = 1;  // of all windows
  for (const cpu::PoolAxis& axis : {pooled.depth, pooled.height, pooled.width}) {
    elements *= std::accumulate(axis.count, axis.count + axis.windows, 0.0);
  }
  if (elements < kManyElements * static_cast<double>(pooled.windows()) ||
      elements > 2 * static_cast<double>(pooled.volume())) {
    return std::nullopt;
  }
  const auto stride = [&](int from_last) {
    return from_last < self.dim() ? self.stride(-from_last - 1) : 0;
  };
  return cpu::PoolStrides{.image = stride(dims + 1),
                          .channel = stride(dims),
                          .depth = dims > 2 ? stride(2) : 0,
                          .height = dims > 1 ? stride(1) : 0,
                          .width = stride(0)};
}

PoolInput PoolPlan::input(const Tensor& self, int dims, MemoryFormat format) const {
  PoolInput result{call(self, dims, self.dtype(), format != MemoryFormat::Contiguous), self};
  result.call.strides = strides_in_place(self, dims, format);
  if (!result.call.strides.has_value()) result.tensor = dense_values(self, self.dtype(), format);
  return result;
}

Tensor dense_values(const Tensor& tensor, ScalarType type, MemoryFormat format) {
  if (tensor.dtype() == type && tensor.is_contiguous(format)) {
    return tensor;
  }
  Tensor copy = empty_strided_tensor(tensor.sizes(), strides_in(format, tensor.sizes()), type,
                                     tensor.device());
  copy_elements(copy, tensor);
  return copy;
}

DenseResult::DenseResult(const Tensor& out, ScalarType type, MemoryFormat format)
    : out_(out),
      tensor_(out.dtype() == type && out.is_contiguous(format)
                  ? out
                  : empty_strided_tensor(out.sizes(), strides_in(format, out.sizes()), type,
                                         out.device())) {}

void DenseResult::finish() const {
  if (!tensor_.is_same(out_)) {
    copy_elements(out_, tensor_);
  }
}

void run_max_pool(const Tensor& self, int dims, const PoolPlan& plan, MemoryFormat format,
                  const Tensor& out, const Tensor& indices) {
  if (out.numel() == 0) {
    return;
  }
  const PoolInput in = plan.input(self, dims, format);
  const DenseResult result(out, self.dtype(), format);
  const DenseResult places(indices, ScalarType::Long, format);
  cpu::max_pool(in.call, in.data(), result.data(), reinterpret_cast<int64_t*>(places.data()));
  result.finish();
  places.finish();
}

void run_max_pool_backward(const Tensor& grad_output, const Tensor& indices, int dims,
                           MemoryFormat format, const char* kernel, const Tensor& grad_input) {
  if (!is_floating_point(grad_input.dtype())) {
    throw_dtype_not_implemented(kernel, grad_input.dtype());
  }
  check_scalar_type(grad_output, grad_input.dtype());
  check_scalar_type(indices, ScalarType::Long);
  if (grad_input.numel() == 0) {
    return;
  }
  const ScalarType type = cpu::compute_type(grad_input.dtype());
  const Tensor from = dense_values(grad_output, type, format);
  const Tensor places = dense_values(indices, ScalarType::Long, format);
  const DenseResult result(grad_input, type, format);
  if (TSC_UNLIKELY(!grad_input.is_cpu())) {
    zero_elements(result.tensor());
    move_on_device(dims, format, true, from, places, result.tensor());
    result.finish();
    return;
  }
  const auto volume = [&](const Tensor& tensor) {
    const PoolSizes sizes = volume_of(tensor, dims);
    return sizes[0] * sizes[1] * sizes[2];
  };
  cpu::BadIndex ignored;
  cpu::scatter_to_places(
      {type, grad_input.dim() == dims + 2 ? grad_input.size(0) : 1, grad_input.size(-dims - 1),
       volume(grad_output), volume(grad_input), format != MemoryFormat::Contiguous},
      true, static_cast<const char*>(from.data()), places.data_ptr<int64_t>(), result.data(),
      ignored);
  result.finish();
}

}  // namespace tsc
