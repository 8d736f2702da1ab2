#include "autograd/indexing/indexing.h"

#include "autograd/variable.h"
#include "core/keys/thread_local_state.h"
#include "core/small_vector.h"
#include "gen/calls/_unique.h"
#include "gen/calls/bitwise_and.h"
#include "gen/calls/eq.h"
#include "gen/calls/expand.h"
#include "gen/calls/new_zeros.h"
#include "gen/calls/ones_like.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/sum.h"
#include "gen/calls/to.h"
#include "gen/calls/where.h"
#include "gen/calls/zeros.h"
#include "gen/calls/zeros_like.h"
#include "gen/ops/indexing.h"
#include "gen/ops/selection.h"
#include "gen/ops/selection_native.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/modes.h"

namespace tsc::autograd {

Tensor index_select_backward(const Tensor& grad, IntArrayRef sizes, int64_t dim,
                             const Tensor& index) {
  return index_add(zeros_of(sizes, grad), dim, index, grad);
}

Tensor gather_backward(const Tensor& grad, IntArrayRef sizes, int64_t dim, const Tensor& index) {
  return scatter_add(new_zeros(grad, sizes), dim, index, grad);
}

Tensor index_source_backward(const Tensor& grad, IntArrayRef sizes, int64_t dim,
                             const Tensor& index) {
  if (sizes.empty()) {
    return index_select(grad, dim, squeeze(index, 0));
  }
  return expand(index_select(grad, dim, index), sizes);
}

Tensor index_fill_value_backward(const Tensor& grad, int64_t dim, const Tensor& index) {
  return sum(index_select(grad, dim, std::get<0>(_unique(index, false))));
}

Tensor masked_value_backward(const Tensor& grad, const Tensor& mask) {
  return sum(where_or_zero(mask, grad));
}

Tensor masked_scatter_gradient(const Tensor& grad, const Tensor& mask, IntArrayRef sizes) {
  return tls().grad_mode ? native::masked_scatter_backward(grad, mask, sizes)
                         : masked_scatter_backward(grad, mask, sizes);
}

Tensor put_backward(const Tensor& grad, const Tensor& index, IntArrayRef source_sizes,
                    bool accumulate) {
  return accumulate ? grad : put(grad, index, zeros(source_sizes, grad.options()), false);
}

Tensor masked_select_backward(const Tensor& grad, const Tensor& self, const Tensor& mask) {
  // The engine sums the result to self's size.
  const Tensor like = expand(self, broadcast_sizes(self.sizes(), mask.sizes()));
  return masked_scatter(zeros_like(like, {}, MemoryFormat::Preserve), mask, grad);
}

Tensor take_backward(const Tensor& grad, const Tensor& self, const Tensor& index) {
  const Tensor none = zeros_of(self);
  return calls_are_replayed() ? put(none, index, grad, true) : put_(none, index, grad, true);
}

Tensor embedding_gradient(const Tensor& grad, const Tensor& indices, IntArrayRef weight_sizes,
                          int64_t padding_index, bool scale_by_frequency) {
  return tls().grad_mode ? native::embedding_dense_backward(grad, indices, weight_sizes[0],
                                                            padding_index, scale_by_frequency)
                         : embedding_dense_backward(grad, indices, weight_sizes[0], padding_index,
                                                    scale_by_frequency);
}

namespace {

// The arguments of scatter_reduce; or of index_reduce, whose index selects whole slices.
struct ScatterReduce {
  const Tensor& self;
  int64_t dim;
  const Tensor& index;
  const Tensor& src;
  bool include_self;
  bool by_slices;

  Tensor at_index(const Tensor& tensor) const {
    return by_slices ? index_select(tensor, dim, index) : gather(tensor, dim, index);
  }
  Tensor counted(const Tensor& start, const Tensor& values) const {
    return by_slices ? index_add(start, dim, index, values)
                     : scatter_add(start, dim, index, values);
  }
  Tensor product(const Tensor& start, const Tensor& values) const {
    return by_slices ? index_reduce(start, dim, index, values, "prod", include_self)
                     : scatter_reduce(start, dim, index, values, "prod", include_self);
  }
  Tensor without_replaced(const Tensor& grad) const {
    return by_slices ? index_fill(grad, dim, index, 0) : scatter(grad, dim, index, 0);
  }
};
using TwoGradients = std::tuple<Tensor, Tensor>;

TwoGradients mean_gradients(const ScatterReduce& call, const Tensor& grad) {
  const Tensor start = call.include_self ? ones_like(grad) : zeros_of(grad);
  const Tensor count = call.counted(start, ones_like(call.src));
  masked_fill_(count, eq(count, 0), 1);
  const Tensor self_grad = grad / count;
  const Tensor counts = call.at_index(count);
  return {self_grad, call.at_index(grad) / counts};
}

// Elements that are the extreme share its gradient evenly.
TwoGradients extreme_gradients(const ScatterReduce& call, const Tensor& grad,
                               const Tensor& result) {
  const Tensor at_index = call.at_index(result);
  const Tensor self_chosen = to(eq(call.self, result), call.self.dtype());
  const Tensor src_chosen = to(eq(call.src, at_index), call.src.dtype());
  const Tensor share = grad / call.counted(self_chosen, src_chosen);
  // PyTorch's scatter_reduce compares again.
  const bool compares = calls_are_replayed() && !call.by_slices;
  const Tensor self_grad = (compares ? eq(call.self, result) : self_chosen) * share;
  const Tensor src_share = call.at_index(share);
  return {self_grad, (compares ? eq(call.src, at_index) : src_chosen) * src_share};
}

// The slope of an element that is the only 0 at its place is the product of the others.
TwoGradients product_gradients(const ScatterReduce& call, const Tensor& grad,
                               const Tensor& result) {
  const Tensor self_nonzero = masked_fill(call.self, eq(call.self, 0), 1);
  const Tensor self_grad = grad * call.product(self_nonzero, call.src) / self_nonzero;
  const Tensor is_zero = eq(call.src, 0);
  const Tensor none = zeros_of(call.self);
  const Tensor zeros = call.at_index(call.counted(none, to(is_zero, call.self.dtype())));
  const Tensor only_zero = bitwise_and(is_zero, eq(zeros, 1));
  const Tensor without = call.product(call.self, masked_fill(call.src, only_zero, 1));
  const Tensor plain = call.at_index(grad * result) / masked_fill(call.src, is_zero, 1);
  return {self_grad, where(only_zero, call.at_index(grad * without), plain)};
}

TwoGradients reduce_gradients(const ScatterReduce& call, const Tensor& grad, const Tensor& result,
                              std::string_view reduce, const std::array<bool, 2>& mask) {
  if (call.index.numel() == 0) {
    return {grad, zeros_of(call.src.sizes(), grad)};
  }
  auto [self_grad, src_grad] = reduce == "sum"    ? TwoGradients(grad, call.at_index(grad))
                               : reduce == "mean" ? mean_gradients(call, grad)
                               : reduce == "prod" ? product_gradients(call, grad, result)
                                                  : extreme_gradients(call, grad, result);
  if (!call.include_self) {
    self_grad = call.without_replaced(self_grad);
  }
  return {mask[0] ? self_grad : Tensor(), mask[1] ? src_grad : Tensor()};
}

}  // namespace

std::tuple<Tensor, Tensor> scatter_reduce_backward(const Tensor& grad, const Tensor& self,
                                                   int64_t dim, const Tensor& index,
                                                   const Tensor& src, std::string_view reduce,
                                                   bool include_self, const Tensor& result,
                                                   const std::array<bool, 2>& mask) {
  return reduce_gradients({self, dim, index, src, include_self, false}, grad, result, reduce, mask);
}

std::tuple<Tensor, Tensor> index_reduce_backward(const Tensor& grad, const Tensor& self,
                                                 int64_t dim, const Tensor& index,
                                                 const Tensor& source, std::string_view reduce,
                                                 bool include_self, const Tensor& result,
                                                 const std::array<bool, 2>& mask) {
  return reduce_gradients({self, dim, index, source, include_self, true}, grad, result, reduce,
                          mask);
}

}  // namespace tsc::autograd
