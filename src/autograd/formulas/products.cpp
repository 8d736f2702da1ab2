#include "autograd/formulas/products.h"

#include "core/thread_local_state.h"
#include "gen/ops/binary.h"
#include "gen/ops/compare.h"
#include "gen/ops/indexing.h"
#include "gen/ops/products.h"
#include "gen/ops/products_native.h"
#include "gen/ops/reduce.h"

namespace tsc::autograd {

std::tuple<Tensor, Tensor> euclidean_distance_gradients(const Tensor& grad, const Tensor& x1,
                                                        const Tensor& x2, const Tensor& distance,
                                                        const std::array<bool, 2>&) {
  Tensor ratio = div(grad, distance);
  // Where rows are the same, the distance has a corner.
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
