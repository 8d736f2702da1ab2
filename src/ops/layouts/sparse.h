// Shared by the kernels of sparse tensors.
#pragma once

#include "core/sparse_tensor_impl.h"
#include "core/tensor_options.h"

namespace tsc {

// A sparse tensor on the device of the values.
TSC_API Tensor make_sparse(IntArrayRef sizes, Tensor indices, Tensor values, bool is_coalesced);
// The same places with other values.
TSC_API Tensor with_values(const Tensor& sparse, Tensor values);
// Makes `to` a copy of `from`, in its own dtype.
TSC_API void assign_sparse(const Tensor& to, const Tensor& from);

// A copy of another dtype or device.
TSC_API Tensor convert_sparse(const Tensor& sparse, const TensorOptions& options);

// A copy without one dimension, at one index of it; dense where no sparse dimension is left.
TSC_API Tensor select_of_sparse(const Tensor& sparse, int64_t dim, int64_t index);

// The slices along a dimension, as copies.
TSC_API std::vector<Tensor> slices_of_sparse(const Tensor& sparse, int64_t dim);
// Of a tensor of one element.
TSC_API Scalar item_of_sparse(const Tensor& sparse);

// Each place as one number, in row-major order of the sparse dimensions; int64, one dimension.
TSC_API Tensor flat_places(const Tensor& sparse);
// `dense` with its sparse dimensions joined into one.
TSC_API Tensor with_joined_places(const Tensor& dense, const Tensor& sparse);
// The elements of a dense tensor at the places of `sparse`: a block each.
TSC_API Tensor values_at(const Tensor& dense, const Tensor& sparse);

// int64, of one dimension: an index for index_select and index_add.
TSC_API Tensor long_tensor(const std::vector<int64_t>& numbers);

}  // namespace tsc
