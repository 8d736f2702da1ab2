// Longer formulas of autograd/reduce/scan.yaml.
#pragma once

#include "autograd/reduce/reduce.h"

namespace tsc::autograd {

Tensor cumsum_backward(const Tensor& grad, int64_t dim);
Tensor cumprod_backward(const Tensor& grad, const Tensor& self, int64_t dim, const Tensor& result);
Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                             int64_t dim);

}  // namespace tsc::autograd
