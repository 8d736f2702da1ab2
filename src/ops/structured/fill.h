// Filling and copying below the dispatcher, for kernels.
#pragma once

#include "core/scalar.h"
#include "core/tensor.h"

namespace tsc {

// Whether the elements are in the memory of a device, which the host does not touch.
inline bool is_on_device(const Tensor& tensor) { return !tensor.is_cpu() && !tensor.is_meta(); }
// A CPU tensor of no dimensions. RuntimeError where the dtype does not hold the value.
TSC_API Tensor element_tensor(const Scalar& value, ScalarType dtype);
// The same on a device.
TSC_API Tensor element_on(Device device, const Scalar& value, ScalarType dtype);
// The first element, from any device. RuntimeError where there is none.
TSC_API Scalar read_element(const Tensor& tensor);
// Every element becomes `value`. RuntimeError where the dtype does not hold it. Nothing on Meta.
TSC_API void fill_elements(const Tensor& tensor, const Scalar& value);
TSC_API void zero_elements(const Tensor& tensor);
// Copies the elements of `from`, converted to the dtype of `to`, and broadcast to its sizes; also from
// another device.
TSC_API void copy_elements(const Tensor& to, const Tensor& from);
// The same for two short tensors of equal layout that do not share memory; false for any others.
TSC_API bool copy_alike(const Tensor& to, const Tensor& from);
// The options of a tensor of int64 beside `like`, on its device.
inline TensorOptions longs_beside(const Tensor& like) {
  return TensorOptions(ScalarType::Long, {}, like.device());
}
// A contiguous copy in the given dtype; the tensor itself where it is that already.
TSC_API Tensor contiguous_as(const Tensor& tensor, ScalarType dtype);

}  // namespace tsc
