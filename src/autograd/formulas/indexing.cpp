#include "autograd/formulas/indexing.h"

#include "core/small_vector.h"
#include "core/thread_local_state.h"
#include "gen/ops/binary.h"
#include "gen/ops/compare.h"
#include "gen/ops/factory.h"
#include "gen/ops/indexing.h"
#include "gen/ops/logic.h"
#include "gen/ops/reduce.h"
#include "gen/ops/selection.h"
#include "gen/ops/selection_native.h"
#include "gen/ops/shape.h"
#include "gen/ops/view.h"

namespace tsc::autograd {

namespace {

int64_t product(IntArrayRef sizes) {
  int64_t result = 1;
  for (const int64_t size : sizes) {
    result *= size;
  }
  return result;
}

}  // namespace

Tensor index_select_backward(const Tensor& grad, IntArrayRef sizes, int64_t dim,
                             const Tensor& index) {
  const Tensor zeros = zeros_of(sizes, grad);
  if (sizes.empty()) {
    return zeros + sum(grad);
  }
  return index_add(zeros, dim, index, grad);
}

Tensor gather_backward(const Tensor& grad, IntArrayRef sizes, int64_t dim, const Tensor& index) {
  return scatter_add(new_zeros(grad, sizes), dim, index, grad);
}

Tensor index_source_backward(const Tensor& grad, IntArrayRef sizes, int64_t dim,
                             const Tensor& index) {
  if (sizes.empty()) {
    return index_select(grad, dim, reshape(index, {1}));
  }
  return expand(index_select(grad, dim, index), sizes);
}

Tensor index_fill_value_backward(const Tensor& grad, int64_t dim, const Tensor& index) {
  return sum(grad - index_fill(grad, dim, index, 0));
}

Tensor masked_value_backward(const Tensor& grad, const Tensor& mask) {
  return sum(where_or_zero(mask, grad));
}

Tensor masked_scatter_backward(const Tensor& grad, const Tensor& mask, IntArrayRef sizes) {
  const Tensor given = masked_select(grad, mask);
  const int64_t left = product(sizes) - given.numel();
  return reshape(left > 0 ? cat({given, zeros({left}, grad.options())}) : given, sizes);
}

Tensor put_backward(const Tensor& grad, const Tensor& index, IntArrayRef source_sizes,
                    bool accumulate) {
  return accumulate ? grad : put(grad, index, zeros(source_sizes, grad.options()), false);
}

Tensor masked_select_backward(const Tensor& grad, IntArrayRef sizes, const Tensor& mask) {
  // The mask and self were broadcast together; the engine sums the result to self's size.
  DimVector broadcast(std::max(sizes.size(), mask.sizes().size()), 1);
  const auto merge = [&](IntArrayRef from) {
    for (size_t i = 0; i < from.size(); i++) {
      int64_t& size = broadcast[broadcast.size() - from.size() + i];
      size = from[i] == 1 ? size : from[i];
    }
  };
  merge(sizes);
  merge(mask.sizes());
  if (broadcast.empty()) {
    return where_or_zero(mask, sum(grad));
  }
  return index_put(zeros_of(broadcast, grad), {expand(mask, broadcast)}, grad, false);
}

Tensor take_backward(const Tensor& grad, IntArrayRef sizes, const Tensor& index) {
  return reshape(index_put(zeros_of({product(sizes)}, grad), {index}, grad, true), sizes);
}

Tensor embedding_gradient(const Tensor& grad, const Tensor& indices, IntArrayRef weight_sizes,
                          int64_t padding_index, bool scale_by_frequency) {
  return tls().grad_mode ? native::embedding_dense_backward(grad, indices, weight_sizes[0],
                                                            padding_index, scale_by_frequency)
                         : embedding_dense_backward(grad, indices, weight_sizes[0], padding_index,
                                                    scale_by_frequency);
}

namespace {

// What scatter_reduce was called with.
struct ScatterReduce {
  const Tensor& self;
  int64_t dim;
  const Tensor& index;
  const Tensor& src;
  bool include_self;

  Tensor at_index(const Tensor& tensor) const { return gather(tensor, dim, index); }
  Tensor counted(const Tensor& start, const Tensor& values) const {
    return scatter_add(start, dim, index, values);
  }
};
using TwoGradients = std::tuple<Tensor, Tensor>;

TwoGradients mean_gradients(const ScatterReduce& call, const Tensor& grad) {
  const Tensor start = call.include_self ? ones_like(grad) : zeros_of(grad);
  const Tensor count = call.counted(start, ones_like(call.src));
  const Tensor share = grad / masked_fill(count, eq(count, 0), 1);
  return {share, call.at_index(share)};
}

// Elements that are the extreme share its gradient evenly.
TwoGradients extreme_gradients(const ScatterReduce& call, const Tensor& grad,
                               const Tensor& result) {
  const Tensor self_chosen = cast(eq(call.self, result), grad.dtype());
  const Tensor src_chosen = cast(eq(call.src, call.at_index(result)), grad.dtype());
  const Tensor share = grad / call.counted(self_chosen, src_chosen);
  return {self_chosen * share, src_chosen * call.at_index(share)};
}

// An element that is the only 0 at its place has the product of the others as its slope.
TwoGradients product_gradients(const ScatterReduce& call, const Tensor& grad,
                               const Tensor& result) {
  const auto product = [&](const Tensor& start, const Tensor& values) {
    return scatter_reduce(start, call.dim, call.index, values, "prod", call.include_self);
  };
  const Tensor self_nonzero = masked_fill(call.self, eq(call.self, 0), 1);
  const Tensor self_grad = grad * product(self_nonzero, call.src) / self_nonzero;
  const Tensor is_zero = eq(call.src, 0);
  const Tensor zeros =
      call.at_index(call.counted(zeros_of(call.self), cast(is_zero, call.self.dtype())));
  const Tensor only_zero = logical_and(is_zero, eq(zeros, 1));
  const Tensor without = product(call.self, masked_fill(call.src, only_zero, 1));
  const Tensor plain = call.at_index(grad * result) / masked_fill(call.src, is_zero, 1);
  return {self_grad, where(only_zero, call.at_index(grad * without), plain)};
}

}  // namespace

std::tuple<Tensor, Tensor> scatter_reduce_backward(const Tensor& grad, const Tensor& self,
                                                   int64_t dim, const Tensor& index,
                                                   const Tensor& src, std::string_view reduce,
                                                   bool include_self, const Tensor& result,
                                                   const std::array<bool, 2>& mask) {
  if (index.numel() == 0) {
    return {grad, zeros_of(src.sizes(), grad)};
  }
  const ScatterReduce call{self, dim, index, src, include_self};
  auto [self_grad, src_grad] = reduce == "sum"    ? TwoGradients(grad, call.at_index(grad))
                               : reduce == "mean" ? mean_gradients(call, grad)
                               : reduce == "prod" ? product_gradients(call, grad, result)
                                                  : extreme_gradients(call, grad, result);
  if (!include_self) {
    self_grad = scatter(self_grad, dim, index, 0);
  }
  return {mask[0] ? self_grad : Tensor(), mask[1] ? src_grad : Tensor()};
}

}  // namespace tsc::autograd
