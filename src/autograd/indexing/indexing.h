// Longer formulas of autograd/indexing/indexing.yaml.
#pragma once

#include <array>
#include <tuple>

#include "autograd/operators.h"

namespace tsc::autograd {

// Zeros of `sizes`, with `grad` added at the places along `dim` that `index` (one dimension) has.
Tensor index_select_backward(const Tensor& grad, IntArrayRef sizes, int64_t dim,
                             const Tensor& index);
// The gradient of index_add's and index_copy's source, which has `sizes`.
Tensor index_source_backward(const Tensor& grad, IntArrayRef sizes, int64_t dim,
                             const Tensor& index);
// Each place in `index` counts once, however often it occurs there.
Tensor index_fill_value_backward(const Tensor& grad, int64_t dim, const Tensor& index);
Tensor masked_value_backward(const Tensor& grad, const Tensor& mask);
Tensor masked_select_backward(const Tensor& grad, const Tensor& self, const Tensor& mask);
// The gradient of masked_scatter's source: zeros for elements that were not used.
Tensor masked_scatter_gradient(const Tensor& grad, const Tensor& mask, IntArrayRef sizes);
Tensor put_backward(const Tensor& grad, const Tensor& index, IntArrayRef source_sizes,
                    bool accumulate);
Tensor take_backward(const Tensor& grad, const Tensor& self, const Tensor& index);
Tensor gather_backward(const Tensor& grad, IntArrayRef sizes, int64_t dim, const Tensor& index);
// Rows of `weight_sizes`, each the sum of the gradients at its indices (their mean where
// `scale_by_frequency`), without those at the padding index.
Tensor embedding_gradient(const Tensor& grad, const Tensor& indices, IntArrayRef weight_sizes,
                          int64_t padding_index, bool scale_by_frequency);
// The gradients of scatter_reduce's self and src, and of index_reduce's.
std::tuple<Tensor, Tensor> scatter_reduce_backward(const Tensor& grad, const Tensor& self,
                                                   int64_t dim, const Tensor& index,
                                                   const Tensor& src, std::string_view reduce,
                                                   bool include_self, const Tensor& result,
                                                   const std::array<bool, 2>& mask);
std::tuple<Tensor, Tensor> index_reduce_backward(const Tensor& grad, const Tensor& self,
                                                 int64_t dim, const Tensor& index,
                                                 const Tensor& source, std::string_view reduce,
                                                 bool include_self, const Tensor& result,
                                                 const std::array<bool, 2>& mask);

}  // namespace tsc::autograd
