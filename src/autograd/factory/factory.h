// Longer formulas of autograd/factory/factory.yaml.
#pragma once

#include <tuple>

#include "autograd/operators.h"

namespace tsc::autograd {

std::tuple<Tensor, Tensor> polar_backward(const Tensor& grad, const Tensor& result);

}  // namespace tsc::autograd
