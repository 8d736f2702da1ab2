// Tensors put together, for formulas.
#pragma once

#include "core/tensor.h"

namespace tsc::autograd {

// Behind one another along `dim`.
Tensor joined(TensorList tensors, int64_t dim);
// Behind one another along a new dimension.
Tensor stacked(TensorList tensors, int64_t dim);
// The elements along `dim` in the other direction.
Tensor reversed(const Tensor& tensor, int64_t dim);

}  // namespace tsc::autograd
