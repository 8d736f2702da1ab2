// Tensor methods that are not operators: those that PyTorch implements in its Python binding.
#pragma once

#include <span>

#include "core/tensor.h"
#include "interp/runtime/objects/builtin.h"

namespace tsc::interp {

inline constexpr size_t kTensorMethodCount = 58;
// Sorted by name.
extern const BuiltinDef kTensorMethodTable[kTensorMethodCount];

// x.size(dim) and x.shape: ints, but tensors of the graph in a function that is traced, so that the
// graph holds for other sizes.
IValue size_of_tensor(const Tensor& tensor, int64_t dim);
IValue sizes_of_tensor(const Tensor& tensor);

// x.data = value: x shows value's memory from now on.
void assign_data(const Tensor& tensor, const Tensor& value);

}  // namespace tsc::interp
