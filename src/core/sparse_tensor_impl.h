// SparseTensorImpl: a tensor in coordinate format (COO), most of whose elements are 0.
//
//   indices   int64, sparse_dim x nnz         column j: where value j lies
//   values    nnz x the dense dimensions      value j, a number or a block
//
//   sizes = sparse dimensions, then dense dimensions
//
// A place may occur several times: its value is the sum. Coalesced, every place occurs once, in
// row-major order. There is no storage of its own, and there are no strides: all are 0.
#pragma once

#include "core/tensor.h"

namespace tsc {

class TSC_API SparseTensorImpl final : public TensorImpl {
 public:
  // A tensor without values. `keys` as compute_key_set() gives them for the sparse layout, or
  // others.
  SparseTensorImpl(IntArrayRef sizes, int64_t sparse_dim, ScalarType dtype, Device device);

  TSC_USE_FREE_LIST(SparseTensorImpl)

  intrusive_ptr<TensorImpl> share() const override;

  const Tensor& indices() const { return indices_; }
  const Tensor& values() const { return values_; }
  bool is_coalesced() const { return is_coalesced_; }
  int64_t sparse_dim() const { return indices_.sizes()[0]; }
  int64_t dense_dim() const { return values_.dim() - 1; }
  int64_t nnz() const { return values_.sizes()[0]; }

  // The caller has checked that indices, values and sizes fit.
  void set_elements(Tensor indices, Tensor values, bool is_coalesced);
  void set_coalesced(bool value) { is_coalesced_ = value; }
  void set_sparse_sizes(IntArrayRef sizes);

 private:
  SparseTensorImpl(DispatchKeySet keys, ScalarType dtype, Device device);

  Tensor indices_;
  Tensor values_;
  bool is_coalesced_ = true;
};

// NotImplementedError for a sparse tensor, which has no storage.
TSC_API void check_has_storage(const Tensor& tensor);

// RuntimeError for another layout.
inline SparseTensorImpl& sparse_impl(const Tensor& tensor) {
  TSC_CHECK(tensor.is_sparse(), "expected a sparse tensor, but got a strided one");
  return *static_cast<SparseTensorImpl*>(tensor.impl());
}

}  // namespace tsc
