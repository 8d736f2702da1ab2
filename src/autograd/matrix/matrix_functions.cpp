#include "autograd/matrix/matrix_functions.h"

#include "autograd/matrix/factorization_parts.h"
#include "gen/calls/adjoint.h"
#include "gen/calls/cat.h"
#include "gen/calls/matmul.h"
#include "gen/calls/narrow.h"
#include "gen/ops/matrix_functions.h"

namespace tsc::autograd {

// Golub and Pereyra, "The differentiation of pseudo-inverses" (1973); the products are ordered so
// that the smaller matrices are made.
Tensor pinv_backward(const Tensor& grad, const Tensor& inverse, const Tensor& a) {
  const Tensor turned_inverse = adjoint(inverse);
  const Tensor turned_grad = adjoint(grad);
  if (a.size(-2) <= a.size(-1)) {
    const Tensor k = matmul(turned_grad, inverse);
    const Tensor outer = matmul(k, turned_inverse);
    const Tensor gram = matmul(turned_inverse, inverse);
    const Tensor beside = matmul(gram, turned_grad - matmul(k, a));
    return -adjoint(matmul(inverse, k)) + outer - matmul(matmul(a, inverse), outer) + beside;
  }
  const Tensor k = matmul(inverse, turned_grad);
  const Tensor outer = matmul(turned_inverse, k);
  return -adjoint(matmul(k, inverse)) +
         matmul(matmul(turned_grad - matmul(a, k), inverse), turned_inverse) + outer -
         matmul(matmul(outer, inverse), a);
}

// Mathias, "A chain rule for matrix functions" (1996): the upper right block of the exponential of
// a block triangular matrix.
Tensor matrix_exp_backward(const Tensor& grad, const Tensor& a) {
  const int64_t size = a.size(-1);
  const Tensor block = adjoint(a);
  const Tensor upper = cat({block, grad}, -1);
  const Tensor lower = cat({zeros_of(block), block}, -1);
  const Tensor result = linalg_matrix_exp(cat({upper, lower}, -2));
  return narrow(narrow(result, -2, 0, size), -1, size, size);
}

}  // namespace tsc::autograd
