// Tensor: a counted handle to a TensorImpl; null is the undefined tensor. Eight bytes, so that a
// slot of the stack can be read as one. It has no operators of its own: those are free functions
// (`tsc::add(a, b)`), declared by name. Where TSC_TENSOR_METHODS names a header, as it does for
// plug-ins, its declarations are members, too: `x.add(y)` (docs/plugins.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor_impl.h"

namespace tsc {

#ifdef TSC_TENSOR_METHODS
// What methods take and give.
class Generator;
class OptionalIntArrayArgument;
class OptionalTensorRef;
class Scalar;
class TensorList;
#endif

class TSC_API Tensor {
 public:
  Tensor() = default;
  explicit Tensor(intrusive_ptr<TensorImpl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return static_cast<bool>(impl_); }
  TensorImpl* impl() const { return impl_.get(); }
  const intrusive_ptr<TensorImpl>& impl_ptr() const { return impl_; }
  TensorImpl* detach_impl() { return impl_.detach(); }
  void reset() { impl_.reset(); }
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }
  uint32_t use_count() const { return impl_.use_count(); }

  // Sizes, strides and the storage offset count elements. Valid as long as the tensor keeps its
  // shape.
  IntArrayRef sizes() const { return impl_->sizes(); }
  IntArrayRef strides() const { return impl_->strides(); }
  int64_t dim() const { return impl_->dim(); }
  int64_t numel() const { return impl_->numel(); }
  // Negative dimensions count from the end; IndexError outside [-dim, dim).
  int64_t size(int64_t dim) const;
  int64_t stride(int64_t dim) const;
  int64_t storage_offset() const { return impl_->storage_offset(); }
  bool is_contiguous() const { return impl_->is_contiguous(); }
  // Dense in the order of `format`; Preserve asks as Contiguous.
  bool is_contiguous(MemoryFormat format) const;
  // The format that strides have (core/memory_format.h); Contiguous in other layouts.
  MemoryFormat suggest_memory_format() const;
  bool is_non_overlapping_and_dense() const { return impl_->is_non_overlapping_and_dense(); }

  ScalarType dtype() const { return impl_->dtype(); }
  // Bytes of one element, and of all elements.
  size_t itemsize() const { return impl_->itemsize(); }
  size_t nbytes() const { return static_cast<size_t>(impl_->numel()) * impl_->itemsize(); }
  Device device() const { return impl_->device(); }
  Layout layout() const { return impl_->layout(); }
  TensorOptions options() const { return TensorOptions(dtype(), layout(), device()); }
  DispatchKeySet key_set() const { return impl_->key_set(); }
  bool is_cpu() const { return device().is_cpu(); }
  bool is_cuda() const { return device().is_cuda(); }
  bool is_meta() const { return device().is_meta(); }
  bool is_complex() const { return tsc::is_complex(dtype()); }
  bool is_floating_point() const { return tsc::is_floating_point(dtype()); }
  // Made from a Python number: promotes by its category only.
  bool is_wrapped_number() const { return impl_->is_wrapped_number(); }
  bool is_inference() const { return impl_->is_inference(); }
  bool is_sparse() const { return layout() == Layout::Sparse; }
  bool is_quantized() const { return tsc::is_quantized(dtype()); }
  bool is_conj() const { return impl_->is_conj(); }
  bool is_neg() const { return impl_->is_neg(); }
  bool is_zero_tensor() const { return impl_->is_zero_tensor(); }
  bool has_names() const { return impl_->has_names(); }
  DimnameList names() const { return impl_->names(); }

  const Storage& storage() const { return impl_->storage(); }
  bool shares_storage_with(const Tensor& other) const { return storage() == other.storage(); }
  void* data() const { return impl_->data(); }
  // The caller has checked the dtype.
  template <class T>
  T* data_ptr() const {
    return static_cast<T*>(impl_->data());
  }

  // The number of writes that autograd counts (TensorImpl::version()).
  uint32_t version() const { return impl_->version(); }

  // Autograd's part (core/autograd_meta.h has the record itself).
  bool requires_grad() const;
  // True where the tensor has no grad_fn: tensors made by the user, and all that do not require
  // grad.
  bool is_leaf() const;
  // A differentiable view of another tensor.
  bool is_view() const;

#ifdef TSC_TENSOR_METHODS
#include TSC_TENSOR_METHODS
#endif

 private:
  intrusive_ptr<TensorImpl> impl_;
};

// A `Tensor?` argument: a borrowed tensor, or none. Never outlives the call.
class OptionalTensorRef {
 public:
  OptionalTensorRef() : tensor_(&kNone) {}
  OptionalTensorRef(std::nullopt_t) : tensor_(&kNone) {}
  OptionalTensorRef(const Tensor& tensor) : tensor_(&tensor) {}  // Any tensor is an optional one
  bool has_value() const { return tensor_->defined(); }
  explicit operator bool() const { return has_value(); }
  // The undefined tensor where there is none.
  const Tensor& operator*() const { return *tensor_; }
  const Tensor* operator->() const { return tensor_; }

 private:
  static TSC_API const Tensor kNone;
  const Tensor* tensor_;
};

// A `Tensor[]` or `Tensor?[]` argument: a borrowed run of tensors, of which `Tensor?[]` may have
// undefined ones. The step between them is a parameter, so that the slots of a list value (16 bytes
// each) are viewed without a copy.
class TensorList {
 public:
  TensorList() = default;
  TensorList(const Tensor* first, size_t size, size_t step = sizeof(Tensor))
      : first_(reinterpret_cast<const char*>(first)), size_(size), step_(step) {}
  TensorList(const std::vector<Tensor>& tensors) : TensorList(tensors.data(), tensors.size()) {}
  TensorList(ArrayRef<Tensor> tensors) : TensorList(tensors.data(), tensors.size()) {}
  TensorList(std::initializer_list<Tensor> tensors) : TensorList(tensors.begin(), tensors.size()) {}
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Tensor& operator[](size_t i) const {
    return *reinterpret_cast<const Tensor*>(first_ + i * step_);
  }
  const Tensor& front() const { return (*this)[0]; }

  class iterator {
   public:
    iterator(const char* at, size_t step) : at_(at), step_(step) {}
    const Tensor& operator*() const { return *reinterpret_cast<const Tensor*>(at_); }
    iterator& operator++() {
      at_ += step_;
      return *this;
    }
    friend bool operator==(const iterator&, const iterator&) = default;

   private:
    const char* at_;
    size_t step_;
  };
  iterator begin() const { return {first_, step_}; }
  iterator end() const { return {first_ + size_ * step_, step_}; }
  TSC_API std::vector<Tensor> vec() const;

 private:
  const char* first_ = nullptr;
  size_t size_ = 0;
  size_t step_ = sizeof(Tensor);
};

// -dim..dim-1 to 0..dim-1, and 0 or -1 to 0 for a scalar where `wrap_scalar`. IndexError in
// PyTorch's words.
TSC_API int64_t maybe_wrap_dim(int64_t dim, int64_t dims, bool wrap_scalar = true);

}  // namespace tsc
