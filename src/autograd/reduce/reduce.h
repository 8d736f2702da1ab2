// Longer formulas of autograd/reduce/reduce.yaml.
#pragma once

#include <optional>

#include "autograd/operators.h"

namespace tsc::autograd {

// A reduced tensor with its reduced dimensions back, of size 1. All of them where `dims` is empty.
Tensor unreduce(const Tensor& tensor, IntArrayRef dims, bool keepdim, int64_t dim);
// 1 where not NaN, as a mask.
Tensor is_number(const Tensor& tensor);
int64_t count_zeros(const Tensor& tensor);
// `dims`, or none (which stands for all).
inline IntArrayRef all_if_none(const OptionalIntArrayRef& dims) {
  return dims.value_or(IntArrayRef());
}

Tensor sum_backward(const Tensor& grad, IntArrayRef sizes, const OptionalIntArrayRef& dims,
                    bool keepdim);
Tensor mean_backward(const Tensor& grad, IntArrayRef sizes, const OptionalIntArrayRef& dims,
                     bool keepdim);
Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result, int64_t dim,
                     bool keepdim);
Tensor var_backward(const Tensor& grad, const Tensor& self, const OptionalIntArrayRef& dims,
                    const std::optional<Scalar>& correction, bool keepdim);
Tensor std_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                    const OptionalIntArrayRef& dims, const std::optional<Scalar>& correction,
                    bool keepdim);
// Either gradient may be undefined.
Tensor var_mean_backward(const Tensor& grad_var, const Tensor& grad_mean, const Tensor& self,
                         const OptionalIntArrayRef& dims, const std::optional<Scalar>& correction,
                         bool keepdim);
Tensor std_mean_backward(const Tensor& grad_std, const Tensor& grad_mean, const Tensor& self,
                         const Tensor& std, const OptionalIntArrayRef& dims,
                         const std::optional<Scalar>& correction, bool keepdim);
// The gradient of an extreme of the whole tensor: all elements equal to it get the same share.
Tensor evenly_distribute_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Tensor share_among_equal(const Tensor& grad, const Tensor& self, const Tensor& result,
                         IntArrayRef dims, bool keepdim);
// Either gradient may be undefined.
Tensor aminmax_backward(const Tensor& grad_min, const Tensor& grad_max, const Tensor& self,
                        const Tensor& max, const Tensor& min, std::optional<int64_t> dim,
                        bool keepdim);
Tensor norm_backward(const Tensor& grad, const Tensor& self, const std::optional<Scalar>& p,
                     const Tensor& result, IntArrayRef dims, bool keepdim);
Tensor logsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                          IntArrayRef dims, bool keepdim);
Tensor trace_backward(const Tensor& grad, IntArrayRef sizes);

Tensor expand_to(const Tensor& tensor, IntArrayRef sizes);
// Zeros of `sizes`, with the elements of `grad` added at the places along `dim` that `indices` has.
Tensor add_at(IntArrayRef sizes, int64_t dim, const Tensor& indices, const Tensor& grad);

}  // namespace tsc::autograd
