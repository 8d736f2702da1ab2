#include "core/tensor_impl.h"

#include <algorithm>
#include <array>

#include "core/autograd_meta.h"
#include "core/small_vector.h"
#include "core/thread_local_state.h"

namespace tsc {

void SizesAndStrides::set_dim(size_t dim) {
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

namespace {

constexpr DispatchKeySet autocast_key(Backend backend) {
  switch (backend) {
    case Backend::CPU: return DispatchKey::AutocastCPU;
    case Backend::CUDA: return DispatchKey::AutocastCUDA;
    case Backend::PrivateUse1: return DispatchKey::AutocastPrivateUse1;
    case Backend::PrivateUse2:
    case Backend::PrivateUse3:
    case Backend::Meta: break;
  }
  return {};
}

// Each device's backend, and its Autocast key where it has one.
constexpr DispatchKeySet kDeviceKeys[kNumBackends] = {
#define TSC_ROW(name) DispatchKeySet(Backend::name) | autocast_key(Backend::name),
    TSC_FORALL_BACKENDS(TSC_ROW)
#undef TSC_ROW
};
// A strided tensor's functionality, by its dtype.
constexpr size_t kNumScalarTypes = static_cast<size_t>(ScalarType::Undefined) + 1;
constexpr auto kStridedKeys = [] {
  std::array<DispatchKeySet, kNumScalarTypes> keys;
  for (size_t i = 0; i < kNumScalarTypes; i++) {
    keys[i] =
        is_quantized(static_cast<ScalarType>(i)) ? Functionality::Quantized : Functionality::Dense;
  }
  return keys;
}();
constexpr DispatchKeySet kRecordedKeys = DispatchKeySet(DispatchKey::ADInplaceOrView) |
                                         DispatchKeySet(Functionality::AutogradFunctionality);

}  // namespace

DispatchKeySet compute_key_set(Device device, Layout layout, ScalarType dtype) {
  const DispatchKeySet kernel = TSC_LIKELY(layout == Layout::Strided)
                                    ? kStridedKeys[static_cast<size_t>(dtype)]
                                : layout == Layout::Sparse ? Functionality::Sparse
                                                           : Functionality::SparseCsr;
  const DispatchKeySet keys = kDeviceKeys[static_cast<size_t>(device.type)] | kernel;
  return tls().inference_mode ? keys : keys | kRecordedKeys;
}

TensorImpl::TensorImpl(Storage storage, ScalarType dtype, Device device, Layout layout)
    : storage_(std::move(storage)),
      key_set_(compute_key_set(device, layout, dtype)),
      dtype_(dtype),
      device_(device),
      layout_(layout) {
  make_empty();
}

TensorImpl::TensorImpl(Storage storage, DispatchKeySet keys, ScalarType dtype, Device device,
                       Layout layout)
    : storage_(std::move(storage)),
      key_set_(keys),
      dtype_(dtype),
      device_(device),
      layout_(layout) {
  make_empty();
}

TensorImpl::~TensorImpl() = default;

intrusive_ptr<TensorImpl> TensorImpl::share() const {
  return make_intrusive<TensorImpl>(storage_, key_set_, dtype_, device_, layout_);
}

void TensorImpl::set_autograd_meta(std::unique_ptr<AutogradMeta> meta) {
  autograd_meta_ = std::move(meta);
}

void TensorImpl::set_dtype(ScalarType dtype) { dtype_ = dtype; }

void TensorImpl::set_sizes_contiguous(IntArrayRef sizes) {
  shape_.set_dim(sizes.size());
  int64_t stride = 1;
  int64_t numel = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    shape_.sizes()[i] = sizes[i];
    shape_.strides()[i] = stride;
    stride *= std::max<int64_t>(sizes[i], 1);
    numel *= sizes[i];
  }
  numel_ = numel;
  is_contiguous_ = true;
  is_non_overlapping_and_dense_ = true;
}

void TensorImpl::set_sizes_and_strides(IntArrayRef sizes, IntArrayRef strides) {
  TSC_CHECK(sizes.size() == strides.size(),
            "dimensionality of sizes ({}) must match dimensionality of strides ({})", sizes.size(),
            strides.size());
  // The arguments may be this tensor's own.
  const DimVector new_sizes(sizes);
  const DimVector new_strides(strides);
  shape_.set_dim(new_sizes.size());
  numel_ = 1;
  for (size_t i = 0; i < new_sizes.size(); i++) {
    shape_.sizes()[i] = new_sizes[i];
    shape_.strides()[i] = new_strides[i];
    numel_ *= new_sizes[i];
  }
  refresh_contiguity();
}

void TensorImpl::refresh_contiguity() {
  const size_t dim = shape_.dim();
  is_contiguous_ = true;
  is_non_overlapping_and_dense_ = true;
  if (numel_ == 0) {
    return;
  }
  int64_t expected = 1;
  for (size_t i = dim; i-- > 0;) {
    if (shape_.sizes()[i] != 1) {
      is_contiguous_ = is_contiguous_ && shape_.strides()[i] == expected;
      expected *= shape_.sizes()[i];
    }
  }
  if (is_contiguous_) {
    return;
  }
  // Dense in some order: with dimensions sorted by stride each stride is the product of the sizes
  // before it.
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
  expected = 1;
  for (const size_t i : order) {
    if (shape_.sizes()[i] < 2) {
      break;
    }
    if (shape_.strides()[i] != expected) {
      is_non_overlapping_and_dense_ = false;
      return;
    }
    expected *= shape_.sizes()[i];
  }
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
