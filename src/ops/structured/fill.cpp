#include "ops/structured/fill.h"

#include <cstring>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "ops/cpu/kernels.h"
#include "ops/structured/device_kernels.h"
#include "ops/structured/elementwise.h"

namespace tsc {

namespace {

void write_element(const Scalar& value, ScalarType dtype, void* to) {
  dispatch_all_types(dtype, "fill_out", [&]<class T>() { *static_cast<T*>(to) = value.to<T>(); });
}

void fill_dense(const Tensor& tensor, const char* element) {
  const auto size = static_cast<int64_t>(tensor.itemsize());
  auto* const to = static_cast<char*>(tensor.data());
  const cpu::CopyLoop fill(tensor.dtype(), tensor.dtype());
  const auto run = [&](int64_t begin, int64_t end) {
    char* data[] = {to + begin * size, const_cast<char*>(element)};
    const int64_t strides[] = {size, 0, 0, 0};
    fill(data, strides, end - begin, 1);
  };
  if (tensor.numel() <= kParallelGrain) {
    run(0, tensor.numel());
  } else {
    parallel_for(0, tensor.numel(), kParallelGrain, run);
    throw_if_interrupted();
  }
}

}  // namespace

Tensor element_tensor(const Scalar& value, ScalarType dtype) {
  Tensor tensor = empty_tensor({}, dtype);
  write_element(value, dtype, tensor.data());
  return tensor;
}

Tensor element_on(Device device, const Scalar& value, ScalarType dtype) {
  if (device.is_cpu()) {
    return element_tensor(value, dtype);
  }
  Tensor tensor = empty_tensor({}, dtype, device);
  fill_elements(tensor, value);
  return tensor;
}

Scalar read_element(const Tensor& tensor) {
  if (TSC_LIKELY(tensor.is_cpu()) || tensor.numel() == 0) {
    return read_scalar(tensor);
  }
  const Tensor element = empty_tensor({}, tensor.dtype());
  device_kernels(tensor.device().type).read(tensor, element.data());
  return read_scalar(element);
}

void fill_elements(const Tensor& tensor, const Scalar& value) {
  if (tensor.is_meta() || (tensor.is_cpu() && tensor.is_non_overlapping_and_dense())) {
    alignas(16) char bytes[16];
    write_element(value, tensor.dtype(), bytes);
    if (!tensor.is_meta()) {
      fill_dense(tensor, bytes);
    }
    return;
  }
  const Tensor element = element_tensor(value, tensor.dtype());
  TensorIterator iterator;
  iterator.take_outputs(tensor.device().type, tensor);  // the number may be on another device
  iterator.build({.check_memory_overlap = false, .resize_outputs = false}, {&element});
  copy_elements(iterator);
}

void zero_elements(const Tensor& tensor) {
  if (tensor.is_meta() || tensor.numel() == 0) {
    return;
  }
  if (!tensor.is_non_overlapping_and_dense()) {
    fill_elements(tensor, 0);
    return;
  }
  if (!tensor.is_cpu()) {
    device_kernels(tensor.device().type).zero(tensor);
    return;
  }
  auto* bytes = static_cast<char*>(tensor.data());
  parallel_for(0, static_cast<int64_t>(tensor.nbytes()), 4 * kParallelGrain,
               [&](int64_t begin, int64_t end) {
                 std::memset(bytes + begin, 0, static_cast<size_t>(end - begin));
               });
}

bool copy_alike(const Tensor& to, const Tensor& from) {
  if (to.numel() > kParallelGrain || !to.is_cpu() || !from.is_cpu() || to.sizes() != from.sizes() ||
      to.strides() != from.strides() || !to.is_non_overlapping_and_dense() ||
      to.shares_storage_with(from)) {
    return false;
  }
  char* const data[] = {static_cast<char*>(to.data()), static_cast<char*>(from.data())};
  const int64_t strides[] = {static_cast<int64_t>(to.itemsize()),
                             static_cast<int64_t>(from.itemsize()), 0, 0};
  cpu::CopyLoop(to.dtype(), from.dtype())(data, strides, to.numel(), 1);
  return true;
}

void copy_elements(const Tensor& to, const Tensor& from) {
  if (copy_alike(to, from)) {
    return;
  }
  if (TSC_UNLIKELY(to.device() != from.device())) {
    device_kernels((to.is_cpu() ? from : to).device().type).copy_between(to, from, false);
    return;
  }
  TensorIterator iterator(to);
  iterator.build({.check_memory_overlap = false, .resize_outputs = false}, {&from});
  copy_elements(iterator);
}

Tensor contiguous_as(const Tensor& tensor, ScalarType dtype) {
  if (tensor.dtype() == dtype && tensor.is_contiguous()) {
    return tensor;
  }
  Tensor copy = empty_tensor(tensor.sizes(), dtype, tensor.device());
  if (!tensor.is_meta()) {
    copy_elements(copy, tensor);
  }
  return copy;
}

}  // namespace tsc
