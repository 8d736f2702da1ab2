// Gradients against finite differences, in float64 and complex128.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace tsc::testing {

// A function of tensors that require grad; it may return several.
using Differentiable = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// Empty where the gradients of `function` at `inputs` are those of central differences, and, if
// `order` is 2, their gradients too; else what differs.
std::string gradcheck(const Differentiable& function, const std::vector<Tensor>& inputs,
                      int order = 2);

// Leaves that require grad: values spread over [low, high] in a fixed, irregular order.
Tensor leaf(IntArrayRef sizes, double low = -2, double high = 2,
            ScalarType dtype = ScalarType::Double);
// The same that require none.
Tensor values(IntArrayRef sizes, double low = -2, double high = 2,
              ScalarType dtype = ScalarType::Double);
Tensor integers(std::initializer_list<int64_t> numbers);

}  // namespace tsc::testing
