#include "autograd/nn/pooling.h"

#include "gen/calls/flatten.h"
#include "gen/calls/gather.h"
#include "gen/calls/reshape.h"

namespace tsc::autograd {

Tensor max_pool_double_backward(const Tensor& grad, const Tensor& indices, int64_t dims) {
  const Tensor places = flatten(indices, -dims, -1);
  return reshape(gather(flatten(grad, -dims, -1), -1, places), indices.sizes());
}

}  // namespace tsc::autograd
