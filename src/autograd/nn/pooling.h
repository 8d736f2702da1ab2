// Longer formulas of autograd/nn/pooling.yaml.
#pragma once

#include "autograd/operators.h"

namespace tsc::autograd {

// The gradient of a gradient that was written to `indices`, places in the last `dims` dimensions:
// what `grad` has there.
Tensor max_pool_double_backward(const Tensor& grad, const Tensor& indices, int64_t dims);

}  // namespace tsc::autograd
