// Sparse tensors put together and taken apart.
#pragma once

#include "core/tensor.h"

namespace tsc::sparse {

// The places of all, one tensor after the other. Along a dense dimension values are as long as the
// result's, with zeros around their own.
Tensor cat(TensorList tensors, int64_t dim);
// For each index its places, in their own order.
Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index);
std::vector<Tensor> unbind(const Tensor& self, int64_t dim);
// RuntimeError: there is no stride to be 0.
Tensor expand(const Tensor& self, IntArrayRef size, bool implicit);

}  // namespace tsc::sparse
