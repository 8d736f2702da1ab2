// Fractional max pooling: windows of one size that start at places drawn by chance. Source of the
// places: Graham, Fractional Max-Pooling (2014), as PyTorch draws them.
#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "gen/ops/pooling_native.h"
#include "ops/cpu/kernels.h"
#include "ops/nn/pooling_device.h"
#include "ops/structured/operand_checks.h"

namespace tsc {
namespace {

constexpr const char* kNames[] = {"time", "height", "width"};

std::string by_x(IntArrayRef sizes) {
  std::string text;
  for (const int64_t size : sizes) {
    text += fmt::format("{}{}", text.empty() ? "" : "x", size);
  }
  return text;
}

void check_samples(const Tensor& self, int dims, const Tensor& samples) {
  TSC_CHECK(samples.dtype() == self.dtype(),
            "Expect _random_samples to have the same dtype as input");
  TSC_CHECK(samples.dim() == 3, "Expect _random_samples to have 3 dimensions, got {}",
            samples.dim());
  TSC_CHECK(samples.size(0) >= (self.dim() == dims + 2 ? self.size(0) : 1),
            "Expect _random_samples.size(0) no less then input batch size.");
  TSC_CHECK(samples.size(1) == self.size(-dims - 1),
            "Expect _random_samples.size(1) equals to input channel size.");
  TSC_CHECK(samples.size(2) == dims, "Expect _random_samples.size(2) equals to {}; got {}.", dims,
            samples.size(2));
}

void infer(MetaBase& meta, const Tensor& self, int dims, IntArrayRef kernel_size,
           IntArrayRef output_size, const Tensor& samples) {
  const char* const numbers = dims == 2 ? "Ints" : "three Ints";
  const auto count = static_cast<size_t>(dims);
  TSC_CHECK(kernel_size.size() == count,
            "fractional_max_pool{}d: kernel_size must either be a single Int or tuple of {}", dims,
            numbers);
  TSC_CHECK(output_size.size() == count,
            "fractional_max_pool{}d: output_size must either be a single Int or tuple of {}", dims,
            numbers);
  TSC_CHECK(std::all_of(kernel_size.begin(), kernel_size.end(), [](int64_t k) { return k > 0; }),
            "fractional_max_pool{}d(): kernel size should be greater than zero, but got {}", dims,
            by_x(kernel_size));
  const char* const function =
      dims == 2 ? "fractional_max_pool2d()" : "fractional_max_pool3d_out()";
  check_image_dim(self, dims, function);
  for (int64_t dim = 1; dim < self.dim(); dim++) {
    TSC_CHECK(self.size(dim) > 0,
              "{}: Expected input to have non-zero size for non-batch dimensions, but got{} with "
              "dimension {} being empty.",
              function, self.sizes(), dim);
  }
  for (int i = 0; i < dims; i++) {
    const auto at = static_cast<size_t>(i);
    const int64_t size = self.size(i - dims);
    const char* const name = kNames[i + 3 - dims];
    TSC_CHECK(output_size[at] + kernel_size[at] - 1 <= size,
              "{}: pool {} {} too large relative to input {} {}", function, name, kernel_size[at],
              name, size);
  }
  check_samples(self, dims, samples);
  const DimVector sizes = sizes_with(self, dims, pool_sizes(output_size));
  set_pool_output(meta, 0, sizes, self.dtype());
  set_pool_output(meta, 1, sizes, ScalarType::Long);
}

// Where the windows along one dimension start. Every step rounds to the dtype of the sample.
template <class T>
void draw_starts(T sample, int64_t size, int64_t windows, int64_t kernel, int64_t* starts) {
  using Number = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto rounded = [](Number value) { return static_cast<Number>(static_cast<T>(value)); };
  const auto start = static_cast<Number>(sample);
  if (windows > 1) {
    const Number step = rounded(rounded(static_cast<Number>(size - kernel)) /
                                rounded(static_cast<Number>(windows - 1)));
    const auto first = static_cast<int64_t>(rounded(start * step));
    for (int64_t i = 0; i < windows - 1; i++) {
      const Number at = rounded(rounded(rounded(static_cast<Number>(i)) + start) * step);
      starts[i] = std::clamp<int64_t>(static_cast<int64_t>(at) - first, 0, size - kernel);
    }
  }
  starts[windows - 1] = size - kernel;
}

// The numbers of planes that share memory for their windows.
constexpr int64_t kPlanes = 64;

void run(const Tensor& self, int dims, IntArrayRef kernel_size, const Tensor& random_samples,
         const Tensor& out, const Tensor& indices) {
  const char* const name =
      dims == 2 ? "fractional_max_pool2d_out_frame" : "fractional_max_pool3d_out_frame";
  dispatch_floating_types(self.dtype(), name, [&]<class T>() {
    if (out.numel() == 0) {
      return;
    }
    if (TSC_UNLIKELY(!self.is_cpu())) {
      DevicePool pool = {volume_of(self, dims), volume_of(out, dims)};
      pool.kernel = pool_sizes(kernel_size);
      fractional_pool_on_device(pool, self, random_samples, dims, out, indices);
      return;
    }
    const ScalarType type = cpu::compute_type(self.dtype());
    const MemoryFormat format = MemoryFormat::Contiguous;
    const Tensor in = dense_values(self, type, format);
    const Tensor samples = dense_values(random_samples, self.dtype(), format);
    const DenseResult result(out, type, format);
    const DenseResult places(indices, ScalarType::Long, format);
    const PoolSizes volume = volume_of(self, dims);
    const PoolSizes windows = volume_of(out, dims);
    const PoolSizes kernel = pool_sizes(kernel_size);
    const int64_t count = windows[0] * windows[1] * windows[2];
    const auto size = static_cast<int64_t>(in.itemsize());
    const int64_t in_bytes = size * volume[0] * volume[1] * volume[2];
    const auto max_rows = cpu::find_pool(type)->max_rows;
    const T* const sample = samples.data_ptr<T>();
    const int64_t work = count * kernel[0] * kernel[1] * kernel[2];
    const auto pool_planes = [&](int64_t begin, int64_t end) {
      std::array<cpu::PoolWindowList, 3> lists = {
          cpu::PoolWindowList::random(volume[0], windows[0], kernel[0]),
          cpu::PoolWindowList::random(volume[1], windows[1], kernel[1]),
          cpu::PoolWindowList::random(volume[2], windows[2], kernel[2])};
      const cpu::PoolWindows axes = {lists[0].axis(), lists[1].axis(), lists[2].axis()};
      for (int64_t plane = begin; plane < end; plane++) {
        for (int dim = 3 - dims; dim < 3; dim++) {
          const auto at = static_cast<size_t>(dim);
          // In two dimensions the first sample is the width's.
          const T drawn = sample[plane * dims + (dims == 3 ? dim : 2 - dim)];
          draw_starts(drawn, volume[at], windows[at], kernel[at], lists[at].starts());
        }
        max_rows(axes, static_cast<const char*>(in.data()) + plane * in_bytes,
                 result.data() + plane * count * size,
                 reinterpret_cast<int64_t*>(places.data()) + plane * count, 0,
                 windows[0] * windows[1]);
      }
    };
    parallel_for(0, out.numel() / count, std::max<int64_t>(1, cpu::kPoolGrain / work),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t plane = begin; plane < end; plane += kPlanes) {
                     throw_if_interrupted();
                     pool_planes(plane, std::min(end, plane + kPlanes));
                   }
                 });
    result.finish();
    places.finish();
  });
}

void infer_backward(MetaBase& meta, const Tensor& grad_output, const Tensor& self, int dims,
                    IntArrayRef output_size, const Tensor& indices) {
  const auto has_sizes = [&](const Tensor& tensor, int dim) {
    const auto at = static_cast<size_t>(dim);
    return at < output_size.size() && tensor.dim() == self.dim() &&
           tensor.size(dim - dims) == output_size[at];
  };
  TSC_CHECK(self.dim() == dims + 1 || self.dim() == dims + 2,
            "fractional_max_pool{}d_backward(): Expected {}D or {}D tensor, but got: {}", dims,
            dims + 1, dims + 2, self.sizes());
  for (int dim = 0; dim < dims; dim++) {
    if (dims == 2) {
      TSC_CHECK(has_sizes(grad_output, dim),
                "fractional_max_pool2d_backward(): gradOutput sizes unexpected");
      TSC_CHECK(has_sizes(indices, dim),
                "fractional_max_pool2d_backward(): indices sizes unexpected");
    } else {
      TSC_CHECK(has_sizes(grad_output, dim),
                "fractional_max_pool3d_backward_out(): gradOutput {} unexpected", kNames[dim]);
    }
  }
  check_pooled_sizes(grad_output, self, dims, pool_sizes(output_size));
  check_pooled_sizes(indices, self, dims, pool_sizes(output_size));
  set_pool_output(meta, 0, self.sizes(), self.dtype());
}

void run_backward(const Tensor& grad_output, int dims, const Tensor& indices,
                  const Tensor& grad_input) {
  run_max_pool_backward(grad_output, indices, dims, MemoryFormat::Contiguous,
                        dims == 2 ? "fractional_max_pool2d_backward_out_frame"
                                  : "fractional_max_pool3d_backward_out_frame",
                        grad_input);
}

}  // namespace

TSC_META_FUNC(fractional_max_pool2d)
(const Tensor& self, IntArrayRef kernel_size, IntArrayRef output_size,
 const Tensor& random_samples) {
  infer(*this, self, 2, kernel_size, output_size, random_samples);
}
TSC_IMPL_FUNC(fractional_max_pool2d_cpu)
(const Tensor& self, IntArrayRef kernel_size, IntArrayRef, const Tensor& random_samples,
 const Tensor& output, const Tensor& indices) {
  run(self, 2, kernel_size, random_samples, output, indices);
}
TSC_META_FUNC(fractional_max_pool3d)
(const Tensor& self, IntArrayRef kernel_size, IntArrayRef output_size,
 const Tensor& random_samples) {
  infer(*this, self, 3, kernel_size, output_size, random_samples);
}
TSC_IMPL_FUNC(fractional_max_pool3d_cpu)
(const Tensor& self, IntArrayRef kernel_size, IntArrayRef, const Tensor& random_samples,
 const Tensor& output, const Tensor& indices) {
  run(self, 3, kernel_size, random_samples, output, indices);
}

TSC_META_FUNC(fractional_max_pool2d_backward)
(const Tensor& grad_output, const Tensor& self, IntArrayRef, IntArrayRef output_size,
 const Tensor& indices) {
  infer_backward(*this, grad_output, self, 2, output_size, indices);
}
TSC_IMPL_FUNC(fractional_max_pool2d_backward_cpu)
(const Tensor& grad_output, const Tensor&, IntArrayRef, IntArrayRef, const Tensor& indices,
 const Tensor& grad_input) {
  run_backward(grad_output, 2, indices, grad_input);
}

namespace native {

Tensor fractional_max_pool3d_backward(const Tensor& grad_output, const Tensor& self, IntArrayRef,
                                      IntArrayRef output_size, const Tensor& indices) {
  return new_output(
      self,
      [&](MetaBase& meta) { infer_backward(meta, grad_output, self, 3, output_size, indices); },
      [&](const Tensor& out) { run_backward(grad_output, 3, indices, out); });
}

const Tensor& fractional_max_pool3d_backward_out(const Tensor& grad_output, const Tensor& self,
                                                 IntArrayRef, IntArrayRef output_size,
                                                 const Tensor& indices, const Tensor& grad_input) {
  return given_output(
      grad_input,
      [&](MetaBase& meta) { infer_backward(meta, grad_output, self, 3, output_size, indices); },
      [&](const Tensor& out) { run_backward(grad_output, 3, indices, out); }, self, grad_output,
      indices);
}

}  // namespace native
}  // namespace tsc
