// Makes a gradient match its tensor before it goes into a node: the same sizes, dtype and device.
#pragma once

#include "autograd/node.h"

namespace tsc::autograd {

// Sums over the dimensions in which `tensor` was broadcast from `sizes`; the result has `sizes`.
TSC_API Tensor sum_to(const Tensor& tensor, IntArrayRef sizes);

// Makes `grad`, the i-th result of `node`, match the tensor behind `edge`: sums broadcast
// dimensions, converts the dtype. RuntimeError where it cannot fit.
void complete_gradient(const Node& node, size_t i, const Edge& edge, Tensor& grad);
// The same for the i-th gradient that a run starts with.
void complete_root_gradient(size_t i, const Edge& edge, Tensor& grad);

}  // namespace tsc::autograd
