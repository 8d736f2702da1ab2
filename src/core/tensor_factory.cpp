#include "core/tensor_factory.h"

#include "core/device_guard.h"
#include "core/keys/compute_key_set.h"

namespace tsc {

namespace {

// Valid sizes without a 0 cost no call.
TSC_ALWAYS_INLINE size_t contiguous_bytes(IntArrayRef sizes, size_t itemsize) {
  auto bytes = static_cast<int64_t>(itemsize);
  bool is_sound = true;
  for (const int64_t size : sizes) {
    is_sound &= size >= 0 && !__builtin_mul_overflow(bytes, size, &bytes);
  }
  return TSC_LIKELY(is_sound && bytes != 0) ? static_cast<size_t>(bytes)
                                            : computed_storage_bytes(sizes, itemsize);
}

// The cost of most small operators' results is in here, so it is inlined: no call to
// make_intrusive().
TSC_ALWAYS_INLINE Tensor empty_on(Device device, IntArrayRef sizes, ScalarType dtype) {
  const size_t bytes = contiguous_bytes(sizes, element_size(dtype));
  const DispatchKeySet keys = compute_key_set(device, Layout::Strided, dtype);
  auto storage = Storage::adopt(new StorageImpl(bytes, device));
  auto* impl = new TensorImpl(std::move(storage), keys, dtype, device, Layout::Strided);
  impl->set_sizes_contiguous(sizes);
  return Tensor(intrusive_ptr<TensorImpl>::adopt(impl));
}

TSC_NOINLINE Tensor empty_on_resolved(Device device, IntArrayRef sizes, ScalarType dtype) {
  return empty_on(resolve_device(device), sizes, dtype);
}

}  // namespace

Tensor empty_tensor(IntArrayRef sizes, ScalarType dtype, Device device) {
  constexpr Device kCpu;
  return TSC_LIKELY(device == kCpu) ? empty_on(kCpu, sizes, dtype)
                                    : empty_on_resolved(device, sizes, dtype);
}

Tensor empty_strided_tensor(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype,
                            Device asked) {
  const Device device = asked.is_cpu() ? asked : resolve_device(asked);
  const size_t bytes = computed_storage_bytes(sizes, strides, element_size(dtype));
  auto impl = make_intrusive<TensorImpl>(make_intrusive<StorageImpl>(bytes, device), dtype, device);
  impl->set_sizes_and_strides(sizes, strides);
  return Tensor(std::move(impl));
}

Tensor view_tensor(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                   int64_t storage_offset) {
  auto impl = self.impl()->share();
  if (TSC_UNLIKELY(impl->layout() != Layout::Strided)) {
    TSC_CHECK_NOT_IMPLEMENTED(sizes == self.sizes(),
                              "Could not run 'aten::as_strided' with arguments from the '{}' "
                              "backend. A tensor of layout {} has no strided views.",
                              (self.key_set() & kAfterADInplaceOrView).highest_key(),
                              to_string(self.layout()));
    return Tensor(std::move(impl));
  }
  impl->set_sizes_and_strides(sizes, strides);
  impl->set_storage_offset(storage_offset);
  impl->share_version(*self.impl());
  return Tensor(std::move(impl));
}

Tensor from_blob(void* data, IntArrayRef sizes, ScalarType dtype, std::function<void()> release) {
  const size_t bytes = computed_storage_bytes(sizes, element_size(dtype));
  auto storage =
      make_intrusive<StorageImpl>(data, bytes, Device(DeviceType::CPU), std::move(release));
  auto impl = make_intrusive<TensorImpl>(std::move(storage), dtype, Device(DeviceType::CPU));
  impl->set_sizes_contiguous(sizes);
  return Tensor(std::move(impl));
}

Tensor number_tensor(const Scalar& value) {
  Tensor tensor = empty_tensor({}, value.type());
  if (value.is_complex()) {
    *tensor.data_ptr<std::complex<double>>() = value.to_complex();
  } else if (value.is_double()) {
    *tensor.data_ptr<double>() = value.to_double();
  } else if (value.is_bool()) {
    *tensor.data_ptr<bool>() = value.to_bool();
  } else {
    *tensor.data_ptr<int64_t>() = value.to_int();
  }
  return tensor;
}

Tensor wrapped_number_tensor(const Scalar& value) {
  Tensor tensor = number_tensor(value);
  tensor.impl()->set_wrapped_number(true);
  return tensor;
}

Scalar read_scalar(const Tensor& tensor) {
  TSC_CHECK(tensor.numel() > 0, "_local_scalar_dense: Empty tensor not supported");
  switch (tensor.dtype()) {
#define TSC_CASE(cpp_type, name, python_name, short_name, number) \
  case ScalarType::name: return Scalar(*tensor.data_ptr<cpp_type>());
    TSC_FORALL_SCALAR_TYPES(TSC_CASE)
#undef TSC_CASE
    case ScalarType::QInt8:
    case ScalarType::QUInt8:
    case ScalarType::QInt32:
    case ScalarType::Undefined: break;
  }
  throw_error(ErrorKind::RuntimeError, "the tensor has no dtype");
}

}  // namespace tsc
