// The result of numpy.load: memory with a shape and a dtype, for torch.from_numpy.
#pragma once

#include "core/tensor.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kNdarrayType;

IValue make_ndarray(Tensor tensor);
// The memory as a tensor; undefined where the value is no array.
Tensor tensor_of_ndarray(const IValue& value);

}  // namespace tsc::interp
