// Kernels that work along one dimension: every line of it, wherever it lies.
#pragma once

#include "core/parallel.h"
#include "core/small_vector.h"
#include "core/tensor.h"

namespace tsc {

// Sizes and strides (in elements) along a dimension; a tensor of no dimensions is one line of one
// element.
inline int64_t line_length(const Tensor& tensor, int64_t dim) {
  return tensor.dim() == 0 ? 1 : tensor.sizes()[static_cast<size_t>(dim)];
}
inline int64_t line_stride(const Tensor& tensor, int64_t dim) {
  return tensor.dim() == 0 ? 1 : tensor.strides()[static_cast<size_t>(dim)];
}

// Calls f(offsets) for each line along `dim`, offsets[i] being where the line begins in the i-th
// tensor, in elements. The tensors have the same sizes, but for `dim`. On several threads where
// there are enough lines; f does not throw.
template <size_t N, class F>
void for_each_line(const std::array<const Tensor*, N>& tensors, int64_t dim, F f) {
  const Tensor& shape = *tensors[0];
  DimVector sizes;
  std::array<DimVector, N> strides;
  int64_t lines = 1;
  for (size_t d = 0; d < shape.sizes().size(); d++) {
    if (static_cast<int64_t>(d) == dim) {
      continue;
    }
    sizes.push_back(shape.sizes()[d]);
    lines *= shape.sizes()[d];
    for (size_t i = 0; i < N; i++) {
      strides[i].push_back(tensors[i]->strides()[d]);
    }
  }
  const int64_t length = std::max<int64_t>(line_length(shape, dim), 1);
  parallel_for(0, lines, std::max<int64_t>(kParallelGrain / length, 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t line = begin; line < end; line++) {
                   std::array<int64_t, N> offsets{};
                   int64_t rest = line;
                   for (size_t d = sizes.size(); d-- > 0;) {
                     const int64_t at = rest % sizes[d];
                     rest /= sizes[d];
                     for (size_t i = 0; i < N; i++) {
                       offsets[i] += at * strides[i][d];
                     }
                   }
                   f(offsets);
                 }
               });
}

}  // namespace tsc
