// Longer formulas of autograd/random.yaml.
#pragma once

#include <optional>

#include "autograd/formulas/operators.h"
#include "gen/ops/factory.h"

namespace tsc::autograd {

// `mask` says which elements were kept. A dropout that does not train scales nothing.
Tensor dropout_backward(const Tensor& grad, const Tensor& mask, double p,
                        const std::optional<bool>& train);

}  // namespace tsc::autograd
