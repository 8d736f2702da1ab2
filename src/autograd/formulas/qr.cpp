// Factorisations Q R, and products of reflectors.
#include <vector>

#include "autograd/formulas/lapack.h"
#include "autograd/formulas/matrices.h"
#include "core/tensor_factory.h"
#include "gen/ops/factory.h"
#include "gen/ops/shape.h"

namespace tsc::autograd {
namespace {

// Of a matrix with no more columns than rows.
Tensor tall_qr_backward(const Tensor& grad_q, const Tensor& grad_r, const Tensor& q,
                        const Tensor& r) {
  Tensor inner = grad_r.defined() ? matmul(grad_r, adjoint(r)) : Tensor();
  if (grad_q.defined()) {
    inner = add_defined(inner, -matmul(adjoint(q), grad_q));
  }
  // The upper triangle and its adjoint, where the diagonal counts once.
  const Tensor upper = triu(inner);
  const Tensor diagonal = cast(real_part(diagonal_of(inner)), inner.dtype());
  const Tensor symmetric =
      upper + adjoint(triu(inner, 1)) - diag_embed(diagonal_of(inner) - diagonal);
  return linalg_solve_triangular(adjoint(r), add_defined(matmul(q, symmetric), grad_q), false,
                                 false);
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
  if (rows >= columns) {
    return tall_qr_backward(grad_q, grad_r, q, r);
  }
  // The first columns give Q; the others are Q times the rest of R.
  const Tensor first = narrow(r, -1, 0, rows);
  const Tensor rest = narrow(r, -1, rows, columns - rows);
  if (!grad_r.defined()) {
    return cat({tall_qr_backward(grad_q, grad_r, q, first), zeros_of(matmul(q, rest))}, -1);
  }
  const Tensor grad_rest = narrow(grad_r, -1, rows, columns - rows);
  const Tensor all_of_q = add_defined(grad_q, matmul(q, matmul(rest, adjoint(grad_rest))));
  const Tensor left = tall_qr_backward(all_of_q, narrow(grad_r, -1, 0, rows), q, first);
  return cat({left, matmul(q, grad_rest)}, -1);
}

namespace {

// Reflectors I - tau v v^H, of which the matrix has the v below its diagonal.
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
  // What stands behind each reflector in the product.
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
