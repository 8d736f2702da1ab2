// Longer formulas of autograd/matrix/matmul.yaml.
#pragma once

#include "autograd/operators.h"

namespace tsc::autograd {

// The last two dimensions swapped.
Tensor turned(const Tensor& tensor);
// alpha * (left @ right) with respect to left (of `sizes` and `strides`) and right.
Tensor mm_left_backward(const Tensor& grad, const Tensor& right, IntArrayRef sizes,
                        IntArrayRef strides, const Scalar& alpha);
Tensor mm_right_backward(const Tensor& grad, const Tensor& left, IntArrayRef sizes,
                         IntArrayRef strides, const Scalar& alpha);

}  // namespace tsc::autograd
