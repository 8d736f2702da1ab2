// Shared by the kernels of quantized tensors.
#pragma once

#include "core/quantized_tensor_impl.h"

namespace tsc {

// Uninitialised, contiguous.
TSC_API Tensor empty_quantized_tensor(IntArrayRef sizes, ScalarType dtype, double scale,
                                      int64_t zero_point);
// The same of other sizes, with the scale and zero point of `like`.
TSC_API Tensor empty_quantized_like(const Tensor& like, IntArrayRef sizes);
// Tensors of other integers, or other floats, with the scale and zero point of `like`.
TSC_API Tensor with_integers(const Tensor& like, const Tensor& integers);
TSC_API Tensor with_floats(const Tensor& like, const Tensor& floats);
// RuntimeError where `dtype`, requested for a factory like a quantized tensor, is not possible for
// it.
TSC_API void check_quantized_result(ScalarType dtype);
// The integers, over the same memory. NotImplementedError for a tensor that is not quantized.
TSC_API Tensor stored_integers(const Tensor& quantized);
// Copies where one of the two is quantized.
TSC_API void copy_quantized(const Tensor& to, const Tensor& from);

}  // namespace tsc
