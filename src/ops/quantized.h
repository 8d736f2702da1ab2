// Quantized tensors: what their kernels share.
#pragma once

#include "core/quantized_tensor_impl.h"
#include "dispatch/static_operator.h"

namespace tsc {

// Uninitialised, contiguous.
TSC_API Tensor empty_quantized_tensor(IntArrayRef sizes, ScalarType dtype, double scale,
                                      int64_t zero_point);
// RuntimeError where `dtype`, asked of a quantized tensor's relative, is none that it can have.
TSC_API void check_quantized_result(ScalarType dtype);
// The integers, over the same memory. NotImplementedError for a tensor that is not quantized.
TSC_API Tensor stored_integers(const Tensor& quantized);
// Where one of the two is quantized.
TSC_API void copy_quantized(const Tensor& to, const Tensor& from);

// The kernels of operators for dense tensors.
ArrayRef<ColumnKernel> quantized_cpu_kernels();

}  // namespace tsc
