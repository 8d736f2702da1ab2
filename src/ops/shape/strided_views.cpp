#include "ops/shape/strided_views.h"

#include "gen/calls/as_strided.h"
#include "ops/structured/broadcast.h"

namespace tsc {

// The old dimensions are cut into runs that lie without gaps; each run must be made of whole new
// dimensions.
std::optional<DimVector> strides_for_view(const Tensor& tensor, IntArrayRef sizes) {
  const IntArrayRef old_sizes = tensor.sizes();
  const IntArrayRef old_strides = tensor.strides();
  if (old_sizes.empty()) {
    return DimVector(sizes.size(), 1);
  }
  DimVector strides(sizes.size());
  if (tensor.numel() == 0) {
    if (old_sizes == sizes) {
      return DimVector(old_strides);
    }
    int64_t stride = 1;
    for (size_t i = sizes.size(); i-- > 0;) {
      strides[i] = stride;
      stride *= std::max<int64_t>(sizes[i], 1);
    }
    return strides;
  }
  size_t next = sizes.size();  // new dimensions are filled from the last on
  int64_t run_stride = old_strides.back();
  int64_t run_numel = 1;
  int64_t viewed_numel = 1;
  for (size_t i = old_sizes.size(); i-- > 0;) {
    run_numel *= old_sizes[i];
    const bool run_ends =
        i == 0 || (old_sizes[i - 1] != 1 && old_strides[i - 1] != run_numel * run_stride);
    if (!run_ends) {
      continue;
    }
    while (next > 0 && (viewed_numel < run_numel || sizes[next - 1] == 1)) {
      next--;
      strides[next] = viewed_numel * run_stride;
      viewed_numel *= sizes[next];
    }
    if (viewed_numel != run_numel) {
      return std::nullopt;
    }
    if (i > 0) {
      run_stride = old_strides[i - 1];
      run_numel = 1;
      viewed_numel = 1;
    }
  }
  if (next != 0) {
    return std::nullopt;
  }
  return strides;
}

Tensor view_as_real_parts(const Tensor& complex) {
  DimVector sizes(complex.sizes());
  DimVector strides(complex.strides());
  for (int64_t& stride : strides) {
    stride *= 2;
  }
  sizes.push_back(2);
  strides.push_back(1);
  Tensor parts = view_tensor(complex, sizes, strides, 2 * complex.storage_offset());
  parts.impl()->set_dtype(to_real_value_type(complex.dtype()));
  return parts;
}

Tensor view_with_size(const Tensor& self, IntArrayRef size) {
  const DimVector sizes = infer_size(size, self.numel());
  const auto strides = strides_for_view(self, sizes);
  TSC_CHECK(strides.has_value(),
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead.");
  return view_tensor(self, sizes, *strides, self.storage_offset());
}

}  // namespace tsc
