// Functions of the formulas in autograd/layouts/sparse.yaml.
#pragma once

#include "autograd/operators.h"
#include "core/array_ref.h"
#include "gen/ops/sparse.h"

namespace tsc::autograd {

// The part of a gradient, dense or sparse, at the places of `sparse`: a sparse tensor.
Tensor grad_at_places(const Tensor& grad, const Tensor& sparse);
// The values of that part only, one for each value that `sparse` was made from.
Tensor values_at_places(const Tensor& grad, const Tensor& sparse);
// The gradient of a sparse tensor from the gradient of its values.
Tensor values_backward(const Tensor& grad, const Tensor& self);
// The gradient, in the layout of `self`.
Tensor grad_of_masked(const Tensor& grad, const Tensor& self);
// The gradient of a sparse factor, at its places only.
Tensor sparse_product_backward(const Tensor& grad, const Tensor& mat1, const Tensor& mat2);
Tensor sum_backward_at_places(const Tensor& grad, const Tensor& self, IntArrayRef dim);

}  // namespace tsc::autograd
