#include "core/tensor_impl.h"

#include <algorithm>

#include "core/autograd_meta.h"
#include "core/keys/compute_key_set.h"
#include "core/small_vector.h"

namespace tsc {

void SizesAndStrides::reallocate(size_t dim) {
  if (dim == dim_) {
    return;
  }
  if (values_ != inline_) {
    delete[] values_;
    values_ = inline_;
  }
  if (dim > kInlineDims) {
    values_ = new int64_t[2 * dim];
  }
  dim_ = dim;
}

struct TensorImpl::RareParts {
  struct Version : RefCounted {
    uint32_t value = 0;
  };
  intrusive_ptr<Version> version;  // instead of the storage's
  DimnameVector names;
};

TensorImpl::TensorImpl(Storage storage, ScalarType dtype, Device device, Layout layout)
    : TensorImpl(std::move(storage), compute_key_set(device, layout, dtype), dtype, device,
                 layout) {}

TensorImpl::~TensorImpl() = default;

void TensorImpl::Delete::operator()(AutogradMeta* meta) const { delete meta; }
void TensorImpl::Delete::operator()(RareParts* parts) const { delete parts; }

intrusive_ptr<TensorImpl> TensorImpl::share() const {
  return make_intrusive<TensorImpl>(storage_, key_set_, kind_.dtype, kind_.device, kind_.layout);
}

TensorImpl::RareParts& TensorImpl::rare_parts() {
  if (rare_ == nullptr) {
    rare_.reset(new RareParts);
  }
  return *rare_;
}

uint32_t TensorImpl::rare_version() const {
  return rare_->version ? rare_->version->value : storage_->version();
}

void TensorImpl::bump_rare_version() {
  if (rare_->version) {
    rare_->version->value++;
  } else {
    storage_->bump_version();
  }
}

void TensorImpl::detach_version(uint32_t version) {
  rare_parts().version = make_intrusive<RareParts::Version>();
  rare_parts().version->value = version;
}

void* TensorImpl::absent_data() const {
  TSC_CHECK(kind_.layout == Layout::Strided,
            "Cannot access data pointer of Tensor that doesn't have storage");
  if (numel() != 0) {
    TSC_CHECK_NOT_IMPLEMENTED(device().type != DeviceType::Meta,
                              "Cannot copy out of meta tensor; no data!");
    throw_error(ErrorKind::RuntimeError,
                "The tensor has a non-zero number of elements, but its data is not allocated yet.");
  }
  return nullptr;
}

void TensorImpl::share_rare_version(const TensorImpl& other) {
  set_key(DispatchKey::Named, false);
  if (other.rare_->version) {
    rare_parts().version = other.rare_->version;
  }
}

DimnameList TensorImpl::names() const {
  // While the key Named was excluded, the number of dimensions may have changed.
  const bool is_named =
      has_names() && rare_ != nullptr && static_cast<int64_t>(rare_->names.size()) == dim();
  return is_named ? DimnameList(rare_->names) : DimnameList();
}

void TensorImpl::set_names(DimnameVector names) {
  const bool has_any = std::any_of(names.begin(), names.end(),
                                   [](const Dimname& name) { return !name.is_wildcard(); });
  set_key(DispatchKey::Named, has_any);
  if (has_any) {
    TSC_ASSERT(static_cast<int64_t>(names.size()) == dim());
    rare_parts().names = std::move(names);
  }
}

void TensorImpl::set_autograd_meta(std::unique_ptr<AutogradMeta> meta) {
  autograd_meta_.reset(meta.release());
}

void TensorImpl::set_dtype(ScalarType dtype) { kind_.dtype = dtype; }

void TensorImpl::set_sizes_and_strides(IntArrayRef sizes, IntArrayRef strides) {
  TSC_CHECK(sizes.size() == strides.size(),
            "dimensionality of sizes ({}) must match dimensionality of strides ({})", sizes.size(),
            strides.size());
  if (TSC_UNLIKELY(owns(sizes) || owns(strides))) {
    set_sizes_and_strides(DimVector(sizes), DimVector(strides));
    return;
  }
  shape_.set_dim(sizes.size());
  int64_t* const own_sizes = shape_.sizes();
  int64_t* const own_strides = shape_.strides();
  int64_t numel = 1;
  bool is_contiguous = true;
  for (size_t i = sizes.size(); i-- > 0;) {
    own_sizes[i] = sizes[i];
    own_strides[i] = strides[i];
    is_contiguous &= sizes[i] == 1 || strides[i] == numel;
    numel *= sizes[i];
  }
  numel_ = numel;
  kind_.is_contiguous = is_contiguous || numel == 0;
  kind_.is_non_overlapping_and_dense = kind_.is_contiguous || is_dense_in_some_order();
}

// With dimensions sorted by stride each stride is the product of the sizes before it.
bool TensorImpl::is_dense_in_some_order() const {
  const size_t dim = shape_.dim();
  SmallVector<size_t, 8> order(dim);
  for (size_t i = 0; i < dim; i++) {
    order[i] = i;
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const bool a_single = shape_.sizes()[a] < 2;
    const bool b_single = shape_.sizes()[b] < 2;
    if (a_single || b_single) {
      return !a_single && b_single;
    }
    return shape_.strides()[a] < shape_.strides()[b];
  });
  int64_t expected = 1;
  for (const size_t i : order) {
    if (shape_.sizes()[i] < 2) {
      break;
    }
    if (shape_.strides()[i] != expected) {
      return false;
    }
    expected *= shape_.sizes()[i];
  }
  return true;
}

namespace {

void check_not_negative(int64_t size, IntArrayRef sizes) {
  TSC_CHECK(size >= 0, "Trying to create tensor with negative dimension {}: {}", size, sizes);
}

}  // namespace

size_t computed_storage_bytes(IntArrayRef sizes, size_t itemsize) {
  size_t bytes = itemsize;
  bool overflows = false;
  for (const int64_t size : sizes) {
    check_not_negative(size, sizes);
    overflows |= __builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes);
  }
  TSC_CHECK(!overflows && bytes <= static_cast<size_t>(INT64_MAX),
            "Storage size calculation overflowed with sizes={}", sizes);
  // Even without elements, the other sizes may be too large for strides.
  int64_t stride = 1;
  for (const int64_t size : sizes) {
    overflows |= __builtin_mul_overflow(stride, std::max<int64_t>(size, 1), &stride);
  }
  TSC_CHECK(!overflows, "Stride calculation overflowed");
  return bytes;
}

size_t computed_storage_bytes(IntArrayRef sizes, IntArrayRef strides, size_t itemsize) {
  size_t last = 1;
  bool overflows = false;
  for (size_t i = 0; i < sizes.size(); i++) {
    check_not_negative(sizes[i], sizes);
    if (sizes[i] == 0) {
      return 0;
    }
    size_t reach = 0;
    overflows |= __builtin_mul_overflow(static_cast<size_t>(sizes[i] - 1),
                                        static_cast<size_t>(strides[i]), &reach);
    overflows |= __builtin_add_overflow(last, reach, &last);
  }
  overflows |= __builtin_mul_overflow(last, itemsize, &last);
  TSC_CHECK(!overflows, "Storage size calculation overflowed with sizes={} and strides={}", sizes,
            strides);
  return last;
}

}  // namespace tsc
