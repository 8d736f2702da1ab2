// The C++ names of element types, as PyTorch's messages have them.
#pragma once

#include "core/tensor.h"

namespace tsc {

// "float", "long int", "c10::complex<float>".
TSC_API std::string_view cpp_type_name(ScalarType type);

// RuntimeError unless a given output has just this dtype.
TSC_API void check_out_dtype(ScalarType dtype, const Tensor& out);

// RuntimeError unless the dtype of an operand is the one that all have.
TSC_API void check_found_dtype(ScalarType found, ScalarType expected);

// "torch.FloatTensor", "CPUBoolType", "MetaFloatType": Tensor's type before there were dtypes.
TSC_API std::string legacy_type_name(const Tensor& tensor);

}  // namespace tsc
