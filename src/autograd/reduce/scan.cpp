#include "autograd/reduce/scan.h"

#include <limits>

#include "autograd/variable.h"
#include "core/dispatch_types.h"
#include "core/keys/thread_local_state.h"
#include "gen/calls/abs.h"
#include "gen/calls/any.h"
#include "gen/calls/bitwise_and.h"
#include "gen/calls/bitwise_not.h"
#include "gen/calls/cat.h"
#include "gen/calls/eq.h"
#include "gen/calls/exp.h"
#include "gen/calls/flip.h"
#include "gen/calls/gather.h"
#include "gen/calls/gt.h"
#include "gen/calls/item.h"
#include "gen/calls/log.h"
#include "gen/calls/logical_and.h"
#include "gen/calls/lt.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/max.h"
#include "gen/calls/narrow.h"
#include "gen/calls/ne.h"
#include "gen/calls/new_zeros.h"
#include "gen/calls/ones_like.h"
#include "gen/calls/prod.h"
#include "gen/calls/relu.h"
#include "gen/calls/select.h"
#include "gen/calls/stack.h"
#include "gen/calls/sum.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/where.h"
#include "gen/ops/scan.h"
#include "ops/structured/modes.h"

namespace tsc::autograd {

Tensor cumsum_backward(const Tensor& grad, int64_t dim) {
  if (grad.numel() <= 1 || grad.size(dim) == 1) {
    return grad;
  }
  return flip(cumsum(flip(grad, {dim}), dim), {dim});
}

namespace {

// Up to the first zero of a line every product is a multiple of the element. The gradient of the
// first zero itself comes from the products that go on from it, up to the next zero; later elements
// have no gradient.
Tensor cumprod_gradient(const Tensor& grad, const Tensor& self, int64_t dim, const Tensor& result) {
  const Tensor factor = conjugate(self);
  const Tensor products = conjugate(result);
  const Tensor weighted = products * grad;
  const Tensor is_zero = eq(self, 0);
  if (!calls_are_replayed() && !item(any(is_zero)).to_bool()) {
    return cumsum_backward(weighted, dim) / factor;
  }
  const Tensor none = new_zeros(grad, self.sizes());
  const Tensor count = cumsum(is_zero, dim);
  const Tensor before = eq(count, 0);
  const Tensor quotient =
      cumsum_backward(masked_fill(weighted, bitwise_not(before), 0.0), dim) / factor;
  const Tensor of_others = where(before, quotient, none);

  const Tensor after_one = eq(count, 1);
  const Tensor first = std::get<1>(max(after_one, dim, true));
  const Tensor is_first = logical_and(after_one, is_zero);
  bitwise_and_(after_one, bitwise_not(is_first));
  const Tensor rest = cumprod(masked_fill(factor, bitwise_not(after_one), 1.0), dim);
  const Tensor seen = masked_fill(grad, ne(count, 1), 0.0);
  const Tensor leading = gather(products, dim, relu_(first - 1));
  masked_fill_(leading, eq(first, 0), 1.0);
  return where(is_first, sum(rest * seen, {dim}, true) * leading, of_others);
}

}  // namespace

Tensor cumprod_backward(const Tensor& grad, const Tensor& self, int64_t dim, const Tensor& result) {
  if (self.dim() == 0 || self.numel() == 0) {
    return grad;
  }
  const int64_t size = self.size(dim);
  if (size == 1) {
    return grad;
  }
  if (!tls().grad_mode) {
    return cumprod_gradient(grad, self, maybe_wrap_dim(dim, self.dim()), result);
  }
  // Element k is a factor of results k, k+1, ...: its cofactor in each is the product of the
  // elements before k and of those between k and the result.
  std::vector<Tensor> gradients;
  for (int64_t k = 0; k < size; k++) {
    const Tensor before =
        k == 0 ? ones_like(select(self, dim, 0)) : prod(narrow(self, dim, 0, k), dim);
    Tensor others = unsqueeze(before, dim);
    if (k + 1 < size) {
      others = cat({others, others * cumprod(narrow(self, dim, k + 1, size - k - 1), dim)}, dim);
    }
    gradients.push_back(sum(narrow(grad, dim, k, size - k) * conjugate(others), {dim}));
  }
  return stack(gradients, dim);
}

namespace {

double lowest_of(ScalarType dtype) {
  double result = 0;
  dispatch_floating_types(dtype, "logcumsumexp_backward",
                          [&]<class T>() { result = std::numeric_limits<T>::lowest(); });
  return result;
}

}  // namespace

Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                             int64_t dim) {
  if (grad.dim() == 0 || grad.numel() == 0) {
    return grad;
  }
  // In logarithms, with positive and negative gradients apart, since logcumsumexp adds up gradients
  // of later elements.
  const Tensor none = number_like(lowest_of(grad.dtype()), grad);
  const Tensor log_size = log(abs(grad));
  const Tensor positive = where(gt(grad, 0), log_size, none);
  const Tensor negative = where(lt(grad, 0), log_size, none);
  const auto summed = [&](const Tensor& log_grad) {
    return exp(flip(logcumsumexp(flip(log_grad - result, {dim}), dim), {dim}) + self);
  };
  const Tensor added = summed(positive);
  return added - summed(negative);
}

}  // namespace tsc::autograd
