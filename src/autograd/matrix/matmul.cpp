#include "autograd/matrix/matmul.h"

#include "gen/calls/t.h"
#include "gen/calls/transpose.h"
#include "gen/ops/matmul.h"

namespace tsc::autograd {

namespace {

bool is_stored_by_columns(IntArrayRef sizes, IntArrayRef strides) {
  return strides[0] == 1 && strides[1] == sizes[0];
}

}  // namespace

Tensor turned(const Tensor& tensor) { return transpose(tensor, -2, -1); }

Tensor mm_left_backward(const Tensor& grad, const Tensor& right, IntArrayRef sizes,
                        IntArrayRef strides, const Scalar& alpha) {
  const Tensor product = is_stored_by_columns(sizes, strides) ? t(mm(conjugate(right), t(grad)))
                                                              : mm(grad, conjugate(t(right)));
  return maybe_multiply(product, conjugate(alpha));
}

Tensor mm_right_backward(const Tensor& grad, const Tensor& left, IntArrayRef sizes,
                         IntArrayRef strides, const Scalar& alpha) {
  if (!is_stored_by_columns(sizes, strides)) {
    return maybe_multiply(mm(conjugate(t(left)), grad), conjugate(alpha));
  }
  const Tensor turned_grad = t(grad);
  return maybe_multiply(t(mm(turned_grad, conjugate(left))), conjugate(alpha));
}

}  // namespace tsc::autograd
