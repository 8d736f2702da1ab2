// Gradients, as scripts ask for them: torch.autograd.backward and torch.autograd.grad.
#pragma once

#include <optional>
#include <vector>

#include "autograd/node.h"
#include "core/tensor.h"

namespace tsc::autograd {

// Adds to the `.grad` of the leaves that `tensors` were made from, or of `inputs` only where given.
//
// `grads` has a gradient for each of `tensors`, undefined where it is one (the tensor has one
// element); it may be empty, for none at all. retain_graph is create_graph where not given.
TSC_API void backward(TensorList tensors, TensorList grads = {},
                      std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
                      std::optional<TensorList> inputs = std::nullopt);

// The gradients of `outputs` with respect to `inputs`. An input that `outputs` does not depend on
// is an error, unless allow_unused: then its gradient is undefined, or, with materialize_grads,
// zeros.
TSC_API std::vector<Tensor> grad(TensorList outputs, TensorList inputs,
                                 TensorList grad_outputs = {},
                                 std::optional<bool> retain_graph = std::nullopt,
                                 bool create_graph = false,
                                 std::optional<bool> allow_unused = std::nullopt,
                                 bool materialize_grads = false);

}  // namespace tsc::autograd
