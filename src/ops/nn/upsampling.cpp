// Resizing of signals, images and volumes, and its gradients.
#include "ops/nn/upsampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/dispatch_types.h"
#include "core/small_vector.h"
#include "core/tensor_factory.h"
#include "ops/cpu/kernels.h"
#include "ops/structured/contiguous_lines.h"
#include "ops/structured/device_kernels.h"
#include "ops/structured/operand_checks.h"

namespace tsc {
namespace {

using Kind = UpsampleMode::Kind;

std::string spatial_sizes(IntArrayRef sizes) {
  static constexpr std::string_view kNames = "DHW";
  std::string text;
  for (size_t i = 0; i < sizes.size(); i++) {
    text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", kNames[3 - sizes.size() + i], sizes[i]);
  }
  return text;
}

void check_sizes(size_t count, IntArrayRef input_size, IntArrayRef output_size) {
  TSC_CHECK(output_size.size() == count, "It is expected output_size equals to {}, but got size {}",
            count, output_size.size());
  TSC_CHECK(input_size.size() == count + 2,
            "It is expected input_size equals to {}, but got size {}", count + 2,
            input_size.size());
  bool is_positive = true;
  for (size_t i = 0; i < count; i++) {
    is_positive = is_positive && input_size[i + 2] > 0 && output_size[i] > 0;
  }
  TSC_CHECK(is_positive,
            "Input and output sizes should be greater than 0, but got input ({}){} output ({})",
            spatial_sizes(input_size.slice(2)), count == 1 ? " and" : "",
            spatial_sizes(output_size));
}

DimVector resized(IntArrayRef sizes, IntArrayRef spatial) {
  DimVector result = {sizes[0], sizes[1]};
  for (const int64_t size : spatial) {
    result.push_back(size);
  }
  return result;
}

bool has_channels_last(const Tensor& tensor) {
  return tensor.suggest_memory_format() != MemoryFormat::Contiguous;
}

// The same elements with the channels as the last dimension.
Tensor channels_behind(const Tensor& tensor) {
  DimVector sizes(tensor.sizes()), strides(tensor.strides());
  std::rotate(sizes.begin() + 1, sizes.begin() + 2, sizes.end());
  std::rotate(strides.begin() + 1, strides.begin() + 2, strides.end());
  return view_tensor(tensor, sizes, strides, tensor.storage_offset());
}

// Calls run(outer, inner, to, from) on dense memory in the input's memory format.
template <class F>
void on_dense_memory(const Tensor& from, const Tensor& to, F run) {
  if (to.numel() == 0 || from.numel() == 0) {
    return;
  }
  const bool is_last = has_channels_last(from);
  const Tensor source = contiguous_values(is_last ? channels_behind(from) : from);
  const Tensor target = is_last ? channels_behind(to) : to;
  const ContiguousResult result(target);
  const int64_t batch = from.size(0);
  const int64_t channels = from.size(1);
  run(is_last ? batch : batch * channels, is_last ? channels : 1, result.data(),
      static_cast<const char*>(source.data()));
  result.finish();
}

// The spatial axes of a resize from `input` to `output`; those that are missing have one element.
std::array<ResizedAxis, 3> resized_axes(const Tensor& input, const Tensor& output,
                                        bool align_corners, const UpsampleScales& scales) {
  std::array<ResizedAxis, 3> axes;
  const int64_t missing = 5 - input.dim();
  for (int64_t i = 0; i < 3; i++) {
    ResizedAxis& axis = axes[static_cast<size_t>(i)];
    axis.in = i < missing ? 1 : input.size(i - missing + 2);
    axis.out = i < missing ? 1 : output.size(i - missing + 2);
    axis.align_corners = align_corners;
    axis.scale = scales[static_cast<size_t>(i)];
  }
  return axes;
}

bool is_fused(bool is_image, ScalarType type) { return is_image || type == ScalarType::Double; }

// Half precision: PyTorch rounds the weights of interpolation, but not those of images' lines and of
// gradients.
cpu::UpsampleTaps taps_of(const UpsampleMode& mode, const ResizedAxis& axis, ScalarType type,
                          bool is_image, bool backward) {
  const bool is_filter = mode.kind == Kind::filter;
  if (type == ScalarType::Byte) {
    return byte_taps(axis, mode.filter, is_filter);
  }
  const bool is_linear = mode.filter == UpsampleFilter::linear;
  if (backward || (is_image && is_linear)) {
    type = type == ScalarType::Double ? type : ScalarType::Float;
  }
  return is_filter   ? filter_taps(axis, type, mode.filter)
         : is_linear ? linear_taps(axis, {0, axis.out}, type, is_fused(is_image, type))
                     : cubic_taps(axis, type);
}

bool is_nearest(const UpsampleMode& mode) {
  return mode.kind == Kind::nearest || mode.kind == Kind::nearest_exact;
}

// Bytes are copied in every mode, and weighted in images; filters know no half precision. Devices do, and
// weight no bytes.
void check_dtype(const UpsampleMode& mode, const Tensor& self, bool backward) {
  const ScalarType type = self.dtype();
  const bool takes_bytes = !backward && (is_nearest(mode) || (self.dim() == 4 && self.is_cpu()));
  const bool takes_halves = mode.kind != Kind::filter || !self.is_cpu();
  const bool is_taken = is_reduced_floating_point(type) ? takes_halves
                        : type == ScalarType::Byte      ? takes_bytes
                                                        : is_floating_point(type);
  if (!is_taken) {
    throw_dtype_not_implemented(backward ? mode.backward_name : mode.name, type);
  }
}

cpu::UpsampleNearest nearest_call(const UpsampleMode& mode, const std::array<ResizedAxis, 3>& axes,
                                  ScalarType type, int64_t outer, int64_t inner) {
  cpu::UpsampleNearest call{type, outer, {}, {}, inner};
  for (size_t i = 0; i < 3; i++) {
    call.in[i] = axes[i].in;
    call.source[i] = nearest_sources(axes[i], type, mode.kind == Kind::nearest_exact);
  }
  return call;
}

// Tables of all axes in one run, for kernels/resizing.cuh, and where the parts begin.
struct DeviceTables {
  std::vector<int64_t> numbers;
  std::array<int64_t, 16> integers{};

  DeviceTables(int64_t inner, const std::array<cpu::UpsampleTaps, 3>& axes) {
    integers[0] = inner;
    for (size_t i = 0; i < 3; i++) {
      const cpu::UpsampleTaps& taps = axes[i];
      const bool is_present = taps.present();
      integers[1 + i] = taps.out;
      integers[4 + i] = taps.in;
      integers[7 + i] = add(is_present ? taps.begin : std::vector<int64_t>{0, 1});
      integers[10 + i] = add(is_present ? taps.index : std::vector<int64_t>{0});
      integers[13 + i] = static_cast<int64_t>(numbers.size());
      for (const double weight : is_present ? taps.weight : std::vector<double>{1}) {
        numbers.push_back(std::bit_cast<int64_t>(weight));
      }
    }
  }
  int64_t add(const std::vector<int64_t>& part) {
    const auto begin = static_cast<int64_t>(numbers.size());
    numbers.insert(numbers.end(), part.begin(), part.end());
    return begin;
  }
};
Tensor on_device(const std::vector<int64_t>& numbers, Device device) {
  const Tensor here = empty_tensor({static_cast<int64_t>(numbers.size())}, ScalarType::Long);
  std::copy(numbers.begin(), numbers.end(), here.data_ptr<int64_t>());
  const Tensor there = empty_tensor(here.sizes(), ScalarType::Long, device);
  device_kernels(device.type).copy_between(there, here, /*non_blocking=*/true);
  return there;
}

// Each output of an axis has its source alone.
cpu::UpsampleTaps nearest_taps(const UpsampleMode& mode, const ResizedAxis& axis, ScalarType type) {
  cpu::UpsampleTaps taps;
  taps.in = axis.in;
  taps.out = axis.out;
  taps.index = nearest_sources(axis, type, mode.kind == Kind::nearest_exact);
  taps.weight.assign(taps.index.size(), 1);
  taps.begin.resize(taps.index.size() + 1);
  std::iota(taps.begin.begin(), taps.begin.end(), 0);
  return taps;
}

// The input, or with `backward` the gradient, `from` resized to `to`.
void resize_on_device(const UpsampleMode& mode, const std::array<ResizedAxis, 3>& axes,
                      const Tensor& from, const Tensor& to, bool backward) {
  const bool copies = is_nearest(mode) && !backward;
  const ScalarType compute = cpu::compute_type(from.dtype());
  std::array<cpu::UpsampleTaps, 3> taps;
  for (size_t i = static_cast<size_t>(5 - from.dim()); i < 3; i++) {
    taps[i] = is_nearest(mode) ? nearest_taps(mode, axes[i], from.dtype())
                               : taps_of(mode, axes[i], compute, from.dim() == 4, backward);
    if (backward) taps[i] = transposed(taps[i]);
  }
  const bool is_last = has_channels_last(from);
  const Tensor source = contiguous_values(is_last ? channels_behind(from) : from);
  const Tensor target = is_last ? channels_behind(to) : to;
  const ContiguousResult result(target);
  const DeviceTables tables(is_last ? from.size(1) : 1, taps);
  run_device_map(
      {from.device(),
       "resizing",
       copies ? "resize_by_copies" : "resize",
       compute,
       to.numel(),
       {{result.data(), to.dtype(), to.numel()}, source, on_device(tables.numbers, from.device())},
       tables.integers});
  result.finish();
}

}  // namespace

void check_upsampling(MetaBase& meta, size_t count, const Tensor& self, IntArrayRef output_size) {
  check_sizes(count, self.sizes(), output_size);
  TSC_CHECK(self.size(1) != 0, "Non-empty {}D data tensor expected but got a tensor with sizes {}",
            count + 2, self.sizes());
  meta.set_output(0, resized(self.sizes(), output_size), self.dtype(),
                  self.suggest_memory_format());
}

void check_upsampling_backward(MetaBase& meta, size_t count, const Tensor& grad_output,
                               IntArrayRef output_size, IntArrayRef input_size,
                               bool keeps_channels_last) {
  check_sizes(count, input_size, output_size);
  const auto dim = static_cast<int64_t>(count) + 2;
  const DimVector expected = resized(input_size, output_size);
  TSC_CHECK(count == 1 || grad_output.dim() == dim,
            "Expected grad_output to be a tensor of dimension {} but got: dimension {}", dim,
            grad_output.dim());
  for (int64_t i = 0; i < dim; i++) {
    const int64_t size = expected[static_cast<size_t>(i)];
    if (count == 1) {
      check_dim_size(grad_output, dim, i, size);
    } else {
      TSC_CHECK(grad_output.size(i) == size,
                "Expected grad_output to have the same shape as output; output.size({0}) = {1} "
                "but got grad_output.size({0}) = {2}",
                i, size, grad_output.size(i));
    }
  }
  meta.set_output(
      0, input_size, grad_output.dtype(),
      keeps_channels_last ? grad_output.suggest_memory_format() : MemoryFormat::Contiguous);
}

void run_upsampling(const UpsampleMode& mode, const Tensor& self, bool align_corners,
                    const UpsampleScales& scales, const Tensor& out) {
  check_dtype(mode, self, false);
  const std::array<ResizedAxis, 3> axes = resized_axes(self, out, align_corners, scales);
  if (TSC_UNLIKELY(!self.is_cpu())) {
    if (out.numel() > 0 && self.numel() > 0) resize_on_device(mode, axes, self, out, false);
    return;
  }
  on_dense_memory(self, out, [&](int64_t outer, int64_t inner, char* to, const char* from) {
    const ScalarType type = self.dtype();
    if (is_nearest(mode)) {
      return cpu::upsample_nearest(nearest_call(mode, axes, type, outer, inner), to, from);
    }
    const bool is_image = self.dim() == 4;
    const bool is_bilinear = is_image && mode.kind == Kind::interpolation &&
                             mode.filter == UpsampleFilter::linear && type != ScalarType::Byte;
    cpu::Upsample call{type, cpu::UpsampleSum::interpolate, outer, {}, inner, nullptr};
    call.sum = is_bilinear                 ? cpu::UpsampleSum::bilinear
               : mode.kind == Kind::filter ? cpu::UpsampleSum::filter
                                           : cpu::UpsampleSum::interpolate;
    for (size_t i = static_cast<size_t>(5 - self.dim()); i < 3; i++) {
      // Bytes whose number does not change are not weighted.
      if (type == ScalarType::Byte && axes[i].in == axes[i].out) {
        call.axes[i].in = call.axes[i].out = axes[i].in;
      } else if (self.dim() == 3) {
        call.axes[i].in = axes[i].in;
        call.axes[i].out = axes[i].out;
        call.width_taps = [&](int64_t first, int64_t last) {
          return linear_taps(axes[2], {first, last}, type, is_fused(is_image, type));
        };
      } else {
        call.axes[i] = taps_of(mode, axes[i], type, is_image, false);
      }
    }
    cpu::upsample(std::move(call), to, from);
  });
}

void run_upsampling_backward(const UpsampleMode& mode, const Tensor& grad_output,
                             bool align_corners, const UpsampleScales& scales,
                             const Tensor& grad_input) {
  check_dtype(mode, grad_output, true);
  const std::array<ResizedAxis, 3> axes =
      resized_axes(grad_input, grad_output, align_corners, scales);
  if (TSC_UNLIKELY(!grad_output.is_cpu())) {
    if (grad_input.numel() > 0 && grad_output.numel() > 0) {
      resize_on_device(mode, axes, grad_output, grad_input, true);
    }
    return;
  }
  on_dense_memory(
      grad_output, grad_input, [&](int64_t outer, int64_t inner, char* to, const char* from) {
        const ScalarType type = grad_output.dtype();
        if (is_nearest(mode)) {
          return cpu::upsample_nearest_backward(nearest_call(mode, axes, type, outer, inner), to,
                                                from);
        }
        cpu::Upsample call{type, cpu::UpsampleSum::gradient, outer, {}, inner, nullptr};
        for (size_t i = static_cast<size_t>(5 - grad_output.dim()); i < 3; i++) {
          call.axes[i] = transposed(taps_of(mode, axes[i], type, grad_output.dim() == 4, true));
        }
        cpu::upsample(std::move(call), to, from);
      });
}

}  // namespace tsc
