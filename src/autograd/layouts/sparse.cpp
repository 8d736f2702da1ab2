#include "autograd/layouts/sparse.h"

#include "core/small_vector.h"
#include "gen/calls/expand.h"
#include "gen/calls/mm.h"
#include "gen/calls/t.h"
#include "gen/calls/unsqueeze.h"
#include "ops/structured/reduction.h"

namespace tsc::autograd {

Tensor grad_at_places(const Tensor& grad, const Tensor& sparse) {
  return sparse_mask(grad, coalesce(sparse));
}

Tensor values_at_places(const Tensor& grad, const Tensor& sparse) {
  return _values(sparse_mask(grad, sparse));
}

Tensor values_backward(const Tensor& grad, const Tensor& self) {
  return _sparse_coo_tensor_with_dims_and_tensors(
      sparse_dim(self), dense_dim(self), self.sizes(), _indices(self), grad,
      TensorOptions(grad.dtype(), Layout::Sparse, grad.device()), true);
}

Tensor grad_of_masked(const Tensor& grad, const Tensor& self) {
  return self.is_sparse() ? grad : to_dense(grad);
}

Tensor sparse_product_backward(const Tensor& grad, const Tensor& mat1, const Tensor& mat2) {
  const Tensor dense = mm(grad, conjugate(t(mat2)));
  return mat1.is_sparse() ? grad_at_places(dense, mat1) : dense;
}

Tensor sum_backward_at_places(const Tensor& grad, const Tensor& self, IntArrayRef dim) {
  const auto mask = mask_of_dims(dim, self.dim());
  Tensor spread = to_dense(grad);
  for (int64_t i = 0; i < self.dim(); i++) {
    if (mask[static_cast<size_t>(i)]) {
      spread = unsqueeze(spread, i);
    }
  }
  return grad_at_places(expand(spread, self.sizes()), self);
}

}  // namespace tsc::autograd
