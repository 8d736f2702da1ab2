#include "core/sparse_tensor_impl.h"

#include "core/keys/compute_key_set.h"
#include "core/small_vector.h"
#include "core/tensor_factory.h"

namespace tsc {

namespace {

Storage no_storage(Device device) { return make_intrusive<StorageImpl>(0, device); }

}  // namespace

SparseTensorImpl::SparseTensorImpl(DispatchKeySet keys, ScalarType dtype, Device device)
    : TensorImpl(no_storage(device), keys, dtype, device, Layout::Sparse) {}

SparseTensorImpl::SparseTensorImpl(IntArrayRef sizes, int64_t sparse_dim, ScalarType dtype,
                                   Device device)
    : SparseTensorImpl(compute_key_set(device, Layout::Sparse, dtype), dtype, device) {
  set_sparse_sizes(sizes);
  DimVector value_sizes{0};
  for (const int64_t size : sizes.slice(static_cast<size_t>(sparse_dim))) {
    value_sizes.push_back(size);
  }
  indices_ = empty_tensor({sparse_dim, 0}, ScalarType::Long, device);
  values_ = empty_tensor(value_sizes, dtype, device);
}

intrusive_ptr<TensorImpl> SparseTensorImpl::share() const {
  auto copy =
      intrusive_ptr<SparseTensorImpl>::adopt(new SparseTensorImpl(key_set(), dtype(), device()));
  copy->set_sparse_sizes(sizes());
  copy->set_elements(indices_, values_, is_coalesced_);
  return copy;
}

void check_has_storage(const Tensor& tensor) {
  TSC_CHECK_NOT_IMPLEMENTED(!tensor.is_sparse(), "Cannot access storage of SparseTensorImpl");
}

void SparseTensorImpl::set_elements(Tensor indices, Tensor values, bool is_coalesced) {
  indices_ = std::move(indices);
  values_ = std::move(values);
  is_coalesced_ = is_coalesced;
  set_dtype(values_.dtype());
}

void SparseTensorImpl::set_sparse_sizes(IntArrayRef sizes) {
  set_sizes_and_strides(sizes, DimVector(sizes.size(), 0));
}

}  // namespace tsc
