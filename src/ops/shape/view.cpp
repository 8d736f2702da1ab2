// Views: the kernels. Sizes and strides only, so that they serve every device with strided memory.
#include <numeric>

#include "gen/ops/view.h"
#include "gen/ops/view_native.h"
#include "ops/layouts/sparse.h"
#include "ops/shape/strided_views.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/operand_checks.h"
#include "ops/structured/reduction.h"
#include "ops/structured/resize.h"

namespace tsc::native {
namespace {

Tensor view_of(const Tensor& self, IntArrayRef sizes, IntArrayRef strides) {
  return view_tensor(self, sizes, strides, self.storage_offset());
}
// The same where PyTorch makes no call of as_strided.
Tensor alias_of(const Tensor& self, IntArrayRef sizes, IntArrayRef strides) {
  return view_tensor(self, sizes, strides, self.storage_offset());
}

void check_at_most_matrix(const Tensor& self, const char* name) {
  TSC_CHECK(self.dim() <= 2, "{} expects a tensor with <= 2 dimensions, but self is {}D", name,
            self.dim());
}

// Another form of the same memory, from the same offset.
struct Shape {
  DimVector sizes;
  DimVector strides;
};

Tensor view_of(const Tensor& self, const Shape& shape) {
  return view_of(self, shape.sizes, shape.strides);
}
// For the forms that change the tensor itself.
const Tensor& become(const Tensor& self, const Shape& shape) {
  self.impl()->set_sizes_and_strides(shape.sizes, shape.strides);
  return self;
}

Tensor swap_sparse_dims(const Tensor& self, size_t a, size_t b) {
  DimVector dims(self.sizes().size());
  std::iota(dims.begin(), dims.end(), 0);
  std::swap(dims[a], dims[b]);
  return tsc::permute(self, dims);
}

template <class Drop>
Shape squeezed_where(const Tensor& self, Drop drop) {
  Shape shape;
  for (size_t i = 0; i < self.sizes().size(); i++) {
    if (self.sizes()[i] != 1 || !drop(i)) {
      shape.sizes.push_back(self.sizes()[i]);
      shape.strides.push_back(self.strides()[i]);
    }
  }
  return shape;
}
Shape squeezed(const Tensor& self) {
  return squeezed_where(self, [](size_t) { return true; });
}
Shape squeezed(const Tensor& self, int64_t dim) {
  const auto wrapped = static_cast<size_t>(maybe_wrap_dim(dim, self.dim()));
  return squeezed_where(self, [&](size_t i) { return i == wrapped; });
}
Shape squeezed(const Tensor& self, IntArrayRef dims) {
  const auto mask = mask_of_dims(dims, self.dim());
  return squeezed_where(self, [&](size_t i) { return mask[i]; });
}

Shape unsqueezed(const Tensor& self, int64_t dim) {
  const auto at = static_cast<size_t>(maybe_wrap_dim(dim, self.dim() + 1));
  Shape shape{DimVector(self.sizes()), DimVector(self.strides())};
  const int64_t stride = at == shape.sizes.size() ? 1 : shape.sizes[at] * shape.strides[at];
  shape.sizes.insert(shape.sizes.begin() + at, 1);
  shape.strides.insert(shape.strides.begin() + at, stride);
  return shape;
}

Shape transposed(const Tensor& self, size_t a, size_t b) {
  Shape shape{DimVector(self.sizes()), DimVector(self.strides())};
  if (a != b) {
    std::swap(shape.sizes[a], shape.sizes[b]);
    std::swap(shape.strides[a], shape.strides[b]);
  }
  return shape;
}

// RuntimeError where these places are not all in the tensor's memory.
void check_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride, int64_t offset) {
  TSC_CHECK(size.size() == stride.size(), "mismatch in length of strides and shape");
  for (const int64_t step : stride) {
    TSC_CHECK(step >= 0,
              "as_strided: Negative strides are not supported at the moment, got strides: {}",
              stride);
  }
  check_storage_offset(offset);
  const size_t bytes = computed_storage_bytes(size, stride, self.itemsize());
  const size_t needed = bytes == 0 ? 0 : bytes + static_cast<size_t>(offset) * self.itemsize();
  TSC_CHECK(needed <= self.storage()->nbytes(),
            "setStorage: sizes {}, strides {}, storage offset {}, and itemsize {} requiring a "
            "storage size of {} are out of bounds for storage of size {}",
            size, stride, offset, self.itemsize(), needed, self.storage()->nbytes());
}

}  // namespace

Tensor view(const Tensor& self, IntArrayRef size) { return view_with_size(self, size); }

Tensor _unsafe_view(const Tensor& self, IntArrayRef size) { return view_with_size(self, size); }

Tensor _reshape_alias(const Tensor& self, IntArrayRef size, IntArrayRef stride) {
  check_strided(self, size, stride, self.storage_offset());
  return alias_of(self, size, stride);
}

Tensor alias(const Tensor& self) { return alias_of(self, self.sizes(), self.strides()); }

Tensor lift(const Tensor& self) { return self; }
Tensor lift_fresh(const Tensor& self) { return self; }

Tensor detach(const Tensor& self) { return native::alias(self); }

// The history is autograd's, and gone when this runs.
const Tensor& detach_(const Tensor& self) { return self; }

Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                  std::optional<int64_t> storage_offset) {
  const int64_t offset = storage_offset.value_or(self.storage_offset());
  check_strided(self, size, stride, offset);
  return view_tensor(self, size, stride, offset);
}

const Tensor& as_strided_(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                          std::optional<int64_t> storage_offset) {
  const Tensor view = native::as_strided(self, size, stride, storage_offset);
  self.impl()->set_sizes_and_strides(size, stride);
  self.impl()->set_storage_offset(view.storage_offset());
  return self;
}

Tensor view_dtype(const Tensor& self, ScalarType dtype) {
  if (self.dtype() == dtype) {
    return native::alias(self);
  }
  check_has_storage(self);
  TSC_CHECK(self.is_quantized() == is_quantized(dtype),
            "view: a tensor of dtype {} is not seen as one of {}", self.dtype(), dtype);
  TSC_CHECK(!self.is_conj(),
            "torch.Tensor.view is not supported for conjugate view tensors when converting to a "
            "different dtype.");
  TSC_CHECK(!self.is_neg(),
            "torch.Tensor.view is not supported for tensors with negative bit set when converting "
            "to a different dtype.");
  const auto from = static_cast<int64_t>(self.itemsize());
  const auto to = static_cast<int64_t>(element_size(dtype));
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  int64_t offset = self.storage_offset();
  if (from != to) {
    const std::string what =
        fmt::format("to view {} as {} (different element sizes)", self.dtype(), dtype);
    TSC_CHECK(self.dim() != 0, "self.dim() cannot be 0 {}", what);
    TSC_CHECK(self.strides().back() == 1, "self.stride(-1) must be 1 {}, but got {}", what,
              self.strides().back());
    if (from > to) {
      const int64_t ratio = from / to;
      sizes.back() *= ratio;
      for (size_t i = 0; i + 1 < strides.size(); i++) {
        strides[i] *= ratio;
      }
      offset *= ratio;
    } else {
      const int64_t ratio = to / from;
      TSC_CHECK(sizes.back() % ratio == 0, "self.size(-1) must be divisible by {} {}, but got {}",
                ratio, what, sizes.back());
      TSC_CHECK(offset % ratio == 0, "self.storage_offset() must be divisible by {} {}, but got {}",
                ratio, what, offset);
      sizes.back() /= ratio;
      for (size_t i = 0; i + 1 < strides.size(); i++) {
        TSC_CHECK(strides[i] % ratio == 0, "self.stride({}) must be divisible by {} {}, but got {}",
                  i, ratio, what, strides[i]);
        strides[i] /= ratio;
      }
      offset /= ratio;
    }
  }
  Tensor result = view_tensor(self, sizes, strides, offset);
  result.impl()->set_dtype(dtype);
  return result;
}

Tensor permute(const Tensor& self, IntArrayRef dims) {
  check_permutation_length(self, dims);
  DimVector sizes(dims.size());
  DimVector strides(dims.size());
  SmallVector<bool, 8> seen(dims.size(), false);
  for (size_t i = 0; i < dims.size(); i++) {
    const auto from = static_cast<size_t>(maybe_wrap_dim(dims[i], self.dim()));
    TSC_CHECK(!seen[from], "permute(): duplicate dims are not allowed.");
    seen[from] = true;
    sizes[i] = self.sizes()[from];
    strides[i] = self.strides()[from];
  }
  return view_of(self, sizes, strides);
}

Tensor transpose_int(const Tensor& self, int64_t dim0, int64_t dim1) {
  const auto a = static_cast<size_t>(maybe_wrap_dim(dim0, self.dim()));
  const auto b = static_cast<size_t>(maybe_wrap_dim(dim1, self.dim()));
  if (TSC_UNLIKELY(self.is_sparse())) {
    return swap_sparse_dims(self, a, b);
  }
  return view_of(self, transposed(self, a, b));
}

const Tensor& transpose_(const Tensor& self, int64_t dim0, int64_t dim1) {
  const auto a = static_cast<size_t>(maybe_wrap_dim(dim0, self.dim()));
  const auto b = static_cast<size_t>(maybe_wrap_dim(dim1, self.dim()));
  return a == b ? self : become(self, transposed(self, a, b));
}

Tensor t(const Tensor& self) {
  check_at_most_matrix(self, "t()");
  const IntArrayRef sizes = self.sizes();
  const IntArrayRef strides = self.strides();
  if (sizes.size() < 2) {
    return view_of(self, sizes, strides);
  }
  if (TSC_UNLIKELY(self.is_sparse())) {
    return swap_sparse_dims(self, 0, 1);
  }
  return view_of(self, {sizes[1], sizes[0]}, {strides[1], strides[0]});
}

const Tensor& t_(const Tensor& self) {
  check_at_most_matrix(self, "t_()");
  return native::transpose_(self, 0, self.dim() < 2 ? 0 : 1);
}

Tensor squeeze(const Tensor& self) { return view_of(self, squeezed(self)); }
Tensor squeeze_dim(const Tensor& self, int64_t dim) { return view_of(self, squeezed(self, dim)); }
Tensor squeeze_dims(const Tensor& self, IntArrayRef dim) {
  return view_of(self, squeezed(self, dim));
}
const Tensor& squeeze_(const Tensor& self) { return become(self, squeezed(self)); }
const Tensor& squeeze__dim(const Tensor& self, int64_t dim) {
  return become(self, squeezed(self, dim));
}
const Tensor& squeeze__dims(const Tensor& self, IntArrayRef dim) {
  return become(self, squeezed(self, dim));
}

Tensor unsqueeze(const Tensor& self, int64_t dim) { return view_of(self, unsqueezed(self, dim)); }
const Tensor& unsqueeze_(const Tensor& self, int64_t dim) {
  return become(self, unsqueezed(self, dim));
}

Tensor expand(const Tensor& self, IntArrayRef size, bool) {
  TSC_CHECK(!self.is_sparse(), "expand is unsupported for Sparse tensors");
  const size_t own = self.sizes().size();
  DimVector sizes(size);
  for (size_t i = 0; i < size.size(); i++) {
    if (size[i] != -1) {
      continue;
    }
    const size_t added = size.size() - std::min(own, size.size());
    TSC_CHECK(i >= added || size.size() < own,
              "The expanded size of the tensor ({}) isn't allowed in a leading, non-existing "
              "dimension {}",
              size[i], i);
    if (size.size() >= own) {
      sizes[i] = self.sizes()[i - added];
    }
  }
  check_expandable(self, size.size() < own ? size : IntArrayRef(sizes));
  // Always a tensor of its own, whose history is not self's.
  if (self.sizes() == IntArrayRef(sizes)) {
    return view_of(self, self.sizes(), self.strides());
  }
  return view_of(self, sizes, expanded_strides(self, sizes));
}

Tensor select_int(const Tensor& self, int64_t dim, int64_t index) {
  TSC_CHECK_INDEX(self.dim() > 0, "select() cannot be applied to a 0-dim tensor.");
  const auto at = static_cast<size_t>(maybe_wrap_dim(dim, self.dim()));
  const int64_t size = self.sizes()[at];
  TSC_CHECK_INDEX(index >= -size && index < size,
                  "select(): index {} out of range for tensor of size {} at dimension {}", index,
                  self.sizes(),
                  self.names().empty() ? fmt::format("{}", at) : to_string(self.names()[at]));
  const int64_t wrapped = index < 0 ? index + size : index;
  if (TSC_UNLIKELY(self.is_sparse())) {
    return select_of_sparse(self, static_cast<int64_t>(at), wrapped);
  }
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  const int64_t offset = self.storage_offset() + wrapped * strides[at];
  sizes.erase(sizes.begin() + at);
  strides.erase(strides.begin() + at);
  return view_tensor(self, sizes, strides, offset);
}

Tensor slice_Tensor(const Tensor& self, int64_t dim, std::optional<int64_t> start,
                    std::optional<int64_t> end, int64_t step) {
  TSC_CHECK_INDEX(self.dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
  TSC_CHECK(step > 0, "slice step must be positive");
  const auto at = static_cast<size_t>(maybe_wrap_dim(dim, self.dim()));
  const int64_t size = self.sizes()[at];
  const auto bound = [&](int64_t index) {
    return std::clamp<int64_t>(index < 0 ? index + size : index, 0, size);
  };
  const int64_t first = bound(start.value_or(0));
  const int64_t last = std::max(bound(end.value_or(size)), first);
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  const int64_t offset = self.storage_offset() + first * strides[at];
  sizes[at] = last == first ? 0 : (last - first - 1) / step + 1;
  // A huge step leaves one element, whose stride is never taken.
  strides[at] =
      strides[at] != 0 && step > INT64_MAX / strides[at] ? strides[at] : strides[at] * step;
  return view_tensor(self, sizes, strides, offset);
}

Tensor diagonal(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  const auto a = static_cast<size_t>(maybe_wrap_dim(dim1, self.dim()));
  const auto b = static_cast<size_t>(maybe_wrap_dim(dim2, self.dim()));
  TSC_CHECK(a != b, "diagonal dimensions cannot be identical {}, {}", dim1, dim2);
  const int64_t length =
      std::max<int64_t>(offset >= 0 ? std::min(self.sizes()[a], self.sizes()[b] - offset)
                                    : std::min(self.sizes()[a] + offset, self.sizes()[b]),
                        0);
  int64_t storage_offset = self.storage_offset();
  if (length > 0) {
    storage_offset += offset >= 0 ? offset * self.strides()[b] : -offset * self.strides()[a];
  }
  DimVector sizes;
  DimVector strides;
  for (size_t i = 0; i < self.sizes().size(); i++) {
    if (i != a && i != b) {
      sizes.push_back(self.sizes()[i]);
      strides.push_back(self.strides()[i]);
    }
  }
  sizes.push_back(length);
  strides.push_back(self.strides()[a] + self.strides()[b]);
  return view_tensor(self, sizes, strides, storage_offset);
}

Tensor unfold(const Tensor& self, int64_t dimension, int64_t size, int64_t step) {
  const auto at = static_cast<size_t>(maybe_wrap_dim(dimension, self.dim()));
  const int64_t available = self.dim() == 0 ? 1 : self.sizes()[at];
  TSC_CHECK(size >= 0, "size is {} but must be >= 0", size);
  TSC_CHECK(size <= available, "maximum size for tensor at dimension {} is {} but size is {}",
            dimension, available, size);
  TSC_CHECK(step > 0, "step is {} but must be > 0", step);
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  const int64_t stride = self.dim() == 0 ? 1 : strides[at];
  if (self.dim() > 0) {
    sizes[at] = (available - size) / step + 1;
    strides[at] = step * stride;
  }
  sizes.push_back(size);
  strides.push_back(stride);
  return view_of(self, sizes, strides);
}

Tensor view_as_real(const Tensor& self) {
  TSC_CHECK_TYPE(self.is_complex(), "view_as_real is only supported for complex tensors");
  TSC_CHECK(!self.is_conj(),
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate "
            "tensor so you can view it as real, use self.resolve_conj(); however, be warned that "
            "the resulting tensor will NOT alias the original.");
  return view_as_real_parts(self);
}

Tensor view_as_complex(const Tensor& self) {
  const ScalarType dtype = self.dtype();
  check_has_complex(dtype, "view_as_complex");
  TSC_CHECK(dtype == ScalarType::Float || dtype == ScalarType::Double,
            "view_as_complex is only supported for half, float and double tensors, but got a "
            "tensor of scalar type: {}",
            dtype);
  TSC_CHECK(self.dim() != 0, "Input tensor must have one or more dimensions");
  TSC_CHECK(self.sizes().back() == 2, "Tensor must have a last dimension of size 2");
  TSC_CHECK(self.strides().back() == 1, "Tensor must have a last dimension with stride 1");
  TSC_CHECK(self.storage_offset() % 2 == 0, "Tensor must have a storage_offset divisible by 2");
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  sizes.pop_back();
  strides.pop_back();
  for (int64_t& stride : strides) {
    TSC_CHECK(stride % 2 == 0,
              "Tensor must have a stride divisible by 2 for all but last dimension");
    stride /= 2;
  }
  Tensor result = view_tensor(self, sizes, strides, self.storage_offset() / 2);
  result.impl()->set_dtype(to_complex_type(dtype));
  return result;
}

}  // namespace tsc::native
