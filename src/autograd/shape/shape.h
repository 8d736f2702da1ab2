// Longer formulas of autograd/shape/shape.yaml.
#pragma once

#include <vector>

#include "autograd/operators.h"
#include "core/small_vector.h"

namespace tsc::autograd {

std::vector<Tensor> cat_backward(const Tensor& grad, const std::vector<DimVector>& sizes,
                                 const std::vector<ScalarType>& dtypes, int64_t dim);
std::vector<Tensor> stack_backward(const Tensor& grad, const std::vector<ScalarType>& dtypes,
                                   int64_t dim);
std::vector<Tensor> block_diag_backward(const Tensor& grad, const std::vector<DimVector>& sizes,
                                        const std::vector<ScalarType>& dtypes);
Tensor roll_backward(const Tensor& grad, IntArrayRef shifts, IntArrayRef dims);
Tensor repeat_backward(const Tensor& grad, IntArrayRef repeats, IntArrayRef sizes);
// Drops the elements that were padded, and pads those that were cropped.
Tensor constant_pad_backward(const Tensor& grad, IntArrayRef pad);

#define TSC_DECLARE_PAD_GRADIENT(name) \
  Tensor name##_gradient(const Tensor& grad, const Tensor& self, IntArrayRef padding);
TSC_DECLARE_PAD_GRADIENT(reflection_pad1d)
TSC_DECLARE_PAD_GRADIENT(reflection_pad2d)
TSC_DECLARE_PAD_GRADIENT(reflection_pad3d)
TSC_DECLARE_PAD_GRADIENT(replication_pad1d)
TSC_DECLARE_PAD_GRADIENT(replication_pad2d)
TSC_DECLARE_PAD_GRADIENT(replication_pad3d)
#undef TSC_DECLARE_PAD_GRADIENT

}  // namespace tsc::autograd
