#include "ops/structured/broadcast.h"
#include "ops/structured/type_names.h"

#include "core/tensor_factory.h"

namespace tsc {

int64_t product(IntArrayRef sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) {
    count *= size;
  }
  return count;
}

DimVector broadcast_sizes(IntArrayRef a, IntArrayRef b) {
  const size_t dims = std::max(a.size(), b.size());
  DimVector result(dims);
  for (size_t i = 0; i < dims; i++) {  // from the last dimension on
    const int64_t size_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t size_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    TSC_CHECK(size_a == size_b || size_a == 1 || size_b == 1,
              "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton "
              "dimension {}",
              size_a, size_b, dims - 1 - i);
    result[dims - 1 - i] = size_a == 1 ? size_b : size_a;
  }
  return result;
}

bool is_expandable_to(IntArrayRef from, IntArrayRef to) {
  if (from.size() > to.size()) {
    return false;
  }
  for (size_t i = 0; i < from.size(); i++) {
    const int64_t size = from[from.size() - 1 - i];
    if (size != to[to.size() - 1 - i] && size != 1) {
      return false;
    }
  }
  return true;
}

void check_expandable(const Tensor& tensor, IntArrayRef sizes) {
  const IntArrayRef own = tensor.sizes();
  TSC_CHECK(own.size() <= sizes.size(),
            "expand({}{{{}}}, size={}): the number of sizes provided ({}) must be "
            "greater or equal to the number of dimensions in the tensor ({})",
            legacy_type_name(tensor), own, sizes, sizes.size(), own.size());
  const size_t added = sizes.size() - own.size();
  for (size_t i = sizes.size(); i-- > added;) {
    TSC_CHECK(own[i - added] == sizes[i] || (own[i - added] == 1 && sizes[i] >= 0),
              "The expanded size of the tensor ({}) must match the existing size ({}) at "
              "non-singleton dimension {}.  Target sizes: {}.  Tensor sizes: {}",
              sizes[i], own[i - added], i, sizes, own);
  }
}

DimVector infer_size(IntArrayRef sizes, int64_t numel) {
  DimVector result(sizes);
  int64_t known = 1;
  bool overflows = false;
  std::optional<size_t> open;
  for (size_t i = 0; i < sizes.size(); i++) {
    if (sizes[i] == -1) {
      TSC_CHECK(!open.has_value(), "only one dimension can be inferred");
      open = i;
    } else {
      TSC_CHECK(sizes[i] >= 0, "invalid shape dimension {} at index {} of shape {}", sizes[i], i,
                sizes);
      overflows |= __builtin_mul_overflow(known, sizes[i], &known);
    }
  }
  if (open.has_value() && !overflows && known != 0 && numel % known == 0) {
    result[*open] = numel / known;
    return result;
  }
  if (open.has_value() && known == 0 && numel == 0) {
    throw_error(ErrorKind::RuntimeError,
                "cannot reshape tensor of 0 elements into shape {} because the unspecified "
                "dimension size -1 can be any value and is ambiguous",
                sizes);
  }
  TSC_CHECK(!open.has_value() && known == numel, "shape '{}' is invalid for input of size {}",
            sizes, numel);
  TSC_CHECK(!overflows, "numel: integer multiplication overflow");
  return result;
}

DimVector expanded_strides(const Tensor& tensor, IntArrayRef sizes) {
  DimVector strides(sizes.size());
  const size_t own = tensor.sizes().size();
  const size_t added = sizes.size() - own;
  for (size_t i = added; i < sizes.size(); i++) {
    const bool same = tensor.sizes()[i - added] == sizes[i];
    strides[i] = same ? tensor.strides()[i - added] : 0;
  }
  // The stride of a new dimension of size 1 spans the dimensions inside of it.
  for (size_t i = own == 0 ? 0 : added; i-- > 0;) {
    strides[i] = sizes[i] == 1 ? sizes[i + 1] * strides[i + 1] : 0;
  }
  return strides;
}

Tensor expand_to(const Tensor& tensor, IntArrayRef sizes) {
  if (tensor.sizes() == sizes) {
    return tensor;
  }
  check_expandable(tensor, sizes);
  return view_tensor(tensor, sizes, expanded_strides(tensor, sizes), tensor.storage_offset());
}

}  // namespace tsc
