// What the formulas of autograd/sparse.yaml use.
#pragma once

#include "autograd/formulas/operators.h"
#include "core/array_ref.h"
#include "gen/ops/linalg.h"
#include "gen/ops/sparse.h"
#include "gen/ops/view.h"

namespace tsc::autograd {

// The part of a gradient, dense or sparse, at the places of `sparse`: a sparse tensor.
Tensor grad_at_places(const Tensor& grad, const Tensor& sparse);
// The same, its values only: of those that `sparse` was made of.
Tensor values_at_places(const Tensor& grad, const Tensor& sparse);
// A gradient of the values, as one of the tensor.
Tensor values_backward(const Tensor& grad, const Tensor& self);
// In the layout of `self`.
Tensor grad_of_masked(const Tensor& grad, const Tensor& self);
// Of a sparse factor: at its places only.
Tensor sparse_product_backward(const Tensor& grad, const Tensor& mat1, const Tensor& mat2);
Tensor sum_backward_at_places(const Tensor& grad, const Tensor& self, IntArrayRef dim);

}  // namespace tsc::autograd
