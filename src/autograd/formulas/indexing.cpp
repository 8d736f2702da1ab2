#include "autograd/formulas/indexing.h"

#include "core/small_vector.h"
#include "gen/ops/binary.h"
#include "gen/ops/compare.h"
#include "gen/ops/factory.h"
#include "gen/ops/indexing.h"
#include "gen/ops/reduce.h"
#include "gen/ops/view.h"

namespace tsc::autograd {

namespace {

// A one-dimensional index along `dim`, as the element-wise one that gather and scatter take.
Tensor spread(const Tensor& index, IntArrayRef sizes, int64_t dim) {
  const auto ndim = static_cast<int64_t>(sizes.size());
  DimVector shape(sizes.size(), 1);
  shape[static_cast<size_t>(maybe_wrap_dim(dim, ndim))] = index.numel();
  return expand(reshape(index, shape), sizes);
}

int64_t product(IntArrayRef sizes) {
  int64_t result = 1;
  for (const int64_t size : sizes) {
    result *= size;
  }
  return result;
}

}  // namespace

Tensor index_select_backward(const Tensor& grad, IntArrayRef sizes, int64_t dim,
                             const Tensor& index) {
  const Tensor zeros = zeros_of(sizes, grad);
  if (sizes.empty()) {
    return zeros + sum(grad);
  }
  return scatter_add(zeros, dim, spread(index, grad.sizes(), dim), grad);
}

Tensor index_source_backward(const Tensor& grad, IntArrayRef sizes, int64_t dim,
                             const Tensor& index) {
  if (sizes.empty()) {
    return index_select(grad, dim, reshape(index, {1}));
  }
  return expand(index_select(grad, dim, index), sizes);
}

Tensor index_fill_value_backward(const Tensor& grad, int64_t dim, const Tensor& index) {
  return sum(grad - index_fill(grad, dim, index, 0));
}

Tensor masked_value_backward(const Tensor& grad, const Tensor& mask) {
  return sum(where_or_zero(mask, grad));
}

Tensor masked_select_backward(const Tensor& grad, IntArrayRef sizes, const Tensor& mask) {
  // The mask and self were broadcast together; the engine sums the result to self's size.
  DimVector broadcast(std::max(sizes.size(), mask.sizes().size()), 1);
  const auto merge = [&](IntArrayRef from) {
    for (size_t i = 0; i < from.size(); i++) {
      int64_t& size = broadcast[broadcast.size() - from.size() + i];
      size = from[i] == 1 ? size : from[i];
    }
  };
  merge(sizes);
  merge(mask.sizes());
  if (broadcast.empty()) {
    return where_or_zero(mask, sum(grad));
  }
  return index_put(zeros_of(broadcast, grad), {expand(mask, broadcast)}, grad, false);
}

Tensor take_backward(const Tensor& grad, IntArrayRef sizes, const Tensor& index) {
  return reshape(index_put(zeros_of({product(sizes)}, grad), {index}, grad, true), sizes);
}

Tensor embedding_backward(const Tensor& grad, const Tensor& indices, IntArrayRef weight_sizes,
                          int64_t padding_index, bool scale_by_frequency) {
  const Tensor flat = reshape(indices, {-1});
  Tensor rows = reshape(grad, {flat.numel(), weight_sizes[1]});
  if (padding_index >= 0) {
    rows = zero_or(unsqueeze(eq(flat, padding_index), 1), rows);
  }
  if (scale_by_frequency) {
    const Tensor counts =
        scatter_add(zeros_of({weight_sizes[0]}, grad), 0, flat, ones(flat.sizes(), grad.options()));
    rows = rows / unsqueeze(index_select(counts, 0, flat), 1);
  }
  return scatter_add(zeros_of(weight_sizes, grad), 0, spread(flat, rows.sizes(), 0), rows);
}

}  // namespace tsc::autograd
