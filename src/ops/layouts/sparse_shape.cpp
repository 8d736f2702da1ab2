
#include <algorithm>

#include "core/small_vector.h"
#include "gen/calls/add.h"
#include "gen/calls/cat.h"
#include "gen/calls/clone.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/copy.h"
#include "gen/calls/dense_dim.h"
#include "gen/calls/expand.h"
#include "gen/calls/index_select.h"
#include "gen/calls/narrow.h"
#include "gen/calls/select.h"
#include "gen/calls/sparse_dim.h"
#include "gen/calls/unbind.h"
#include "gen/calls/zeros.h"
#include "gen/ops/indexing_native.h"
#include "gen/ops/shape_native.h"
#include "gen/ops/view_native.h"
#include "ops/layouts/sparse.h"
#include "ops/structured/operand_checks.h"

namespace tsc {

namespace {

bool same_but_for(IntArrayRef a, IntArrayRef b, int64_t dim) {
  bool same = a.size() == b.size();
  for (size_t i = 0; same && i < a.size(); i++) {
    same = static_cast<int64_t>(i) == dim || a[i] == b[i];
  }
  return same;
}

void check_joinable(TensorList tensors, int64_t dim) {
  const Tensor& first = tensors[0];
  size_t position = 0;
  for (const Tensor& tensor : tensors) {
    TSC_CHECK(tensor.is_sparse(),
              "Concatenating sparse tensors, but a dense tensor was found at position {}.",
              position);
    TSC_CHECK(same_but_for(first.sizes(), tensor.sizes(), dim),
              "All tensors must have the same shape: {} (except in the concatenating dimension), "
              "but found shape: {} at position {}.",
              first.sizes(), tensor.sizes(), position);
    TSC_CHECK(sparse_dim(tensor) == sparse_dim(first) && dense_dim(tensor) == dense_dim(first),
              "All tensors must have the same sparse_dim and dense_dim: {}, {}, but tensor at "
              "position {} has {}, {}.",
              sparse_dim(first), dense_dim(first), position, sparse_dim(tensor), dense_dim(tensor));
    position++;
  }
}

// The indices with `by` added to one dimension of them.
Tensor moved(const Tensor& indices, int64_t dim, int64_t by) {
  const Tensor result = clone(indices);
  add_(select(result, 0, dim), Scalar(by));
  return result;
}

// The values placed in their range of the result's dimension, with zeros in the rest of it.
Tensor widened(const Tensor& values, int64_t dim, int64_t start, int64_t length) {
  DimVector sizes(values.sizes());
  sizes[static_cast<size_t>(dim)] = length;
  const Tensor result = zeros(sizes, values.options());
  copy_(narrow(result, dim, start, values.size(dim)), values);
  return result;
}

}  // namespace

namespace native {

Tensor sparse_cat(TensorList tensors, int64_t dim) {
  const Tensor& first = tensors[0];
  const int64_t along = maybe_wrap_dim(dim, first.dim());
  check_joinable(tensors, along);
  DimVector sizes(first.sizes());
  int64_t& length = sizes[static_cast<size_t>(along)];
  length = 0;
  for (const Tensor& tensor : tensors) {
    length += tensor.size(along);
  }
  const int64_t sparse_dims = sparse_dim(first);
  std::vector<Tensor> indices, values;
  int64_t start = 0;
  for (const Tensor& tensor : tensors) {
    const SparseTensorImpl& impl = sparse_impl(tensor);
    const bool is_sparse = along < sparse_dims;
    indices.push_back(is_sparse ? moved(impl.indices(), along, start) : impl.indices());
    values.push_back(is_sparse ? impl.values()
                               : widened(impl.values(), along - sparse_dims + 1, start, length));
    start += tensor.size(along);
  }
  return make_sparse(sizes, tsc::cat(indices, 1), tsc::cat(values, 0), false);
}

Tensor sparse_index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  const int64_t along = maybe_wrap_dim(dim, self.dim());
  TSC_CHECK_KIND(IndexError,
                 index.dim() == 1 && index.dtype() == ScalarType::Long && !index.is_sparse(),
                 "index_select() argument index must be 1-D strided (non-sparse) long-tensor.");
  const SparseTensorImpl& impl = sparse_impl(self);
  DimVector sizes(self.sizes());
  sizes[static_cast<size_t>(along)] = index.numel();
  if (along >= impl.sparse_dim()) {
    return make_sparse(sizes, impl.indices(),
                       tsc::index_select(impl.values(), along - impl.sparse_dim() + 1, index),
                       false);
  }
  const int64_t length = self.size(along);
  const Tensor at = contiguous(select(impl.indices(), 0, along));
  std::vector<std::vector<int64_t>> columns_at(static_cast<size_t>(length));
  for (int64_t i = 0; i < impl.nnz(); i++) {
    columns_at[static_cast<size_t>(at.data_ptr<int64_t>()[i])].push_back(i);
  }
  const Tensor wanted = contiguous(index);
  std::vector<std::pair<int64_t, int64_t>> picks;  // a column, and where it goes
  for (int64_t i = 0; i < wanted.numel(); i++) {
    const int64_t place = wanted.data_ptr<int64_t>()[i];
    TSC_CHECK_KIND(IndexError, place >= -length && place < length,
                   "index_select(): index contains {} that is out of range for tensor of size {} "
                   "at dimension {}",
                   place, self.sizes(), along);
    for (const int64_t column :
         columns_at[static_cast<size_t>(place < 0 ? place + length : place)]) {
      picks.emplace_back(column, i);
    }
  }
  // As in PyTorch, the elements of the shorter list are searched in the longer one.
  if (impl.nnz() < wanted.numel()) {
    std::ranges::stable_sort(picks, {}, &std::pair<int64_t, int64_t>::first);
  }
  std::vector<int64_t> columns, places;
  for (const auto& [column, place] : picks) {
    columns.push_back(column);
    places.push_back(place);
  }
  const Tensor chosen = long_tensor(columns);
  const Tensor indices = tsc::index_select(impl.indices(), 1, chosen);
  copy_(select(indices, 0, along), long_tensor(places));
  return make_sparse(sizes, indices, tsc::index_select(impl.values(), 0, chosen),
                     columns.size() < 2);
}

}  // namespace native

std::vector<Tensor> slices_of_sparse(const Tensor& sparse, int64_t dim) {
  std::vector<Tensor> slices;
  for (int64_t i = 0; i < sparse.size(dim); i++) {
    slices.push_back(select(sparse, dim, i));
  }
  return slices;
}

}  // namespace tsc
