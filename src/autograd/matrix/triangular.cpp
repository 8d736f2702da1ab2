// Cholesky factors, and equations with triangular matrices.
#include "autograd/matrix/factorization_parts.h"
#include "autograd/matrix/factorizations.h"
#include "gen/calls/adjoint.h"
#include "gen/calls/cholesky_solve.h"
#include "gen/calls/linalg_solve_triangular.h"
#include "gen/calls/matmul.h"
#include "gen/calls/triangular_solve.h"
#include "gen/calls/tril.h"
#include "gen/calls/triu.h"

namespace tsc::autograd {

Tensor cholesky_backward(const Tensor& grad, const Tensor& factor, bool upper) {
  const Tensor l = upper ? adjoint(factor) : factor;
  const Tensor inner = tril(matmul(adjoint(l), upper ? adjoint(grad) : grad));
  const Tensor symmetric = (inner + adjoint(tril(inner, -1))) * 0.5;
  return linalg_solve_triangular(l, linalg_solve_triangular(adjoint(l), symmetric, true), false,
                                 false);
}

std::tuple<Tensor, Tensor> cholesky_solve_backward(const Tensor& grad, const Tensor& factor,
                                                   const Tensor& result, bool upper,
                                                   const std::array<bool, 2>& mask) {
  const Tensor grad_right = cholesky_solve(grad, factor, upper);
  if (!mask[1]) {
    return {grad_right, Tensor()};
  }
  const Tensor product = matmul(grad_right, adjoint(result));
  const Tensor symmetric = product + adjoint(product);
  return {grad_right, -(upper ? matmul(factor, symmetric) : matmul(symmetric, factor))};
}

Tensor cholesky_inverse_backward(const Tensor& grad, const Tensor& factor, const Tensor& inverse,
                                 bool upper) {
  const Tensor symmetric = matmul(inverse, matmul(grad + adjoint(grad), inverse));
  return -(upper ? matmul(factor, symmetric) : matmul(symmetric, factor));
}

namespace {

// Only one triangle of the matrix is read, and not its diagonal where that counts as ones.
Tensor read_triangle(const Tensor& matrix, bool upper, bool unitriangular) {
  return upper ? triu(matrix, unitriangular ? 1 : 0) : tril(matrix, unitriangular ? -1 : 0);
}

}  // namespace

std::tuple<Tensor, Tensor> solve_triangular_backward(const Tensor& grad, const Tensor& a,
                                                     const Tensor& result, bool upper, bool left,
                                                     bool unitriangular,
                                                     const std::array<bool, 2>& mask) {
  const Tensor grad_b = linalg_solve_triangular(adjoint(a), grad, !upper, left, unitriangular);
  if (!mask[0]) {
    return {Tensor(), grad_b};
  }
  const Tensor product = left ? matmul(grad_b, adjoint(result)) : matmul(adjoint(result), grad_b);
  return {read_triangle(-product, upper, unitriangular), grad_b};
}

std::tuple<Tensor, Tensor> triangular_solve_backward(const Tensor& grad_solution,
                                                     const Tensor& grad_copy, const Tensor& a,
                                                     const Tensor& solution, bool upper,
                                                     bool transposed, bool unitriangular,
                                                     const std::array<bool, 2>& mask) {
  if (!grad_solution.defined()) {
    return {Tensor(), grad_copy};
  }
  const Tensor grad_b =
      std::get<0>(triangular_solve(grad_solution, conjugate(a), upper, !transposed, unitriangular));
  if (!mask[1]) {
    return {grad_b, Tensor()};
  }
  const Tensor product =
      transposed ? matmul(conjugate(solution), turned(grad_b)) : matmul(grad_b, adjoint(solution));
  return {grad_b, add_defined(read_triangle(-product, upper, unitriangular), grad_copy)};
}

}  // namespace tsc::autograd
