#include "ops/fill.h"

#include <cstring>

#include "core/dispatch_types.h"
#include "core/parallel.h"
#include "core/tensor_factory.h"
#include "ops/elementwise.h"

namespace tsc {

Tensor element_tensor(const Scalar& value, ScalarType dtype) {
  Tensor tensor = empty_tensor({}, dtype);
  dispatch_all_types(dtype, "fill_out", [&]<class T>() { *tensor.data_ptr<T>() = value.to<T>(); });
  return tensor;
}

void fill_elements(const Tensor& tensor, const Scalar& value) {
  const Tensor element = element_tensor(value, tensor.dtype());
  if (tensor.is_meta()) {
    return;
  }
  TensorIterator iterator(tensor);
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
  auto* bytes = static_cast<char*>(tensor.data());
  parallel_for(0, static_cast<int64_t>(tensor.nbytes()), 4 * kParallelGrain,
               [&](int64_t begin, int64_t end) {
                 std::memset(bytes + begin, 0, static_cast<size_t>(end - begin));
               });
}

void copy_elements(const Tensor& to, const Tensor& from) {
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
