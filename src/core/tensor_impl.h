// TensorImpl: the record behind a Tensor handle.
//
//   TensorImpl
//    +- storage  ──────────────►  StorageImpl (bytes, version), shared by every view of the memory
//    +- sizes, strides, storage offset
//    +- dtype, device, layout     with the key set, which is computed from these once and read on
//    |                            every call
//    +- autograd meta             only where history was recorded or will be
//    +- rare parts                a version apart from the storage's, names: few tensors have any
//
// Element (i, j, ...) lies at storage offset + i * stride[0] + j * stride[1] + ..., counted in
// elements.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>

#include "core/array_ref.h"
#include "core/dimname.h"
#include "core/keys/dispatch_key_set.h"
#include "core/layout.h"
#include "core/storage.h"
#include "core/tensor_options.h"

namespace tsc {

struct AutogradMeta;

// Sizes and strides in one place, at first of one dimension with no elements; up to kInlineDims
// dimensions need no allocation.
class TSC_API SizesAndStrides {
 public:
  static constexpr size_t kInlineDims = 5;

  SizesAndStrides() {
    inline_[0] = 0;
    inline_[1] = 1;
  }
  SizesAndStrides(const SizesAndStrides&) = delete;
  SizesAndStrides& operator=(const SizesAndStrides&) = delete;
  ~SizesAndStrides() {
    if (TSC_UNLIKELY(values_ != inline_)) {
      delete[] values_;
    }
  }

  size_t dim() const { return dim_; }
  int64_t* sizes() { return values_; }
  int64_t* strides() { return values_ + dim_; }
  const int64_t* sizes() const { return values_; }
  const int64_t* strides() const { return values_ + dim_; }
  // Leaves the values uninitialised.
  void set_dim(size_t dim) {
    if (TSC_LIKELY(dim <= kInlineDims && values_ == inline_)) {
      dim_ = dim;
    } else {
      reallocate(dim);
    }
  }

 private:
  void reallocate(size_t dim);

  int64_t* values_ = inline_;
  size_t dim_ = 1;
  int64_t inline_[2 * kInlineDims];
};

class TSC_API TensorImpl : public RefCounted {
 public:
  // A tensor of one dimension with no elements on `storage`; sizes are set next. Its keys are those
  // that compute_key_set() gives.
  TensorImpl(Storage storage, ScalarType dtype, Device device, Layout layout = Layout::Strided);
  // The same with given keys, such as another tensor's.
  TensorImpl(Storage storage, DispatchKeySet keys, ScalarType dtype, Device device, Layout layout)
      : storage_(std::move(storage)), key_set_(keys), kind_{dtype, device, layout} {}
  ~TensorImpl() override;

  TSC_USE_FREE_LIST(TensorImpl)

  // A tensor of the same kind over the same memory with the same keys; sizes and strides are set
  // next.
  virtual intrusive_ptr<TensorImpl> share() const;

  // In elements, like the strides and the storage offset; all strides are 0 in a sparse layout.
  IntArrayRef sizes() const { return {shape_.sizes(), shape_.dim()}; }
  IntArrayRef strides() const { return {shape_.strides(), shape_.dim()}; }
  int64_t dim() const { return static_cast<int64_t>(shape_.dim()); }
  int64_t numel() const { return numel_; }
  int64_t storage_offset() const { return storage_offset_; }
  // In the row-major order of its sizes, without gaps.
  bool is_contiguous() const { return kind_.is_contiguous; }
  // Without gaps or overlaps, in any order of dimensions.
  bool is_non_overlapping_and_dense() const { return kind_.is_non_overlapping_and_dense; }

  // All that decides how a loop reads the elements but sizes, strides and place, as one number:
  // tensors are of one kind where dtype, device, layout and the three flags are the same.
  uint64_t kind() const { return std::bit_cast<uint64_t>(kind_); }
  ScalarType dtype() const { return kind_.dtype; }
  size_t itemsize() const { return element_size(kind_.dtype); }
  Device device() const { return kind_.device; }
  Layout layout() const { return kind_.layout; }
  DispatchKeySet key_set() const { return key_set_; }
  const Storage& storage() const { return storage_; }
  // The first element; null where there is none. RuntimeError for a layout that has no storage and
  // for elements without memory (NotImplementedError on Meta): no kernel reads through a null.
  void* data() const {
    char* base = static_cast<char*>(storage_->data());
    return TSC_UNLIKELY(base == nullptr)
               ? absent_data()
               : base + storage_offset_ * static_cast<int64_t>(itemsize());
  }

  // The version that autograd compares: the storage's, or one apart from it after `.data`.
  uint32_t version() const {
    return TSC_LIKELY(rare_ == nullptr) ? storage_->version() : rare_version();
  }
  void bump_version() {
    if (TSC_LIKELY(rare_ == nullptr)) {
      storage_->bump_version();
    } else {
      bump_rare_version();
    }
  }
  // `.data`: writes through this tensor and its views are not seen by autograd.
  void detach_version(uint32_t version = 0);
  // For a view of `other`: it has its version, and no names.
  void share_version(const TensorImpl& other) {
    if (TSC_UNLIKELY(other.rare_ != nullptr)) {
      share_rare_version(other);
    }
  }

  // A named tensor has the key Named.
  bool has_names() const { return key_set_.has(Functionality::Named); }
  // One for each dimension; empty where there are none.
  DimnameList names() const;
  // None, or one for each dimension. Wildcards only are no names.
  void set_names(DimnameVector names);

  // A Python number made into a tensor: takes part in type promotion with its category only.
  bool is_wrapped_number() const { return kind_.is_wrapped_number; }
  void set_wrapped_number(bool value) { kind_.is_wrapped_number = value; }
  // Bits of the key set: the elements in memory are still to be conjugated, or negated. A zero
  // tensor's elements are 0 whatever its memory holds.
  bool is_conj() const { return key_set_.has(Functionality::Conjugate); }
  bool is_neg() const { return key_set_.has(Functionality::Negative); }
  bool is_zero_tensor() const { return key_set_.has(Functionality::ZeroTensor); }
  void set_conj(bool value) { set_key(DispatchKey::Conjugate, value); }
  void set_neg(bool value) { set_key(DispatchKey::Negative, value); }
  void set_zero_tensor(bool value) { set_key(DispatchKey::ZeroTensor, value); }
  // Made in inference mode, or a view of such: neither Autograd nor ADInplaceOrView in the key set.
  bool is_inference() const { return !key_set_.has(Functionality::ADInplaceOrView); }

  // `sizes` must not be this tensor's own.
  void set_sizes_contiguous(IntArrayRef sizes) {
    shape_.set_dim(sizes.size());
    int64_t* const own_sizes = shape_.sizes();
    int64_t* const own_strides = shape_.strides();
    int64_t stride = 1;
    int64_t numel = 1;
    for (size_t i = sizes.size(); i-- > 0;) {
      own_sizes[i] = sizes[i];
      own_strides[i] = stride;
      stride *= sizes[i] > 1 ? sizes[i] : 1;
      numel *= sizes[i];
    }
    numel_ = numel;
    kind_.is_contiguous = true;
    kind_.is_non_overlapping_and_dense = true;
  }
  // In elements; the strides may overlap. The memory is not checked.
  void set_sizes_and_strides(IntArrayRef sizes, IntArrayRef strides);
  void set_storage_offset(int64_t offset) { storage_offset_ = offset; }
  void set_storage(Storage storage) { storage_ = std::move(storage); }
  void set_key_set(DispatchKeySet keys) { key_set_ = keys; }
  // For `.data = other` and set_: everything but the version and the autograd meta.
  void set_dtype(ScalarType dtype);

  AutogradMeta* autograd_meta() const { return autograd_meta_.get(); }
  void set_autograd_meta(std::unique_ptr<AutogradMeta> meta);

 private:
  // Always null.
  TSC_COLD void* absent_data() const;
  bool owns(IntArrayRef values) const {
    return values.data() >= shape_.sizes() && values.data() < shape_.strides() + shape_.dim();
  }
  bool is_dense_in_some_order() const;
  uint32_t rare_version() const;
  void bump_rare_version();
  void share_rare_version(const TensorImpl& other);
  struct RareParts;
  RareParts& rare_parts();
  void set_key(DispatchKey key, bool value) {
    key_set_ = value ? key_set_.add(key) : key_set_.remove(key);
  }

  Storage storage_;
  SizesAndStrides shape_;
  int64_t numel_ = 0;
  int64_t storage_offset_ = 0;
  DispatchKeySet key_set_;
  struct Delete {
    TSC_API void operator()(AutogradMeta* meta) const;
    TSC_API void operator()(RareParts* parts) const;
  };
  std::unique_ptr<AutogradMeta, Delete> autograd_meta_;
  std::unique_ptr<RareParts, Delete> rare_;
  struct alignas(uint64_t) Kind {
    ScalarType dtype;
    Device device;
    Layout layout;
    bool is_contiguous = true;
    bool is_non_overlapping_and_dense = true;
    bool is_wrapped_number = false;
    uint8_t unused = 0;
  };
  Kind kind_;
};

// Bytes that a strided tensor reaches from its first element on. RuntimeError for negative sizes or
// overflow.
TSC_API size_t computed_storage_bytes(IntArrayRef sizes, size_t itemsize);
TSC_API size_t computed_storage_bytes(IntArrayRef sizes, IntArrayRef strides, size_t itemsize);

}  // namespace tsc
