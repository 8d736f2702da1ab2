#include "autograd/matrix/products.h"

#include "core/keys/thread_local_state.h"
#include "gen/calls/bmm.h"
#include "gen/calls/div.h"
#include "gen/calls/eq.h"
#include "gen/calls/expand.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/matmul.h"
#include "gen/calls/mul.h"
#include "gen/calls/sub.h"
#include "gen/calls/sum.h"
#include "gen/calls/transpose.h"
#include "gen/calls/unsqueeze.h"
#include "gen/ops/products.h"
#include "gen/ops/products_native.h"

namespace tsc::autograd {

namespace {

// The matrix, expanded to each of `count` pairs of matrices.
Tensor for_each_pair(const Tensor& matrix, int64_t count) {
  return expand(unsqueeze(matrix, 0), {count, matrix.size(0), matrix.size(1)});
}

}  // namespace

Tensor addbmm_left_backward(const Tensor& grad, int64_t count, const Tensor& right) {
  const Tensor each = for_each_pair(grad, count);
  return bmm(each, conjugate(transpose(right, 1, 2)));
}

Tensor addbmm_right_backward(const Tensor& grad, const Tensor& left) {
  const Tensor turned_left = conjugate(transpose(left, 1, 2));
  return bmm(turned_left, for_each_pair(grad, left.size(0)));
}

std::tuple<Tensor, Tensor> euclidean_distance_gradients(const Tensor& grad, const Tensor& x1,
                                                        const Tensor& x2, const Tensor& distance,
                                                        const std::array<bool, 2>&) {
  Tensor ratio = div(grad, distance);
  // Where rows are equal, the distance is not differentiable; the gradient is 0.
  masked_fill_(ratio, eq(distance, Scalar(0)), Scalar(0));
  const Tensor moved1 = matmul(ratio, x2);
  const Tensor grad1 = sub(mul(x1, sum(ratio, IntArrayRef(-1), true)), moved1);
  const Tensor moved2 = matmul(transpose(ratio, -2, -1), x1);
  const Tensor grad2 = sub(mul(x2, unsqueeze(sum(ratio, IntArrayRef(-2)), -1)), moved2);
  return {grad1, grad2};
}

Tensor distance_gradient(const Tensor& grad, const Tensor& x1, const Tensor& x2, double p,
                         const Tensor& distance) {
  return tls().grad_mode ? native::_cdist_backward(grad, x1, x2, p, distance)
                         : _cdist_backward(grad, x1, x2, p, distance);
}

}  // namespace tsc::autograd
