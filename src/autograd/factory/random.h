// Longer formulas of autograd/factory/random.yaml.
#pragma once

#include <optional>

#include "autograd/operators.h"

namespace tsc::autograd {

// `mask` has 1 for the elements that were kept. Outside of training dropout does not scale.
Tensor dropout_backward(const Tensor& grad, const Tensor& mask, double p,
                        const std::optional<bool>& train);

}  // namespace tsc::autograd
