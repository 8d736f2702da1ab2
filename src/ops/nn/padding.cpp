// Padding: adds or removes elements before and after each dimension.
#include <algorithm>

#include "core/dispatch_types.h"
#include "core/small_vector.h"
#include "gen/calls/clone.h"
#include "gen/calls/copy.h"
#include "gen/calls/empty.h"
#include "gen/calls/fill.h"
#include "gen/calls/narrow.h"
#include "gen/calls/zeros.h"
#include "gen/ops/shape.h"
#include "gen/ops/shape_native.h"
#include "ops/layouts/quantized.h"
#include "ops/nn/padded_size.h"

namespace tsc::native {
namespace {

// Calls f(dimension, elements before, elements behind); `pad` begins with the last dimension.
template <class F>
void for_each_padded(const Tensor& self, IntArrayRef pad, F f) {
  for (size_t i = 0; i + 1 < pad.size(); i += 2) {
    f(self.dim() - 1 - static_cast<int64_t>(i / 2), pad[i], pad[i + 1]);
  }
}

// Crops by the negative paddings.
Tensor cropped(const Tensor& self, IntArrayRef pad) {
  Tensor result = self;
  for_each_padded(self, pad, [&](int64_t dim, int64_t before, int64_t behind) {
    if (before < 0) {
      result = narrow(result, dim, -before, result.size(dim) + before);
    }
    if (behind < 0) {
      result = narrow(result, dim, 0, result.size(dim) + behind);
    }
  });
  return result;
}

void check_padding(const Tensor& self, IntArrayRef pad) {
  TSC_CHECK(pad.size() % 2 == 0, "Length of pad must be even but instead it equals {}", pad.size());
  TSC_CHECK(static_cast<int64_t>(pad.size()) <= 2 * self.dim(),
            "Length of pad should be no more than twice the number of dimensions of the input. Pad "
            "length is {} while the input has {} dimensions.",
            pad.size(), self.dim());
}

// The tensor with elements from its other end before and behind each dimension. It is copied into
// the middle of the result, and the result's edges from there.
Tensor wrapped(const Tensor& self, IntArrayRef pad) {
  DimVector sizes(self.sizes());
  DimVector inner;
  for_each_padded(self, pad, [&](int64_t dim, int64_t before, int64_t behind) {
    int64_t& size = sizes[static_cast<size_t>(dim)];
    size = padded_size(size, before, behind);
    inner.push_back(-before);
    inner.push_back(-behind);
  });
  if (self.numel() == 0) {
    return zeros(sizes, self.options());
  }
  const Tensor result = empty(sizes, self.options());
  copy_(cropped(result, inner), self);
  for_each_padded(self, pad, [&](int64_t dim, int64_t before, int64_t behind) {
    const int64_t size = self.size(dim);
    // What was cropped at one end may be shorter than what is added at the other.
    for (int64_t done = 0, count = 0; done < before; done += count) {
      count = std::min(size, before - done);
      copy_(narrow(result, dim, before - done - count, count),
            narrow(result, dim, before + size - count, count));
    }
    for (int64_t done = 0, count = 0; done < behind; done += count) {
      count = std::min(size, behind - done);
      copy_(narrow(result, dim, before + size + done, count), narrow(result, dim, before, count));
    }
  });
  return result;
}

Tensor circular(const Tensor& self, IntArrayRef pad) {
  DimVector wraps;
  for_each_padded(self, pad, [&](int64_t dim, int64_t before, int64_t behind) {
    TSC_CHECK(before <= self.size(dim) && behind <= self.size(dim),
              "Padding value causes wrapping around more than once.");
    TSC_CHECK(padded_size(self.size(dim), before, behind) >= 0,
              "Negative padding value is resulting in an empty dimension");
    wraps.push_back(std::max<int64_t>(before, 0));
    wraps.push_back(std::max<int64_t>(behind, 0));
  });
  return wrapped(cropped(self, pad), wraps);
}

}  // namespace

Tensor constant_pad_nd(const Tensor& self, IntArrayRef pad, const Scalar& value) {
  check_padding(self, pad);
  DimVector sizes(self.sizes());
  DimVector inner;
  for_each_padded(self, pad, [&](int64_t dim, int64_t before, int64_t behind) {
    int64_t& size = sizes[static_cast<size_t>(dim)];
    size = padded_size(size, before, behind);
    inner.push_back(std::min<int64_t>(-before, 0));
    inner.push_back(std::min<int64_t>(-behind, 0));
  });
  const Tensor kept = cropped(self, pad);
  if (std::all_of(pad.begin(), pad.end(), [](int64_t count) { return count <= 0; })) {
    return clone(kept);
  }
  for_each_padded(self, pad, [&](int64_t dim, int64_t before, int64_t behind) {
    TSC_CHECK(sizes[static_cast<size_t>(dim)] >= 0,
              "The input size {}, plus negative padding {} and {} resulted in a negative output "
              "size, which is invalid. Check dimension {} of your input.",
              self.size(dim), before, behind, dim);
  });
  const Tensor result =
      fill_(self.is_quantized() ? empty_quantized_like(self, sizes)
                                : empty(sizes, self.options(), self.suggest_memory_format()),
            value);
  copy_(cropped(result, inner), kept);
  return result;
}

Tensor pad(const Tensor& self, IntArrayRef pad, std::string_view mode,
           std::optional<double> value) {
  TSC_CHECK(pad.size() % 2 == 0, "Padding length must be divisible by 2");
  TSC_CHECK(static_cast<int64_t>(pad.size()) <= 2 * self.dim(),
            "Padding length should be less than or equal to two times the input dimension but got "
            "padding length {} and input of dimension {}",
            pad.size(), self.dim());
  if (mode == "constant") {
    return tsc::constant_pad_nd(self, pad, Scalar(value.value_or(0)));
  }
  TSC_CHECK(!value.has_value() || *value == 0, "Padding mode \"{}\" doesn't take in value argument",
            mode);
  const auto dims = static_cast<int64_t>(pad.size() / 2);
  TSC_CHECK_NOT_IMPLEMENTED(
      dims >= 1 && dims <= 3 && (self.dim() == dims + 1 || self.dim() == dims + 2),
      "Padding size {} is not supported for {}D input tensor.\n"
      "Supported combinations for non-constant padding:\n"
      "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
      "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
      "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)",
      pad.size(), self.dim());
  if (mode == "reflect") {
    return dims == 1   ? tsc::reflection_pad1d(self, pad)
           : dims == 2 ? tsc::reflection_pad2d(self, pad)
                       : tsc::reflection_pad3d(self, pad);
  }
  if (mode == "replicate") {
    return dims == 1   ? tsc::replication_pad1d(self, pad)
           : dims == 2 ? tsc::replication_pad2d(self, pad)
                       : tsc::replication_pad3d(self, pad);
  }
  TSC_CHECK_NOT_IMPLEMENTED(mode == "circular", "Unrecognised padding mode {}", mode);
  return circular(self, pad);
}

}  // namespace tsc::native
