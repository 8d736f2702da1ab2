// Sparse tensors: coalescing, and conversion to and from dense tensors.
#include <algorithm>
#include <numeric>

#include "core/small_vector.h"
#include "core/tensor_factory.h"
#include "gen/calls/any.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/index_add.h"
#include "gen/calls/index_select.h"
#include "gen/calls/ne.h"
#include "gen/calls/nonzero.h"
#include "gen/calls/t.h"
#include "gen/calls/to.h"
#include "gen/calls/zeros.h"
#include "gen/ops/sparse.h"
#include "gen/ops/sparse_native.h"
#include "ops/factory/factory_options.h"
#include "ops/layouts/sparse.h"

namespace tsc {

namespace {

// `count` zero values with the other properties of those of `sparse`.
Tensor zero_values(const Tensor& sparse, int64_t count) {
  DimVector sizes(sparse_impl(sparse).values().sizes());
  sizes[0] = count;
  return zeros(sizes, sparse_impl(sparse).values().options());
}

void check_sparse_layout(std::optional<Layout> layout) {
  TSC_CHECK(layout.value_or(Layout::Sparse) == Layout::Sparse,
            "to_sparse: conversion to {} is not supported",
            to_string(layout.value_or(Layout::Sparse)));
}

}  // namespace

namespace native {

Tensor _coalesce_sparse_cpu(const Tensor& self) {
  const SparseTensorImpl& impl = sparse_impl(self);
  const Tensor places = flat_places(self);
  const auto* const at = places.data_ptr<int64_t>();
  std::vector<int64_t> order(static_cast<size_t>(impl.nnz()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return at[a] < at[b]; });
  // The first value of each place, and for each value which of these it is added to.
  std::vector<int64_t> firsts;
  std::vector<int64_t> targets;
  for (const int64_t i : order) {
    if (firsts.empty() || at[firsts.back()] != at[i]) {
      firsts.push_back(i);
    }
    targets.push_back(static_cast<int64_t>(firsts.size()) - 1);
  }
  const Tensor values = zero_values(self, static_cast<int64_t>(firsts.size()));
  index_add_(values, 0, long_tensor(targets), index_select(impl.values(), 0, long_tensor(order)));
  return make_sparse(self.sizes(), index_select(impl.indices(), 1, long_tensor(firsts)), values,
                     true);
}

Tensor to_dense(const Tensor& self, OptionalDtype dtype, OptionalBool masked_grad) {
  if (self.is_sparse()) {
    return tsc::_to_dense(self, dtype, masked_grad);
  }
  return dtype.has_value() ? to(self, *dtype) : self;
}

Tensor sparse_to_dense(const Tensor& self, OptionalDtype dtype, OptionalBool) {
  TSC_CHECK(!dtype.has_value(), "dtype argument is not supported by sparse_to_dense");
  const Tensor dense = zeros(self.sizes(), self.options().layout(Layout::Strided));
  index_add_(with_joined_places(dense, self), 0, flat_places(self), sparse_impl(self).values());
  return dense;
}

Tensor to_sparse_sparse_dim(const Tensor& self, int64_t sparse_dim) {
  if (self.is_sparse()) {
    TSC_CHECK(sparse_dim == tsc::sparse_dim(self),
              "to_sparse: conversion from Sparse to Sparse with sparse_dim argument "
              "!=self.sparse_dim() is not supported");
    return self;
  }
  return tsc::_to_sparse(self, sparse_dim);
}
Tensor to_sparse(const Tensor& self, OptionalLayout layout, OptionalIntArrayRef blocksize,
                 std::optional<int64_t> dense_dim) {
  check_sparse_layout(layout);
  return self.is_sparse() ? self : tsc::_to_sparse(self, layout, blocksize, dense_dim);
}

Tensor dense_to_sparse_dim(const Tensor& self, int64_t sparse_dim) {
  const int64_t dims = self.dim();
  TSC_CHECK(sparse_dim >= 0 && sparse_dim <= dims,
            "dense_to_sparse: sparse_dim argument must be in [0,{}] range, but {} is given", dims,
            sparse_dim);
  TSC_CHECK(sparse_dim > 0 || dims == 0,
            "dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0");
  DimVector dense_dims;
  for (int64_t dim = sparse_dim; dim < dims; dim++) {
    dense_dims.push_back(dim);
  }
  const Tensor shown = ne(self, Scalar(0));
  const Tensor indices =
      contiguous(t(nonzero(dense_dims.empty() ? shown : any(shown, IntArrayRef(dense_dims)))));
  // The result has the mask's places, and the values found there.
  DimVector value_sizes{indices.sizes()[1]};
  for (const int64_t dim : dense_dims) {
    value_sizes.push_back(self.size(dim));
  }
  const Tensor result =
      make_sparse(self.sizes(), indices, zeros(value_sizes, self.options()), true);
  return with_values(result, values_at(self, result));
}
Tensor dense_to_sparse(const Tensor& self, OptionalLayout layout, OptionalIntArrayRef,
                       std::optional<int64_t> dense_dim) {
  check_sparse_layout(layout);
  return dense_to_sparse_dim(self, self.dim() - dense_dim.value_or(0));
}
Tensor sparse_to_sparse_dim(const Tensor& self, int64_t sparse_dim) {
  return native::to_sparse_sparse_dim(self, sparse_dim);
}
Tensor sparse_to_sparse(const Tensor& self, OptionalLayout layout, OptionalIntArrayRef,
                        std::optional<int64_t>) {
  check_sparse_layout(layout);
  return self;
}

Tensor sparse_mask(const Tensor& self, const Tensor& mask) {
  TSC_CHECK(mask.is_sparse(), "sparse_mask(): the mask is sparse, but got {}",
            to_string(mask.layout()));
  TSC_CHECK(
      self.sizes() == mask.sizes(),
      "sparse_mask(): operands have incompatible sizes; self has size {} but mask has size {}",
      self.sizes(), mask.sizes());
  return with_values(mask, values_at(self.is_sparse() ? tsc::to_dense(self) : self, mask));
}

}  // namespace native
}  // namespace tsc
