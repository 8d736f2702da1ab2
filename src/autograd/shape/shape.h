// Longer formulas of autograd/shape/shape.yaml.
#pragma once

#include <vector>

#include "autograd/operators.h"
#include "core/small_vector.h"

namespace tsc::autograd {

std::vector<Tensor> cat_backward(const Tensor& grad, const std::vector<DimVector>& sizes,
                                 const std::vector<ScalarType>& dtypes, int64_t dim);
std::vector<Tensor> stack_backward(const Tensor& grad, const std::vector<ScalarType>& dtypes,
                                   int64_t dim);
std::vector<Tensor> block_diag_backward(const Tensor& grad, const std::vector<DimVector>& sizes,
                                        const std::vector<ScalarType>& dtypes);
Tensor roll_backward(const Tensor& grad, IntArrayRef shifts, IntArrayRef dims);
Tensor repeat_backward(const Tensor& grad, IntArrayRef repeats, IntArrayRef sizes);
// Drops the elements that were padded, and pads those that were cropped.
Tensor constant_pad_backward(const Tensor& grad, IntArrayRef pad);

}  // namespace tsc::autograd
