// Factorisations Q R, and products of reflectors.
#include <vector>

#include "autograd/matrix/factorization_parts.h"
#include "autograd/matrix/factorizations.h"
#include "core/tensor_factory.h"
#include "gen/calls/adjoint.h"
#include "gen/calls/cat.h"
#include "gen/calls/expand.h"
#include "gen/calls/eye.h"
#include "gen/calls/matmul.h"
#include "gen/calls/mul.h"
#include "gen/calls/narrow.h"
#include "gen/calls/new_zeros.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/tril.h"
#include "gen/calls/triu.h"

namespace tsc::autograd {
namespace {

// The triangle of a matrix and its adjoint (or less its adjoint), where the diagonal counts once.
void halve_diagonal(const Tensor& matrix, bool is_real) {
  const Tensor diagonal = diagonal_of(matrix);
  mul_(!matrix.is_complex() ? diagonal
       : is_real            ? real_part(diagonal)
                            : imaginary_part(diagonal),
       0.5);
}
Tensor symmetric_of(const Tensor& inner) {
  const Tensor upper = triu(inner);
  Tensor result = upper + adjoint(upper);
  halve_diagonal(result, true);
  return result;
}
Tensor lower_skew_of(const Tensor& inner) {
  Tensor result = tril(inner - adjoint(inner));
  if (result.is_complex()) {
    halve_diagonal(result, false);
  }
  return result;
}

// Solves A R^H = B.
Tensor divide_by(const Tensor& b, const Tensor& r) {
  return linalg_solve_triangular(adjoint(r), b, false, false);
}

}  // namespace

Tensor qr_backward(const Tensor& grad_q, const Tensor& grad_r, const Tensor& q, const Tensor& r,
                   std::string_view mode) {
  TSC_CHECK(mode != "r",
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. "
            "Please use linalg.qr(A, mode='reduced') if you are going to differentiate through "
            "linalg.qr.");
  const int64_t rows = q.size(-2);
  const int64_t columns = r.size(-1);
  TSC_CHECK(mode == "reduced" || rows <= columns,
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.");
  if (!grad_q.defined() && !grad_r.defined()) {
    return {};
  }
  const Tensor q_part = grad_q.defined() ? matmul(adjoint(q), grad_q) : Tensor();
  const Tensor r_part = grad_r.defined() ? matmul(grad_r, adjoint(r)) : Tensor();
  const Tensor inner = sub_defined(r_part, q_part);
  if (rows >= columns) {
    return divide_by(add_defined(matmul(q, symmetric_of(inner)), grad_q), r);
  }
  // The first columns determine Q; the others are Q times the rest of R.
  const Tensor product = matmul(q, lower_skew_of(-inner));
  const Tensor left = divide_by(product, narrow(r, -1, 0, rows));
  DimVector rest(left.sizes());
  rest[rest.size() - 1] = columns - rows;
  const Tensor result = cat({left, new_zeros(left, rest)}, -1);
  return grad_r.defined() ? result + matmul(q, grad_r) : result;
}

namespace {

// Reflectors I - tau v v^H, whose vectors v are stored below the diagonal of the matrix.
class Reflectors {
 public:
  Reflectors(const Tensor& matrix, const Tensor& factors)
      : vectors_(tril(matrix, -1) + identity_like(matrix)), factors_(factors) {}

  int64_t count() const { return factors_.size(-1); }
  Tensor vector(int64_t i) const { return narrow(vectors_, -1, i, 1); }
  Tensor factor(int64_t i) const { return as_column(narrow(factors_, -1, i, 1)); }
  Tensor apply(int64_t i, const Tensor& x) const { return apply(vector(i), factor(i), x); }
  Tensor apply_adjoint(int64_t i, const Tensor& x) const {
    return apply(vector(i), conjugate(factor(i)), x);
  }

  static Tensor identity_like(const Tensor& matrix) {
    return eye(matrix.size(-2), matrix.size(-1), matrix.options());
  }

 private:
  static Tensor apply(const Tensor& v, const Tensor& tau, const Tensor& x) {
    return x - tau * matmul(v, matmul(adjoint(v), x));
  }

  Tensor vectors_;
  Tensor factors_;
};

// The gradients of the reflectors in `matrix`, and of their factors, from that of the first
// columns of their product.
std::tuple<Tensor, Tensor> reflectors_backward(const Tensor& grad, const Tensor& matrix,
                                               const Tensor& tau) {
  if (matrix.numel() == 0 || tau.numel() == 0) {
    return {};
  }
  const Reflectors reflectors(matrix, tau);
  const int64_t count = reflectors.count();
  // behind[i]: the product of reflector i and those to its right.
  std::vector<Tensor> behind(static_cast<size_t>(count) + 1);
  behind.back() = expand(Reflectors::identity_like(grad), grad.sizes());
  for (int64_t i = count; i-- > 0;) {
    const auto at = static_cast<size_t>(i);
    behind[at] = reflectors.apply(i, behind[at + 1]);
  }
  std::vector<Tensor> vectors;
  std::vector<Tensor> factors;
  Tensor before = grad;
  for (int64_t i = 0; i < count; i++) {
    const Tensor v = reflectors.vector(i);
    const Tensor factor = reflectors.factor(i);
    const Tensor& x = behind[static_cast<size_t>(i) + 1];
    const Tensor product = matmul(before, matmul(adjoint(x), v));
    const Tensor turned_product = matmul(x, matmul(adjoint(before), v));
    factors.push_back(-matmul(adjoint(v), product));
    vectors.push_back(-(conjugate(factor) * product + factor * turned_product));
    before = reflectors.apply_adjoint(i, before);
  }
  const int64_t rest = matrix.size(-1) - count;
  vectors.push_back(zeros_of(narrow(matrix, -1, count, rest)));
  return {tril(cat(vectors, -1), -1), squeeze(cat(factors, -1), -2)};
}

}  // namespace

std::tuple<Tensor, Tensor> householder_product_backward(const Tensor& grad, const Tensor& matrix,
                                                        const Tensor& tau,
                                                        const std::array<bool, 2>&) {
  return reflectors_backward(grad, matrix, tau);
}

std::tuple<Tensor, Tensor, Tensor> ormqr_backward(const Tensor& grad, const Tensor& matrix,
                                                  const Tensor& tau, const Tensor& other, bool left,
                                                  bool transposed,
                                                  const std::array<bool, 3>& mask) {
  const Tensor grad_other = ormqr(matrix, tau, grad, left, !transposed);
  if (!mask[0] && !mask[1]) {
    return {Tensor(), Tensor(), grad_other};
  }
  const Tensor product = left ? matmul(grad, adjoint(other)) : matmul(adjoint(other), grad);
  const auto [grad_matrix, grad_tau] =
      reflectors_backward(transposed ? adjoint(product) : product, matrix, tau);
  return {grad_matrix, grad_tau, grad_other};
}

}  // namespace tsc::autograd
