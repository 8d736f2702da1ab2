#include "autograd/shape/view.h"

#include <algorithm>
#include <numeric>

#include "gen/calls/add.h"
#include "gen/calls/arange.h"
#include "gen/calls/cat.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/copy.h"
#include "gen/calls/index_add.h"
#include "gen/calls/new_zeros.h"
#include "gen/calls/ones.h"
#include "gen/calls/stack.h"
#include "gen/calls/sum.h"
#include "gen/calls/zeros.h"
#include "gen/ops/view.h"

namespace tsc::autograd {

namespace {

// The dimensions that change the place in memory: not those of size 1 or stride 0.
struct Reach {
  DimVector sizes;
  DimVector strides;

  void add(int64_t size, int64_t stride) {
    sizes.push_back(size);
    strides.push_back(stride);
  }
  // The number of elements from the first to the last.
  int64_t extent() const {
    int64_t last = 0;
    for (size_t i = 0; i < sizes.size(); i++) {
      last += (sizes[i] - 1) * strides[i];
    }
    return last + 1;
  }
  // Whether two indices may reach one element. They cannot if each stride exceeds the extent of all
  // smaller ones.
  bool may_overlap() const {
    std::vector<size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return strides[a] < strides[b]; });
    int64_t last = 0;
    for (const size_t i : order) {
      if (strides[i] <= last) {
        return true;
      }
      last += (sizes[i] - 1) * strides[i];
    }
    return false;
  }
};

// The places of a strided tensor's elements in a flat tensor of `extent` elements, as a flat index.
Tensor flat_places(const Reach& reach, int64_t extent, int64_t offset, const Tensor& like) {
  const Tensor all = arange(0, extent, like.options().dtype(ScalarType::Long));
  return reshape(as_strided(all, reach.sizes, reach.strides, offset), {-1});
}

}  // namespace

Tensor as_strided_backward(const Tensor& grad, const TensorGeometry& self, IntArrayRef sizes,
                           IntArrayRef strides, std::optional<int64_t> storage_offset) {
  const auto has_none = [](IntArrayRef dims) {
    return std::find(dims.begin(), dims.end(), 0) != dims.end();
  };
  if (has_none(sizes) || has_none(self.sizes)) {
    return zeros_of(self.sizes, grad);
  }
  Reach from;
  for (size_t i = 0; i < self.sizes.size(); i++) {
    if (self.sizes[i] != 1) {
      from.add(self.sizes[i], self.strides[i]);
    }
  }
  Reach to;
  Tensor reduced = grad;
  for (size_t i = sizes.size(); i-- > 0;) {
    const auto dim = static_cast<int64_t>(i);
    if (sizes[i] == 1) {
      reduced = squeeze(reduced, dim);
    } else if (strides[i] == 0) {
      reduced = sum(reduced, {dim});
    }
  }
  for (size_t i = 0; i < sizes.size(); i++) {
    if (sizes[i] != 1 && strides[i] != 0) {
      to.add(sizes[i], strides[i]);
    }
  }

  // The gradient of the memory that both views cover, from the first element of either.
  const int64_t to_offset = storage_offset.value_or(self.storage_offset);
  const int64_t first = std::min(self.storage_offset, to_offset);
  const int64_t from_start = self.storage_offset - first;
  const int64_t to_start = to_offset - first;
  const int64_t extent = std::max(from.extent() + from_start, to.extent() + to_start);
  Tensor memory = new_zeros(reduced, {extent});
  if (to.may_overlap()) {
    const Tensor places = flat_places(to, extent, to_start, grad);
    index_add_(memory, 0, places, reshape(reduced, {-1}));
  } else {
    copy_(as_strided(memory, to.sizes, to.strides, to_start), reduced);
  }
  if (from.may_overlap()) {
    const Tensor places = flat_places(from, extent, from_start, grad);
    const Tensor one_each = expand(ones({1}, grad.options()), places.sizes());
    memory = memory / index_add_(zeros_of(memory), 0, places, one_each);
  }
  return as_strided(memory, self.sizes, self.strides, from_start);
}

Tensor permute_backward(const Tensor& grad, IntArrayRef dims) {
  DimVector back(dims.size());
  for (size_t i = 0; i < dims.size(); i++) {
    back[static_cast<size_t>(maybe_wrap_dim(dims[i], grad.dim()))] = static_cast<int64_t>(i);
  }
  return permute(grad, back);
}

Tensor unsqueeze_to(const Tensor& grad, IntArrayRef sizes) {
  Tensor result = grad;
  for (size_t i = 0; i < sizes.size(); i++) {
    if (sizes[i] == 1) {
      result = unsqueeze(result, static_cast<int64_t>(i));
    }
  }
  return result;
}

Tensor unsqueeze_to(const Tensor& grad, int64_t dim, IntArrayRef sizes) {
  return unsqueeze_to(grad, IntArrayRef(&dim, 1), sizes);
}

Tensor unsqueeze_to(const Tensor& grad, IntArrayRef dims, IntArrayRef sizes) {
  const auto ndim = static_cast<int64_t>(sizes.size());
  if (ndim == 0) {
    return grad;
  }
  DimVector sorted;
  for (const int64_t dim : dims) {
    sorted.push_back(maybe_wrap_dim(dim, ndim));
  }
  std::sort(sorted.begin(), sorted.end());
  Tensor result = grad;
  for (const int64_t dim : sorted) {
    if (sizes[static_cast<size_t>(dim)] == 1) {
      result = unsqueeze(result, dim);
    }
  }
  return result;
}

namespace {

// `grads` with zeros for undefined ones; `size_of(i)` is the size of the i-th along `dim`.
template <class SizeOf>
std::vector<Tensor> filled(std::span<const Tensor> grads, IntArrayRef sizes,
                           const TensorOptions& options, int64_t dim, const SizeOf& size_of) {
  std::vector<Tensor> result;
  DimVector part(sizes);
  for (size_t i = 0; i < grads.size(); i++) {
    part[static_cast<size_t>(dim)] = size_of(i);
    result.push_back(grads[i].defined() ? grads[i] : zeros(part, options));
  }
  return result;
}

}  // namespace

Tensor unbind_backward(std::span<const Tensor> grads, IntArrayRef sizes,
                       const TensorOptions& options, int64_t dim) {
  DimVector part(sizes);
  part.erase(part.begin() + maybe_wrap_dim(dim, static_cast<int64_t>(sizes.size())));
  std::vector<Tensor> all;
  for (const Tensor& grad : grads) {
    all.push_back(grad.defined() ? grad : expand(zeros({}, options), part));
  }
  return stack(all, dim);
}

Tensor split_backward(std::span<const Tensor> grads, IntArrayRef sizes,
                      const TensorOptions& options, int64_t split_size, int64_t dim) {
  const int64_t wrapped = maybe_wrap_dim(dim, static_cast<int64_t>(sizes.size()));
  const int64_t size = sizes[static_cast<size_t>(wrapped)];
  const auto last = grads.size() - 1;
  const int64_t last_size = size - split_size * static_cast<int64_t>(last);
  return cat(filled(grads, sizes, options, wrapped,
                    [&](size_t i) { return i == last ? last_size : split_size; }),
             wrapped);
}

Tensor split_with_sizes_backward(std::span<const Tensor> grads, IntArrayRef sizes,
                                 const TensorOptions& options, IntArrayRef split_sizes,
                                 int64_t dim) {
  const int64_t wrapped = maybe_wrap_dim(dim, static_cast<int64_t>(sizes.size()));
  return cat(filled(grads, sizes, options, wrapped, [&](size_t i) { return split_sizes[i]; }),
             wrapped);
}

Tensor as_contiguous(const Tensor& tensor) { return contiguous(tensor); }

}  // namespace tsc::autograd
