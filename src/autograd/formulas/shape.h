// Longer formulas of autograd/shape.yaml.
#pragma once

#include <vector>

#include "autograd/formulas/operators.h"
#include "core/small_vector.h"
#include "gen/ops/view.h"

namespace tsc::autograd {

std::vector<Tensor> cat_backward(const Tensor& grad, const std::vector<DimVector>& sizes,
                                 const std::vector<ScalarType>& dtypes, int64_t dim);
std::vector<Tensor> stack_backward(const Tensor& grad, const std::vector<ScalarType>& dtypes,
                                   int64_t dim);
Tensor roll_backward(const Tensor& grad, IntArrayRef shifts, IntArrayRef dims);
Tensor repeat_backward(const Tensor& grad, IntArrayRef repeats, IntArrayRef sizes);
// Cuts off what was padded, and pads what was cut off.
Tensor constant_pad_backward(const Tensor& grad, IntArrayRef pad);

}  // namespace tsc::autograd
