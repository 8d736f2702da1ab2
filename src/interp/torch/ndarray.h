// What numpy.load gives: memory with a shape and a dtype, that torch.from_numpy makes a tensor of.
#pragma once

#include "core/tensor.h"
#include "interp/runtime/type.h"

namespace tsc::interp {

extern const Type kNdarrayType;

IValue make_ndarray(Tensor tensor);
// The memory as a tensor; undefined where the value is no array.
Tensor tensor_of_ndarray(const IValue& value);

}  // namespace tsc::interp
