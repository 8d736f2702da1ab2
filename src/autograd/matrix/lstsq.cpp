// Least squares.
#include "autograd/matrix/factorization_parts.h"
#include "autograd/matrix/factorizations.h"
#include "autograd/matrix/matrix_functions.h"
#include "gen/calls/adjoint.h"
#include "gen/calls/linalg_pinv.h"
#include "gen/calls/matmul.h"
#include "gen/calls/squeeze.h"
#include "ops/matrix/matrix_batches.h"

namespace tsc::autograd {

std::tuple<Tensor, Tensor> lstsq_backward(const Tensor& grad_solution, const Tensor& grad_residuals,
                                          const Tensor& a, const Tensor& b, const Tensor& solution,
                                          const std::array<bool, 2>& mask) {
  const bool is_vector = is_vector_of_system(a, b);
  const auto as_matrix = [&](const Tensor& x) { return is_vector ? as_column(x) : x; };
  const Tensor right = as_matrix(b);
  Tensor grad_a;
  Tensor grad_b;
  if (grad_solution.defined()) {
    const Tensor inverse = linalg_pinv(a, std::optional<double>(), std::nullopt);
    const Tensor grad = as_matrix(grad_solution);
    if (mask[0]) {
      grad_a = pinv_backward(matmul(grad, adjoint(right)), inverse, a);
    }
    if (mask[1]) {
      grad_b = matmul(adjoint(inverse), grad);
    }
  }
  if (grad_residuals.defined() && grad_residuals.numel() > 0) {
    // The residual is orthogonal to the columns of a, so a change of the solution does not count.
    const Tensor x = as_matrix(solution);
    const Tensor scaled = 2 * (as_row(grad_residuals) * (right - matmul(a, x)));
    grad_b = add_defined(grad_b, scaled);
    grad_a = add_defined(grad_a, -matmul(scaled, adjoint(x)));
  }
  return {grad_a, is_vector && grad_b.defined() ? squeeze(grad_b, -1) : grad_b};
}

}  // namespace tsc::autograd
