// Shared by operators whose index selects places along one dimension.
#pragma once

#include "core/tensor.h"
#include "ops/cpu/indexing/indexing.h"

namespace tsc {

// RuntimeError where the index, or the source, does not fit.
void check_scatter(const Tensor& self, int64_t dim, const Tensor& index, OptionalTensorRef src);

// Moves elements between `values`, which has at least the index's sizes, and the places along `dim`
// of `indexed` that the index gives.
void move_elements(cpu::IndexAction action, const Tensor& indexed, int64_t dim, const Tensor& index,
                   const Tensor& values);

}  // namespace tsc
