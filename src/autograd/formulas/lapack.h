// Longer formulas of autograd/lapack.yaml. Of the gradients of several results, those of results
// that were not used are undefined.
#pragma once

#include "autograd/formulas/operators.h"

namespace tsc::autograd {

Tensor svd_backward(const Tensor& grad_u, const Tensor& grad_s, const Tensor& grad_vh,
                    const Tensor& u, const Tensor& s, const Tensor& vh);

}  // namespace tsc::autograd
