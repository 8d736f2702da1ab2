// Padding with what is at the edges: mirrored (reflection) or repeated (replication), of the last
// one to three dimensions, and its gradients.
#include <algorithm>
#include <array>
#include <concepts>
#include <cstring>

#include "core/dispatch_types.h"
#include "core/small_vector.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "gen/ops/shape_native.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/strided.h"
#include "ops/nn/padded_size.h"
#include "ops/structured/device_map.h"
#include "ops/structured/fill.h"
#include "ops/structured/meta_base.h"
#include "ops/structured/operand_checks.h"

namespace tsc {
namespace {

enum class Edge { Reflected, Repeated };
constexpr std::array<std::string_view, 3> kNames = {"W", "H", "D"};
constexpr std::array<std::string_view, 3> kLongNames = {"width", "height", "depth"};

// "D: 2 H: 3 W: 4", with what stands between two.
std::string named_sizes(IntArrayRef sizes, int64_t dims, std::string_view between) {
  std::string text;
  for (int64_t i = dims; i-- > 0;) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : between, kNames[static_cast<size_t>(i)],
                        sizes[sizes.size() - 1 - static_cast<size_t>(i)]);
  }
  return text;
}

void check_input(const Tensor& self, IntArrayRef padding, int64_t dims) {
  TSC_CHECK(static_cast<int64_t>(padding.size()) == 2 * dims,
            "padding size is expected to be {}, but got: {}", 2 * dims, padding.size());
  const bool is_batch = self.dim() == dims + 2;
  bool is_valid = is_batch || self.dim() == dims + 1;
  for (int64_t i = is_batch ? 1 : 0; i < self.dim(); i++) {
    is_valid = is_valid && self.size(i) != 0;
  }
  TSC_CHECK(is_valid,
            "Expected {}D or {}D (batch mode) tensor with possibly 0 batch size and other non-zero "
            "dimensions for input, but got: {}",
            dims + 1, dims + 2, self.sizes());
}

void check_reflection(const Tensor& self, IntArrayRef padding) {
  for (size_t i = 0; i < padding.size(); i += 2) {
    const int64_t dim = self.dim() - 1 - static_cast<int64_t>(i / 2);
    TSC_CHECK(padding[i] < self.size(dim) && padding[i + 1] < self.size(dim),
              "Argument #{}: Padding size should be less than the corresponding input dimension, "
              "but got: padding ({}, {}) at dimension {} of input {}",
              i + 4, padding[i], padding[i + 1], dim, self.sizes());
  }
}

// The padded sizes; refuses what cannot be padded.
DimVector padded_sizes(const Tensor& self, IntArrayRef padding, int64_t dims, Edge edge) {
  check_input(self, padding, dims);
  if (edge == Edge::Reflected) {
    check_reflection(self, padding);
  }
  DimVector sizes(self.sizes());
  bool is_empty = false;
  for (size_t i = 0; i < padding.size(); i += 2) {
    int64_t& size = sizes[sizes.size() - 1 - i / 2];
    size = padded_size(size, padding[i], padding[i + 1]);
    is_empty = is_empty || size < 1;
  }
  TSC_CHECK(!is_empty || dims > 1, "input ({}) is too small. Calculated output {}",
            named_sizes(self.sizes(), dims, " "), named_sizes(sizes, dims, " "));
  TSC_CHECK(!is_empty, "Calculated output {} must be >= 1 in every dimension (input {})",
            named_sizes(sizes, dims, " "), named_sizes(self.sizes(), dims, ", "));
  return sizes;
}

void check_gradient(const Tensor& grad_output, const Tensor& self, IntArrayRef padding,
                    int64_t dims, Edge edge) {
  const DimVector sizes = padded_sizes(self, padding, dims, edge);
  for (int64_t i = 0; i < dims; i++) {
    const auto at = static_cast<int64_t>(sizes.size()) - 1 - i;
    TSC_CHECK(
        grad_output.dim() == self.dim() && grad_output.size(at) == sizes[static_cast<size_t>(at)],
        "grad_output {} unexpected. Expected: {}, Got: {}", kLongNames[static_cast<size_t>(i)],
        sizes[static_cast<size_t>(at)], grad_output.dim() == self.dim() ? grad_output.size(at) : 0);
  }
  check_scalar_type(grad_output, self.dtype());
}

// The element of a dimension that one of the padded dimension is read from; `at` counts from the
// first element that is no padding.
int64_t source(Edge edge, int64_t at, int64_t size) {
  if (edge == Edge::Repeated) {
    return std::clamp<int64_t>(at, 0, size - 1);
  }
  return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
}

// For each element of a padded dimension, the step in memory, in elements, to where it is read.
using Steps = std::vector<int64_t>;
// Of the first dimensions of the unpadded tensor: all that are not padded step by themselves.
std::vector<Steps> steps_of(const Tensor& plain, const Tensor& padded, IntArrayRef padding,
                            Edge edge, int64_t dims) {
  std::vector<Steps> steps(static_cast<size_t>(dims));
  for (size_t d = 0; d < steps.size(); d++) {
    const size_t from_last = plain.sizes().size() - 1 - d;
    const bool is_padded = 2 * from_last < padding.size();
    const int64_t before = is_padded ? padding[2 * from_last] : 0;
    const int64_t count = padded.sizes()[d];
    const int64_t size = plain.sizes()[d];
    const int64_t stride = plain.strides()[d];
    steps[d].resize(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; i++) {
      steps[d][static_cast<size_t>(i)] = (is_padded ? source(edge, i - before, size) : i) * stride;
    }
  }
  return steps;
}

// Calls f(offset of the row in `padded`, offset in the unpadded tensor) for rows [begin, end) along
// the last dimension, in elements.
template <class F>
void for_each_row(const Tensor& padded, const std::vector<Steps>& steps, int64_t begin, int64_t end,
                  F f) {
  const int64_t dims = padded.dim() - 1;
  DimVector at(static_cast<size_t>(dims));
  int64_t rest = begin;
  int64_t to = 0;
  int64_t from = 0;
  for (int64_t dim = dims; dim-- > 0;) {
    const auto d = static_cast<size_t>(dim);
    at[d] = rest % padded.size(dim);
    rest /= padded.size(dim);
    to += at[d] * padded.stride(dim);
    from += steps[d][static_cast<size_t>(at[d])];
  }
  for (int64_t row = begin; row < end && !interrupt_requested(); row++) {
    f(to, from);
    for (auto d = static_cast<size_t>(dims); d-- > 0;) {
      const Steps& of_dim = steps[d];
      const int64_t stride = padded.strides()[d];
      from -= of_dim[static_cast<size_t>(at[d])];
      at[d]++;
      to += stride;
      if (at[d] < static_cast<int64_t>(of_dim.size())) {
        from += of_dim[static_cast<size_t>(at[d])];
        break;
      }
      to -= at[d] * stride;
      at[d] = 0;
      from += of_dim[0];
    }
  }
}

// The elements of a row that are no padding lie at equal steps.
template <class T>
void copy_padded(const Tensor& self, const Tensor& out, const std::vector<Steps>& steps,
                 int64_t before, Edge edge) {
  const int64_t size = self.size(-1);
  const int64_t stride = self.stride(-1);
  const int64_t width = out.size(-1);
  const int64_t inner_begin = std::clamp<int64_t>(before, 0, width);
  const int64_t inner_end = std::clamp<int64_t>(before + size, inner_begin, width);
  const int64_t rows = out.numel() / width;
  const int64_t step = out.stride(-1);
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  const auto* from_data = static_cast<const T*>(self.data());
  auto* to_data = static_cast<T*>(out.data());
  parallel_for(0, rows, kParallelGrain / width + 1, [&](int64_t begin, int64_t end) {
    for_each_row(out, steps, begin, end, [&](int64_t to, int64_t from) {
      const auto copy = [&](int64_t first, int64_t behind) {
        for (int64_t i = first; i < behind; i++) {
          to_data[to + i * step] = from_data[from + source(edge, i - before, size) * stride];
        }
      };
      if (step != 1 || inner_begin >= inner_end) {
        copy(0, width);
        return;
      }
      copy(0, inner_begin);
      const T* const inner = from_data + from + (inner_begin - before) * stride;
      T* const target = to_data + to + inner_begin;
      if (stride == 1) {
        std::memcpy(static_cast<void*>(target), inner,
                    static_cast<size_t>(inner_end - inner_begin) * sizeof(T));
      } else {
        cpu::gather_elements(
            reinterpret_cast<char*>(target),
            {const_cast<char*>(reinterpret_cast<const char*>(inner)), stride * kSize, 0}, kSize,
            inner_end - inner_begin, 1);
      }
      copy(inner_end, width);
    });
  });
}

// The last three of five dimensions are padded, of which the first may be missing. As kernels/edges.cuh has
// its integers.
void run_on_device(std::string_view name, const Tensor& to, const Tensor& from, const Tensor& plain,
                   const Tensor& padded, IntArrayRef padding, Edge edge) {
  const auto missing = static_cast<size_t>(5 - to.dim());
  std::array<int64_t, 25> integers = {edge == Edge::Reflected ? 1 : 0};
  for (size_t dim = 0; dim < 5; dim++) {
    // The batch and the channels stand first, and what is missing is between them and the others.
    const size_t padded_dims = padding.size() / 2;
    const size_t first = static_cast<size_t>(to.dim()) - padded_dims;
    const bool is_before = dim < 2 ? dim >= 2 - first : dim >= 5 - padded_dims;
    const size_t at = dim < 2 ? dim - (2 - first) : dim - missing;
    integers[1 + dim] = is_before ? to.sizes()[at] : 1;
    integers[6 + dim] = is_before ? to.strides()[at] : 0;
    integers[11 + dim] = is_before ? from.strides()[at] : 0;
    if (dim < 2) continue;
    integers[14 + dim] = is_before ? padding[2 * (4 - dim)] : 0;
    integers[17 + dim] = is_before ? plain.sizes()[at] : 1;
    integers[20 + dim] = is_before ? padded.sizes()[at] : 1;
  }
  run_device_map({to.device(),
                  "edges",
                  name,
                  cpu::compute_type(to.dtype()),
                  to.numel(),
                  {to, from},
                  integers});
}

void pad_edges(const Tensor& self, IntArrayRef padding, const Tensor& out, Edge edge,
               const char* name) {
  if (self.dtype() == ScalarType::Bool) {
    throw_dtype_not_implemented(name, self.dtype());
  }
  if (out.numel() == 0) {
    return;
  }
  if (TSC_UNLIKELY(!self.is_cpu())) {
    run_on_device("pad_edges", out, self, self, out, padding, edge);
    return;
  }
  const std::vector<Steps> steps = steps_of(self, out, padding, edge, self.dim() - 1);
  dispatch_all_types(self.dtype(), name,
                     [&]<class T>() { copy_padded<T>(self, out, steps, padding[0], edge); });
}

// Adds each element of the gradient to the place that it was read from. A thread has planes of its
// own, since several elements may go to one place.
void add_back(const Tensor& grad_output, const Tensor& self, IntArrayRef padding,
              const Tensor& grad_input, Edge edge, const char* name) {
  dispatch_floating_and_complex_types(self.dtype(), name, [&]<class T>() {
    if (TSC_UNLIKELY(!self.is_cpu())) {
      run_on_device("pad_edges_backward", grad_input, grad_output, grad_input, grad_output, padding,
                    edge);
      return;
    }
    zero_elements(grad_input);
    if (grad_output.numel() == 0) {
      return;
    }
    const std::vector<Steps> steps = steps_of(grad_input, grad_output, padding, edge, self.dim());
    const Steps& last = steps.back();
    const auto width = static_cast<int64_t>(last.size());
    int64_t rows_of_plane = 1;
    for (int64_t dim = self.dim() - static_cast<int64_t>(padding.size() / 2); dim < self.dim() - 1;
         dim++) {
      rows_of_plane *= grad_output.size(dim);
    }
    const int64_t planes = grad_output.numel() / width / rows_of_plane;
    const int64_t step = grad_output.stride(-1);
    const auto* from_data = static_cast<const T*>(grad_output.data());
    auto* to_data = static_cast<T*>(grad_input.data());
    const int64_t grain = kParallelGrain / (rows_of_plane * width) + 1;
    parallel_for(0, planes, grain, [&](int64_t begin, int64_t end) {
      for_each_row(grad_output, steps, begin * rows_of_plane, end * rows_of_plane,
                   [&](int64_t from, int64_t to) {
                     for (int64_t i = 0; i < width; i++) {
                       T& place = to_data[to + last[static_cast<size_t>(i)]];
                       place = static_cast<T>(place + from_data[from + i * step]);
                     }
                   });
    });
  });
}

MemoryFormat format_of(const Tensor& self, int64_t dims) {
  return dims == 1 ? MemoryFormat::Contiguous : self.suggest_memory_format();
}

}  // namespace

#define TSC_EDGE_PADDING(name, dims, edge)                                                         \
  TSC_META_FUNC(name)(const Tensor& self, IntArrayRef padding) {                                   \
    const DimVector sizes = padded_sizes(self, padding, dims, edge);                               \
    set_output_raw_strided(0, sizes, strides_in(format_of(self, dims), sizes), self.dtype());      \
  }                                                                                                \
  TSC_IMPL_FUNC(name##_cpu)(const Tensor& self, IntArrayRef padding, const Tensor& out) {          \
    pad_edges(self, padding, out, edge, #name);                                                    \
  }                                                                                                \
  TSC_META_FUNC(name##_backward)                                                                   \
  (const Tensor& grad_output, const Tensor& self, IntArrayRef padding) {                           \
    check_gradient(grad_output, self, padding, dims, edge);                                        \
    set_output(0, self.sizes(), self.dtype(), format_of(self, dims));                              \
  }                                                                                                \
  TSC_IMPL_FUNC(name##_backward_cpu)                                                               \
  (const Tensor& grad_output, const Tensor& self, IntArrayRef padding, const Tensor& grad_input) { \
    add_back(grad_output, self, padding, grad_input, edge, #name "_backward");                     \
  }
TSC_EDGE_PADDING(reflection_pad1d, 1, Edge::Reflected)
TSC_EDGE_PADDING(reflection_pad2d, 2, Edge::Reflected)
TSC_EDGE_PADDING(reflection_pad3d, 3, Edge::Reflected)
TSC_EDGE_PADDING(replication_pad1d, 1, Edge::Repeated)
TSC_EDGE_PADDING(replication_pad2d, 2, Edge::Repeated)
TSC_EDGE_PADDING(replication_pad3d, 3, Edge::Repeated)
#undef TSC_EDGE_PADDING

}  // namespace tsc
