#include "autograd/reduce/reduce.h"

#include <algorithm>
#include <cmath>

#include "autograd/variable.h"
#include "core/keys/thread_local_state.h"
#include "core/small_vector.h"
#include "gen/calls/abs.h"
#include "gen/calls/arange.h"
#include "gen/calls/cat.h"
#include "gen/calls/clone.h"
#include "gen/calls/cumprod.h"
#include "gen/calls/div.h"
#include "gen/calls/eq.h"
#include "gen/calls/exp.h"
#include "gen/calls/expand.h"
#include "gen/calls/flip.h"
#include "gen/calls/index_fill.h"
#include "gen/calls/isnan.h"
#include "gen/calls/item.h"
#include "gen/calls/logical_and.h"
#include "gen/calls/logical_not.h"
#include "gen/calls/logical_or.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/narrow.h"
#include "gen/calls/new_zeros.h"
#include "gen/calls/nonzero.h"
#include "gen/calls/ones.h"
#include "gen/calls/pow.h"
#include "gen/calls/reshape.h"
#include "gen/calls/scatter_add.h"
#include "gen/calls/sgn.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/view.h"
#include "gen/calls/zeros.h"
#include "gen/ops/reduce.h"
#include "ops/structured/modes.h"

namespace tsc::autograd {

namespace {

// Non-negative and in ascending order; every dimension where `dims` is empty.
DimVector normalized(IntArrayRef dims, int64_t dim) {
  DimVector result;
  if (dims.empty()) {
    for (int64_t i = 0; i < dim; i++) {
      result.push_back(i);
    }
    return result;
  }
  for (const int64_t d : dims) {
    result.push_back(maybe_wrap_dim(d, dim));
  }
  std::sort(result.begin(), result.end());
  return result;
}

// The number of elements that each result reduces.
int64_t reduced_numel(IntArrayRef sizes, const OptionalIntArrayRef& dims) {
  int64_t count = 1;
  if (sizes.empty()) {
    return count;
  }
  for (const int64_t d : normalized(all_if_none(dims), static_cast<int64_t>(sizes.size()))) {
    count *= sizes[static_cast<size_t>(d)];
  }
  return count;
}

}  // namespace

Tensor unreduce(const Tensor& tensor, IntArrayRef dims, bool keepdim, int64_t dim) {
  if (keepdim || dim == 0 || dims.empty()) {
    return tensor;
  }
  if (dims.size() == 1) {
    return unsqueeze(tensor, dims[0]);
  }
  Tensor result = tensor;
  for (const int64_t d : normalized(dims, dim)) {
    result = unsqueeze(result, d);
  }
  return result;
}

Tensor is_number(const Tensor& tensor) { return logical_not(isnan(tensor)); }

int64_t count_zeros(const Tensor& tensor) {
  const AutoGradMode off(false);
  return nonzero(eq(tensor, 0)).size(0);
}

Tensor expand_to(const Tensor& tensor, IntArrayRef sizes) { return expand(tensor, sizes); }

Tensor add_at(IntArrayRef sizes, int64_t dim, const Tensor& indices, const Tensor& grad) {
  return scatter_add(new_zeros(grad, sizes), dim, indices, grad);
}

Tensor sum_backward(const Tensor& grad, IntArrayRef sizes, const OptionalIntArrayRef& dims,
                    bool keepdim) {
  return expand(unreduce(grad, all_if_none(dims), keepdim, static_cast<int64_t>(sizes.size())),
                sizes);
}

Tensor mean_backward(const Tensor& grad, IntArrayRef sizes, const OptionalIntArrayRef& dims,
                     bool keepdim) {
  return div(sum_backward(grad, sizes, dims, keepdim), Scalar(reduced_numel(sizes, dims)));
}

namespace {

// Products of all elements along `dim` but one, without division: the product of those before it
// times the product of those after it.
Tensor prod_of_others_backward(const Tensor& grad, const Tensor& self, int64_t dim) {
  const int64_t size = self.size(dim);
  if (size == 1) {
    return grad;
  }
  if (size == 0) {
    return expand(grad, self.sizes());
  }
  DimVector one_size(self.sizes());
  one_size[static_cast<size_t>(maybe_wrap_dim(dim, self.dim()))] = 1;
  const Tensor one = ones(one_size, grad.options());
  const Tensor before = cumprod(cat({one, narrow(self, dim, 0, size - 1)}, dim), dim);
  const Tensor backwards = flip(narrow(self, dim, 1, size - 1), {dim});
  const Tensor after = flip(cumprod(cat({one, backwards}, dim), dim), {dim});
  return grad * conjugate(before * after);
}

}  // namespace

Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  if (self.dim() == 0) {
    return clone(grad);
  }
  const bool counts = !calls_are_replayed();
  const int64_t num_zeros = counts ? count_zeros(self) : 1;
  if (num_zeros == 0) {
    return grad * conjugate(result / self);
  }
  if (num_zeros > 1 && !tls().grad_mode) {
    return zeros_of(self);
  }
  return reshape(prod_of_others_backward(grad, reshape(self, {-1}), 0), self.sizes());
}

Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result, int64_t dim,
                     bool keepdim) {
  if (self.dim() == 0) {
    return clone(grad);
  }
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  const Tensor kept_grad = unreduce(grad, at, keepdim, self.dim());
  const Tensor kept_result = unreduce(result, at, keepdim, self.dim());
  if (!calls_are_replayed() && count_zeros(self) == 0) {
    return kept_grad * conjugate(kept_result / self);
  }
  return prod_of_others_backward(kept_grad, self, at);
}

Tensor var_backward(const Tensor& grad, const Tensor& self, const OptionalIntArrayRef& dims,
                    const std::optional<Scalar>& correction, bool keepdim) {
  const double degrees = static_cast<double>(reduced_numel(self.sizes(), dims)) -
                         correction.value_or(Scalar(1)).to_double();
  const IntArrayRef reduced = all_if_none(dims);
  // The gradient of a vector's variance is one number, which broadcasts as it is.
  const Tensor kept_grad = unreduce(grad, reduced, keepdim || self.dim() == 1, self.dim());
  const Tensor distance = self - (reduced.empty() ? mean(self) : mean(self, dims, true));
  return (2.0 / degrees) * kept_grad * distance;
}

Tensor std_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                    const OptionalIntArrayRef& dims, const std::optional<Scalar>& correction,
                    bool keepdim) {
  const Tensor slope = grad / (result * 2);
  const Tensor grad_var = masked_fill_(slope, eq(result, 0), 0);
  return var_backward(grad_var, self, dims, correction, keepdim);
}

namespace {

Tensor mean_part(const Tensor& grad_mean, const Tensor& self, const OptionalIntArrayRef& dims,
                 bool keepdim) {
  return grad_mean.defined() ? mean_backward(grad_mean, self.sizes(), dims, keepdim) : Tensor();
}

}  // namespace

Tensor var_mean_backward(const Tensor& grad_var, const Tensor& grad_mean, const Tensor& self,
                         const OptionalIntArrayRef& dims, const std::optional<Scalar>& correction,
                         bool keepdim) {
  const Tensor var_part =
      grad_var.defined() ? var_backward(grad_var, self, dims, correction, keepdim) : Tensor();
  return add_defined(var_part, mean_part(grad_mean, self, dims, keepdim));
}

Tensor std_mean_backward(const Tensor& grad_std, const Tensor& grad_mean, const Tensor& self,
                         const Tensor& std, const OptionalIntArrayRef& dims,
                         const std::optional<Scalar>& correction, bool keepdim) {
  const Tensor std_part =
      grad_std.defined() ? std_backward(grad_std, self, std, dims, correction, keepdim) : Tensor();
  return add_defined(std_part, mean_part(grad_mean, self, dims, keepdim));
}

Tensor evenly_distribute_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  if (!calls_are_replayed()) {
    const Tensor is_nan = isnan(result);
    const Tensor mask = item(is_nan).to_bool() ? isnan(self) : eq(self, result);
    const Tensor zeros = new_zeros(grad, self.sizes(), self.options());
    return masked_fill_(zeros, mask, grad / sum(mask));
  }
  const Tensor nan = isnan(self);
  const Tensor both_nan = logical_and(nan, isnan(result));
  const Tensor mask = logical_or_(eq(self, result), both_nan);
  return mask * (grad / sum(mask));
}

// A tensor that was reduced over `dims` of `self`, with those dimensions of size 1.
static Tensor with_single_dims(const Tensor& tensor, IntArrayRef dims, bool keepdim,
                               const Tensor& self) {
  if (keepdim || (self.dim() == 0 && dims.empty())) {
    return tensor;
  }
  if (self.dim() == 0) {
    return reshape(tensor, {1});
  }
  DimVector sizes(self.sizes());
  for (const int64_t dim : normalized(dims, self.dim())) {
    sizes[static_cast<size_t>(dim)] = 1;
  }
  return reshape(tensor, sizes);
}

Tensor share_among_equal(const Tensor& grad, const Tensor& self, const Tensor& result,
                         IntArrayRef dims, bool keepdim) {
  const Tensor mask = eq(with_single_dims(result, dims, keepdim, self), self);
  const Tensor kept_grad = with_single_dims(grad, dims, keepdim, self);
  return kept_grad / sum(mask, dims, true) * mask;
}

// The same for one of the two extremes of aminmax.
static Tensor share_of_extreme(const Tensor& grad, const Tensor& self, const Tensor& result,
                               IntArrayRef dims, bool keepdim) {
  const Tensor kept_grad = with_single_dims(grad, dims, keepdim, self);
  const Tensor mask = eq(self, with_single_dims(result, dims, keepdim, self));
  return kept_grad / sum(mask, dims, true) * mask;
}

Tensor aminmax_backward(const Tensor& grad_min, const Tensor& grad_max, const Tensor& self,
                        const Tensor& max, const Tensor& min, std::optional<int64_t> dim,
                        bool keepdim) {
  DimVector dims;
  if (dim.has_value()) {
    dims.push_back(*dim);
  }
  const auto part = [&](const Tensor& grad, const Tensor& result) {
    return grad.defined() ? share_of_extreme(grad, self, result, dims, keepdim) : Tensor();
  };
  const Tensor of_min = part(grad_min, min);
  return add_defined(of_min, part(grad_max, max));
}

Tensor norm_backward(const Tensor& grad, const Tensor& self, const std::optional<Scalar>& p,
                     const Tensor& result, IntArrayRef dims, bool keepdim) {
  const double order = p.value_or(Scalar(2)).to_double();
  if (order == 0) {
    return {};
  }
  const Tensor kept_grad = unreduce(grad, dims, keepdim, self.dim());
  const Tensor norm = unreduce(result, dims, keepdim, self.dim());
  if (order == 1) {
    return sgn(self) * kept_grad;
  }
  // Where the norm is 0 the subgradient is 0, although the formula gives NaN.
  const auto unless_zero = [&](const Tensor& value) { return masked_fill_(value, eq(norm, 0), 0); };
  if (order == 2) {
    const Tensor direction = self / norm;
    return kept_grad * masked_fill_(direction, eq(norm, 0), 0);
  }
  if (std::isinf(order)) {
    const Tensor size = abs(self);
    const Tensor is_largest = eq(size, norm);
    const Tensor mask = logical_or(is_largest, isnan(size));
    return sgn(self) * (kept_grad / sum(mask, dims, true) * mask);
  }
  if (order < 1) {
    const Tensor size = pow_(abs(self), order - 1);
    masked_fill_(size, eq(self, 0), 0);
    const Tensor slope = sgn(self) * size;
    return slope * kept_grad * pow(norm, 1 - order);
  }
  const Tensor slope =
      order < 2 ? sgn(self) * pow_(abs(self), order - 1) : self * pow_(abs(self), order - 2);
  return slope * unless_zero(kept_grad / pow(norm, order - 1));
}

Tensor logsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                          IntArrayRef dims, bool keepdim) {
  const Tensor kept_grad = unreduce(grad, dims, keepdim, self.dim());
  return kept_grad * conjugate(exp(self - unreduce(result, dims, keepdim, self.dim())));
}

Tensor trace_backward(const Tensor& grad, IntArrayRef sizes) {
  const int64_t step = sizes[1] + 1;
  const Tensor flat = zeros({sizes[0] * sizes[1]}, grad.options());
  const Tensor places =
      arange(0, std::min(sizes[0], sizes[1]) * step, step, grad.options().dtype(ScalarType::Long));
  return view(
      calls_are_replayed() ? index_fill(flat, 0, places, grad) : index_fill_(flat, 0, places, grad),
      sizes);
}

}  // namespace tsc::autograd
