// Copies and conversions.
#include "gen/ops/copy.h"
#include "core/cuda_hooks.h"
#include "core/device_guard.h"
#include "core/keys/thread_local_state.h"
#include "core/memory_format.h"
#include "core/tensor_factory.h"
#include "gen/calls/dequantize.h"
#include "gen/calls/empty.h"
#include "gen/calls/empty_like.h"
#include "gen/calls/empty_strided.h"
#include "gen/calls/resize.h"
#include "gen/ops/copy_native.h"
#include "ops/layouts/math_bits.h"
#include "ops/layouts/quantized.h"
#include "ops/layouts/sparse.h"
#include "ops/structured/device_kernels.h"
#include "ops/structured/elementwise.h"
#include "ops/structured/fill.h"
#include "ops/structured/pinned.h"
#include "ops/structured/resize.h"

namespace tsc::native {
namespace {

bool keeps_strides(const Tensor& self, std::optional<MemoryFormat> format) {
  return format.value_or(MemoryFormat::Preserve) == MemoryFormat::Preserve &&
         self.is_non_overlapping_and_dense();
}

// Whether `to` would return the tensor itself.
bool is_already(const Tensor& self, std::optional<ScalarType> dtype, std::optional<Device> device,
                bool copy, std::optional<MemoryFormat> format) {
  return !copy && dtype.value_or(self.dtype()) == self.dtype() &&
         resolve_device(device.value_or(self.device())) == self.device() &&
         (format.value_or(MemoryFormat::Preserve) == MemoryFormat::Preserve ||
          *format == self.suggest_memory_format());
}

Tensor converted(const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout> layout,
                 std::optional<Device> device, bool non_blocking, bool copy,
                 std::optional<MemoryFormat> format) {
  if (is_already(self, dtype, device, copy, format)) {
    return self;
  }
  return tsc::_to_copy(self, TensorOptions(dtype, layout, device), non_blocking, format);
}

constexpr DispatchKeySet kCopiedApart =
    DispatchKeySet(Functionality::ZeroTensor) | DispatchKeySet(Functionality::Quantized);

// From zeros without memory, or where one of the two is quantized.
const Tensor& copy_apart(const Tensor& self, const Tensor& src) {
  if (src.is_zero_tensor()) {
    return native::zero_(self);
  }
  copy_quantized(self, src);
  return self;
}

// Whether both are views of the same elements in the same way. Then there is nothing to copy, also
// where several of them share memory.
bool shows_same(const Tensor& a, const Tensor& b) {
  return a.shares_storage_with(b) && a.storage_offset() == b.storage_offset() &&
         a.dtype() == b.dtype() && a.sizes() == b.sizes() && a.strides() == b.strides() &&
         a.is_conj() == b.is_conj() && a.is_neg() == b.is_neg();
}

void copy_between_devices(const Tensor& self, const Tensor& src, bool non_blocking) {
  const DeviceType device = self.is_cpu() ? src.device().type : self.device().type;
  device_kernels(device).copy_between(self, src, non_blocking);
  settle_math_bits(self, src);
}

}  // namespace

const Tensor& copy_(const Tensor& self, const Tensor& src, bool non_blocking) {
  TSC_CHECK(!self.is_zero_tensor(),
            "ZeroTensors are immutable. Please materialize the tensor using `.clone()`, if you "
            "want a mutable zero tensor.");
  if (self.is_same(src)) {
    return self;
  }
  if (TSC_UNLIKELY((self.key_set() | src.key_set()).has_any(kCopiedApart))) {
    return copy_apart(self, src);
  }
  TSC_CHECK_NOT_IMPLEMENTED(!src.is_meta() || self.is_meta(),
                            "Cannot copy out of meta tensor; no data!");
  static bool has_warned = false;
  if (src.is_complex() && !self.is_complex() && !std::exchange(has_warned, true)) {
    warn("Casting complex values to real discards the imaginary part");
  }
  const bool conjugates = is_conjugate_of(self, src);
  if (!conjugates && copy_alike(self, src)) {
    settle_math_bits(self, src);
    return self;
  }
  if (shows_same(self, src)) {
    return self;
  }
  if (TSC_UNLIKELY(src.device() != self.device() && !self.is_meta())) {
    copy_between_devices(self, src, non_blocking);
    return self;
  }
  TensorIterator iterator(self);
  const Tensor& from = src.device() == self.device()
                           ? src
                           : iterator.keep(empty_tensor(src.sizes(), src.dtype(), self.device()));
  iterator.build({.resize_outputs = false}, {&from});
  if (iterator.is_meta()) {
    return self;
  }
  if (conjugates) {
    copy_conjugated(iterator);
    return self;
  }
  copy_elements(iterator);
  settle_math_bits(self, src);
  return self;
}

Tensor clone(const Tensor& self, std::optional<MemoryFormat> memory_format) {
  const Tensor copy = keeps_strides(self, memory_format)
                          ? empty_strided(self.sizes(), self.strides(), self.options())
                          : empty_like(self, {}, memory_format);
  // A result begins with version 0.
  const AutoDispatchBelowADInplaceOrView guard;
  return tsc::copy_(copy, self);
}

Tensor contiguous(const Tensor& self, MemoryFormat memory_format) {
  if (self.is_contiguous(memory_format)) {
    return self;
  }
  TSC_CHECK(memory_format != MemoryFormat::Preserve,
            "preserve memory format is unsupported by the contiguous operator");
  TSC_CHECK(!self.is_sparse(), "unsupported memory format option Contiguous");
  return tsc::clone(self, memory_format);
}

Tensor _to_copy(const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout>,
                std::optional<Device> device, std::optional<bool>, bool non_blocking,
                std::optional<MemoryFormat> memory_format) {
  const TensorOptions options(dtype.value_or(self.dtype()), self.layout(),
                              device.value_or(self.device()));
  if (TSC_UNLIKELY(self.is_sparse())) {
    return convert_sparse(self, options);
  }
  if (TSC_UNLIKELY(self.is_quantized())) {
    check_quantized_result(options.dtype());
  }
  const bool keeps_format =
      memory_format.value_or(MemoryFormat::Preserve) == MemoryFormat::Preserve;
  const Tensor copy = keeps_strides(self, memory_format)
                          ? empty_strided(self.sizes(), self.strides(), options)
                      : keeps_format ? empty_like(self, options, memory_format)
                                     : empty(self.sizes(), options, memory_format);
  const AutoDispatchBelowADInplaceOrView guard;
  return tsc::copy_(copy, self, non_blocking);
}

Tensor to_dtype_layout(const Tensor& self, std::optional<ScalarType> dtype,
                       std::optional<Layout> layout, std::optional<Device> device,
                       std::optional<bool>, bool non_blocking, bool copy,
                       std::optional<MemoryFormat> memory_format) {
  TSC_CHECK(!layout.has_value() || *layout == self.layout(),
            "to(options) doesn't support converting to a different layout, but got self.layout "
            "being {} and options.layout set as {}",
            to_string(self.layout()), to_string(layout.value_or(self.layout())));
  return converted(self, dtype, layout, device, non_blocking, copy, memory_format);
}
Tensor to_device(const Tensor& self, Device device, ScalarType dtype, bool non_blocking, bool copy,
                 std::optional<MemoryFormat> memory_format) {
  return converted(self, dtype, std::nullopt, device, non_blocking, copy, memory_format);
}
Tensor to_dtype(const Tensor& self, ScalarType dtype, bool non_blocking, bool copy,
                std::optional<MemoryFormat> memory_format) {
  return converted(self, dtype, std::nullopt, std::nullopt, non_blocking, copy, memory_format);
}
Tensor to_other(const Tensor& self, const Tensor& other, bool non_blocking, bool copy,
                std::optional<MemoryFormat> memory_format) {
  return converted(self, other.dtype(), std::nullopt, other.device(), non_blocking, copy,
                   memory_format);
}
Tensor type_as(const Tensor& self, const Tensor& other) {
  return converted(self, other.dtype(), other.layout(), other.device(), false, false, std::nullopt);
}

const Tensor& fill__Scalar(const Tensor& self, const Scalar& value) {
  if (!self.is_meta()) {
    fill_elements(self, value);
  }
  return self;
}
const Tensor& fill__Tensor(const Tensor& self, const Tensor& value) {
  TSC_CHECK(value.dim() == 0,
            "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.",
            value.dim());
  if (!self.is_meta()) {
    fill_elements(self, read_element(value));
  }
  return self;
}
Tensor fill_Scalar(const Tensor& self, const Scalar& value) {
  return fill_(empty_like(self), value);
}
Tensor fill_Tensor(const Tensor& self, const Tensor& value) {
  return fill_(empty_like(self), value);
}
const Tensor& zero_(const Tensor& self) {
  if (!self.is_meta()) {
    zero_elements(self);
  }
  return self;
}

Scalar item(const Tensor& self) {
  TSC_CHECK(self.numel() == 1, "a Tensor with {} elements cannot be converted to Scalar",
            self.numel());
  if (self.is_sparse()) {
    return item_of_sparse(self);
  }
  return tsc::_local_scalar_dense(self.is_quantized() ? dequantize(self) : self);
}
Scalar _local_scalar_dense(const Tensor& self) {
  TSC_CHECK(!self.is_meta(), "Tensor.item() cannot be called on meta tensors");
  return read_element(self);
}
bool is_nonzero(const Tensor& self) {
  TSC_CHECK(self.numel() != 0, "Boolean value of Tensor with no values is ambiguous");
  TSC_CHECK(self.numel() == 1, "Boolean value of Tensor with more than one value is ambiguous");
  return tsc::item(self).to_bool();
}

const Tensor& resize_(const Tensor& self, IntArrayRef size, std::optional<MemoryFormat> format) {
  if (self.sizes() != size) {
    resize_in_place(self, size);
  }
  if (format.has_value()) {
    TSC_CHECK(*format != MemoryFormat::Preserve, "Unsupported memory formatPreserve");
    check_rank(*format, size.size());
    self.impl()->set_sizes_and_strides(self.sizes(), strides_in(*format, size));
  }
  return self;
}

const Tensor& resize_as_(const Tensor& self, const Tensor& the_template,
                         std::optional<MemoryFormat> format) {
  if (format == MemoryFormat::Preserve) {
    format = the_template.suggest_memory_format();
  }
  return tsc::resize_(self, the_template.sizes(), format);
}

bool is_floating_point(const Tensor& self) { return self.is_floating_point(); }
bool is_complex(const Tensor& self) { return self.is_complex(); }
bool is_set_to(const Tensor& self, const Tensor& tensor) {
  return self.shares_storage_with(tensor) && self.storage_offset() == tensor.storage_offset() &&
         self.sizes() == tensor.sizes() && self.strides() == tensor.strides();
}
bool is_same_size(const Tensor& self, const Tensor& other) { return self.sizes() == other.sizes(); }

bool is_pinned(const Tensor& self, std::optional<Device>) {
  CudaHooks* const hooks = cuda_hooks();
  return self.is_cpu() && self.layout() == Layout::Strided && hooks != nullptr &&
         hooks->is_pinned(self.data());
}
Tensor _pin_memory(const Tensor& self, std::optional<Device>) { return copy_to_pinned(self); }
Tensor pin_memory(const Tensor& self, std::optional<Device> device) {
  return tsc::is_pinned(self, device) ? self : tsc::_pin_memory(self, device);
}

}  // namespace tsc::native
