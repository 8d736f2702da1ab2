// Tensors from Python values.
#pragma once

#include "core/tensor.h"
#include "dispatch/ivalue.h"

namespace tsc::interp {

// torch.tensor(data): a number or nested lists and tuples of numbers or of 0-dim tensors; a tensor
// is copied. With Undefined the dtype is inferred: bool, int64, the default dtype or its complex
// relative; `as_indices` makes an empty list int64. ValueError for ragged lists, TypeError for
// other values.
IValue make_tensor(const IValue& data, ScalarType dtype, Device device, bool as_indices);
// The same for a script that asks for a tensor: columns see it, by a call of lift_fresh.
IValue make_lifted_tensor(const IValue& data, ScalarType dtype, Device device);

// x.tolist(): nested lists of Python numbers, or one number.
IValue tensor_to_list(const Tensor& tensor);

}  // namespace tsc::interp
