// Factories below the dispatcher, by which kernels and meta functions make their results.
#pragma once

#include "core/scalar.h"
#include "core/tensor.h"

namespace tsc {

// Uninitialised, contiguous. RuntimeError for a negative size.
TSC_API Tensor empty_tensor(IntArrayRef sizes, ScalarType dtype, Device device = DeviceType::CPU);
TSC_API Tensor empty_strided_tensor(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype,
                                    Device device = DeviceType::CPU);
// Another view of the same storage; no autograd record.
TSC_API Tensor view_tensor(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                           int64_t storage_offset);
// A contiguous tensor on memory owned elsewhere; `release` runs when the last tensor on it goes.
TSC_API Tensor from_blob(void* data, IntArrayRef sizes, ScalarType dtype,
                         std::function<void()> release);
// A tensor of no dimensions that holds `value`, of the scalar's own type (bool, int64, float64,
// complex128).
TSC_API Tensor number_tensor(const Scalar& value);
// The same, marked as a number: it promotes by its category only.
TSC_API Tensor wrapped_number_tensor(const Scalar& value);
// The only element of a CPU tensor of any dtype. The caller has checked that there is exactly one.
TSC_API Scalar read_scalar(const Tensor& tensor);

}  // namespace tsc
