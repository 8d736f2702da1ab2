// im2col and col2im: the blocks that slide over an image as the columns of a matrix, and the image
// that they add up to.
#include <complex>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "gen/ops/pooling_native.h"
#include "ops/cpu/kernels.h"
#include "ops/nn/pooling_shape.h"
#include "ops/structured/contiguous_lines.h"
#include "ops/structured/device_map.h"

namespace tsc {
namespace {

struct Pair {
  int64_t height;
  int64_t width;
};

Pair pair_of(IntArrayRef values, const char* name) {
  TSC_CHECK(values.size() == 2, "It is expected {} equals to 2, but got size {}", name,
            values.size());
  return {values[0], values[1]};
}

// Blocks of an image, and how many there are in each direction.
struct Blocks {
  Pair kernel;
  Pair dilation;
  Pair padding;
  Pair stride;
  Pair image = {};
  Pair count = {};

  void check_positive() const {
    TSC_CHECK(kernel.height > 0 && kernel.width > 0,
              "kernel size should be greater than zero, but got kernel_height: {} kernel_width: {}",
              kernel.height, kernel.width);
    TSC_CHECK(
        dilation.height > 0 && dilation.width > 0,
        "dilation should be greater than zero, but got dilation_height: {} dilation_width: {}",
        dilation.height, dilation.width);
    TSC_CHECK(padding.height >= 0 && padding.width >= 0,
              "padding should be non-negative, but got pad_height: {} pad_width: {}",
              padding.height, padding.width);
    TSC_CHECK(stride.height > 0 && stride.width > 0,
              "stride should be greater than zero, but got stride_height: {} stride_width: {}",
              stride.height, stride.width);
  }

  void slide_over(Pair sizes) {
    image = sizes;
    count = {count_windows(sizes.height, kernel.height, stride.height, padding.height,
                           dilation.height, false),
             count_windows(sizes.width, kernel.width, stride.width, padding.width, dilation.width,
                           false)};
  }

  int64_t elements() const { return kernel.height * kernel.width; }
  int64_t number() const { return count.height * count.width; }

  // Calls f(block, place of its element (i, j) in the image, number of blocks) for runs of blocks
  // side by side whose element lies in the image; `stride.width` is from one place to the next.
  template <class F>
  void for_each_run(int64_t i, int64_t j, F f) const {
    const int64_t offset = j * dilation.width - padding.width;
    const int64_t begin =
        offset >= 0 ? 0 : std::min(count.width, (-offset + stride.width - 1) / stride.width);
    const int64_t beyond = image.width - offset;
    const int64_t end =
        beyond <= 0
            ? begin
            : std::max(begin, std::min(count.width, (beyond + stride.width - 1) / stride.width));
    for (int64_t row = 0; row < count.height; row++) {
      const int64_t y = row * stride.height - padding.height + i * dilation.height;
      if (y >= 0 && y < image.height && begin < end) {
        f(row * count.width + begin, y * image.width + begin * stride.width + offset, end - begin);
      }
    }
  }
};

Blocks make_blocks(IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding,
                   IntArrayRef stride) {
  return {pair_of(kernel_size, "kernel_size"), pair_of(dilation, "dilation"),
          pair_of(padding, "padding"), pair_of(stride, "stride")};
}

bool has_elements(const Tensor& self, int64_t first) {
  for (int64_t dim = first; dim < self.dim(); dim++) {
    if (self.size(dim) == 0) {
      return false;
    }
  }
  return true;
}

Blocks check_im2col(const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation,
                    IntArrayRef padding, IntArrayRef stride) {
  Blocks blocks = make_blocks(kernel_size, dilation, padding, stride);
  blocks.check_positive();
  maybe_wrap_dim(1, self.dim());  // PyTorch reads these sizes before it looks at their number
  maybe_wrap_dim(2, self.dim());
  TSC_CHECK(
      (self.dim() == 3 && has_elements(self, 0)) || (self.dim() == 4 && has_elements(self, 1)),
      "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
      "dimensions for input, but got: {}",
      self.sizes());
  blocks.slide_over({self.size(-2), self.size(-1)});
  TSC_CHECK(
      blocks.count.height >= 1 && blocks.count.width >= 1,
      "Given input with spatial size ({}, {}), kernel_size=({}, {}), dilation=({}, {}), "
      "padding=({}, {}), calculated shape of the array of sliding blocks as ({}, {}), but its "
      "components must be at least one.",
      blocks.image.height, blocks.image.width, blocks.kernel.height, blocks.kernel.width,
      blocks.dilation.height, blocks.dilation.width, blocks.padding.height, blocks.padding.width,
      blocks.count.height, blocks.count.width);
  return blocks;
}

Blocks check_col2im(const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size,
                    IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) {
  const Pair image = pair_of(output_size, "output_size");
  Blocks blocks = make_blocks(kernel_size, dilation, padding, stride);
  blocks.check_positive();
  TSC_CHECK(
      (self.dim() == 2 && has_elements(self, 0)) || (self.dim() == 3 && has_elements(self, 1)),
      "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
      "non-zero dimensions for input, but got: {}",
      self.sizes());
  const int64_t channels = self.dim() - 2;
  int64_t elements = 0;
  const bool fits = !__builtin_mul_overflow(blocks.kernel.height, blocks.kernel.width, &elements);
  TSC_CHECK(fits && self.size(channels) % elements == 0,
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, "
            "but got input.size(1)={} and kernel_size=({}, {}).",
            self.size(channels), blocks.kernel.height, blocks.kernel.width);
  blocks.slide_over(image);
  const auto given = [&] {
    return fmt::format(
        "Given output_size=({}, {}), kernel_size=({}, {}), dilation=({}, {}), "
        "padding=({}, {}), stride=({}, {}), ",
        image.height, image.width, blocks.kernel.height, blocks.kernel.width,
        blocks.dilation.height, blocks.dilation.width, blocks.padding.height, blocks.padding.width,
        blocks.stride.height, blocks.stride.width);
  };
  TSC_CHECK(self.size(-1) == blocks.number(),
            "{}expected size of input's dimension 2 to match the calculated number of sliding "
            "blocks {} * {} = {}, but got input.size(2)={}.",
            given(), blocks.count.height, blocks.count.width, blocks.number(), self.size(-1));
  TSC_CHECK(blocks.count.height >= 1 && blocks.count.width >= 1,
            "{}calculated shape of the array of sliding blocks as ({}, {}), which is too small "
            "(non-positive)",
            given(), blocks.count.height, blocks.count.width);
  TSC_CHECK(image.height >= 1 && image.width >= 1,
            "Expected output spatial size to be positive, but got: output_size=({}, {}).",
            image.height, image.width);
  return blocks;
}

void infer_columns(MetaBase& meta, const Tensor& self, const Blocks& blocks) {
  DimVector sizes;
  if (self.dim() == 4) {
    sizes.push_back(self.size(0));
  }
  sizes.push_back(self.size(-3) * blocks.elements());
  sizes.push_back(blocks.number());
  set_pool_output(meta, 0, sizes, self.dtype());
}

void infer_image(MetaBase& meta, const Tensor& self, const Blocks& blocks) {
  DimVector sizes;
  if (self.dim() == 3) {
    sizes.push_back(self.size(0));
  }
  sizes.push_back(self.size(-2) / blocks.elements());
  sizes.push_back(blocks.image.height);
  sizes.push_back(blocks.image.width);
  set_pool_output(meta, 0, sizes, self.dtype());
}

// As kernels/blocks.cuh has its integers.
void run_on_device(std::string_view name, const Tensor& self, const Blocks& blocks,
                   const Tensor& out) {
  const ContiguousResult result(out);
  const Pair pairs[] = {blocks.kernel, blocks.dilation, blocks.padding,
                        blocks.stride, blocks.image,    blocks.count};
  std::array<int64_t, 12> integers{};
  for (size_t i = 0; i < 6; i++) {
    integers[2 * i] = pairs[i].height;
    integers[2 * i + 1] = pairs[i].width;
  }
  run_device_map({self.device(),
                  "blocks",
                  name,
                  cpu::compute_type(self.dtype()),
                  out.numel(),
                  {{result.data(), out.dtype(), out.numel()}, contiguous_values(self)},
                  integers});
  result.finish();
}

template <class F>
void dispatch_columns(ScalarType dtype, const char* name, F f) {
  if (dtype == ScalarType::Bool) {
    f.template operator()<bool>();
  } else {
    dispatch_floating_and_complex_types(dtype, name, f);
  }
}

// One column of the matrix's transposed: an element of the blocks, of all blocks.
template <class T>
void fill_line(const Blocks& blocks, int64_t element, const T* plane, T* line) {
  const int64_t i = element / blocks.kernel.width;
  const int64_t j = element % blocks.kernel.width;
  int64_t filled = 0;
  blocks.for_each_run(i, j, [&](int64_t block, int64_t place, int64_t count) {
    std::fill(line + filled, line + block, T{});
    if (blocks.stride.width == 1) {
      std::copy(plane + place, plane + place + count, line + block);
    } else {
      for (int64_t k = 0; k < count; k++) {
        line[block + k] = plane[place + k * blocks.stride.width];
      }
    }
    filled = block + count;
  });
  std::fill(line + filled, line + blocks.number(), T{});
}

void run_im2col(const Tensor& self, const Blocks& blocks, const Tensor& out) {
  dispatch_columns(self.dtype(), "im2col_out_cpu", [&]<class T>() {
    if (out.numel() == 0) {
      return;
    }
    if (TSC_UNLIKELY(!self.is_cpu())) {
      run_on_device("image_to_columns", self, blocks, out);
      return;
    }
    const Tensor images = contiguous_values(self);
    const ContiguousResult columns(out);
    const T* const from = images.data_ptr<T>();
    T* const to = reinterpret_cast<T*>(columns.data());
    const int64_t plane = blocks.image.height * blocks.image.width;
    const int64_t number = blocks.number();
    parallel_for(0, out.numel() / number, std::max<int64_t>(1, kParallelGrain / number),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t line = begin; line < end; line++) {
                     throw_if_interrupted();
                     fill_line(blocks, line % blocks.elements(),
                               from + line / blocks.elements() * plane, to + line * number);
                   }
                 });
    columns.finish();
  });
}

template <class T>
TSC_ALWAYS_INLINE T sum_of(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<T>(static_cast<float>(a) + static_cast<float>(b));
  } else {
    return a + b;
  }
}

template <class T>
void add_line(const Blocks& blocks, int64_t element, const T* line, T* plane) {
  const int64_t i = element / blocks.kernel.width;
  const int64_t j = element % blocks.kernel.width;
  const int64_t stride = blocks.stride.width;
  blocks.for_each_run(i, j, [&](int64_t block, int64_t place, int64_t count) {
    const T* const from = line + block;
    T* const to = plane + place;
    if (stride == 1) {
      for (int64_t k = 0; k < count; k++) to[k] = sum_of(to[k], from[k]);
    } else {
      for (int64_t k = 0; k < count; k++) to[k * stride] = sum_of(to[k * stride], from[k]);
    }
  });
}

void run_col2im(const Tensor& self, const Blocks& blocks, const Tensor& out) {
  dispatch_columns(self.dtype(), "col2im_out_cpu", [&]<class T>() {
    if (out.numel() == 0) {
      return;
    }
    if (TSC_UNLIKELY(!self.is_cpu())) {
      run_on_device("columns_to_image", self, blocks, out);
      return;
    }
    const Tensor columns = contiguous_values(self);
    const ContiguousResult images(out);
    const T* const from = columns.data_ptr<T>();
    T* const to = reinterpret_cast<T*>(images.data());
    const int64_t plane = blocks.image.height * blocks.image.width;
    const int64_t number = blocks.number();
    const int64_t work = plane + number * blocks.elements();
    parallel_for(0, out.numel() / plane, std::max<int64_t>(1, kParallelGrain / work),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t image = begin; image < end; image++) {
                     std::fill(to + image * plane, to + (image + 1) * plane, T{});
                     for (int64_t element = 0; element < blocks.elements(); element++) {
                       throw_if_interrupted();
                       add_line(blocks, element,
                                from + (image * blocks.elements() + element) * number,
                                to + image * plane);
                     }
                   }
                 });
    images.finish();
  });
}

}  // namespace

namespace native {

Tensor im2col(const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation,
              IntArrayRef padding, IntArrayRef stride) {
  const Blocks blocks = check_im2col(self, kernel_size, dilation, padding, stride);
  return new_output(
      self, [&](MetaBase& meta) { infer_columns(meta, self, blocks); },
      [&](const Tensor& out) { run_im2col(self, blocks, out); });
}

const Tensor& im2col_out(const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation,
                         IntArrayRef padding, IntArrayRef stride, const Tensor& out) {
  const Blocks blocks = check_im2col(self, kernel_size, dilation, padding, stride);
  return given_output(
      out, [&](MetaBase& meta) { infer_columns(meta, self, blocks); },
      [&](const Tensor& to) { run_im2col(self, blocks, to); }, self);
}

Tensor col2im(const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size,
              IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) {
  const Blocks blocks = check_col2im(self, output_size, kernel_size, dilation, padding, stride);
  return new_output(
      self, [&](MetaBase& meta) { infer_image(meta, self, blocks); },
      [&](const Tensor& out) { run_col2im(self, blocks, out); });
}

const Tensor& col2im_out(const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size,
                         IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride,
                         const Tensor& out) {
  const Blocks blocks = check_col2im(self, output_size, kernel_size, dilation, padding, stride);
  return given_output(
      out, [&](MetaBase& meta) { infer_image(meta, self, blocks); },
      [&](const Tensor& to) { run_col2im(self, blocks, to); }, self);
}

}  // namespace native
}  // namespace tsc
