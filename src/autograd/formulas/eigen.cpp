// Eigenvalues and eigenvectors, for distinct eigenvalues.
#include "autograd/formulas/lapack.h"
#include "autograd/formulas/matrices.h"
#include "autograd/variable.h"
#include "core/thread_local_state.h"
#include "gen/ops/binary.h"
#include "gen/ops/copy.h"
#include "gen/ops/factory.h"
#include "gen/ops/reduce.h"

namespace tsc::autograd {
namespace {

// A complex eigenvector is one choice of many: it may be turned by a phase.
void check_phase(const Tensor& diagonal, const char* function) {
  if (modes_see_calls()) {
    // A number read from the tensor is not for modes.
    return;
  }
  const Tensor phases = imaginary_part(diagonal);
  TSC_CHECK(allclose(phases, zeros_of(phases), 1e-2, 1e-2),
            "{}_backward: The eigenvectors in the complex case are specified up to multiplication "
            "by e^{{i phi}}. The specified loss function depends on this quantity, so it is "
            "ill-defined.",
            function);
}

// For a pair of eigenvalues, their difference; 1 on the diagonal.
Tensor gaps(const Tensor& values) {
  Tensor result = as_row(values) - as_column(values);
  fill_(diagonal_of(result), 1.0);
  return result;
}

// The quotients beside the diagonal, and on it the gradient of the values.
Tensor inner_gradient(const Tensor& grad_values, const Tensor& products, const Tensor& gap) {
  const Tensor quotients = tls().grad_mode ? products / gap : div_(products, gap);
  return grad_values.defined() ? diagonal_scatter(quotients, grad_values, 0, -2, -1) : quotients;
}

}  // namespace

Tensor eigh_backward(const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& values,
                     const Tensor& vectors) {
  if (!grad_vectors.defined()) {
    return matmul(vectors * as_row(grad_values), adjoint(vectors));
  }
  const Tensor products = matmul(adjoint(vectors), grad_vectors);
  const Tensor diagonal = diagonal_of(products);
  if (vectors.is_complex()) {
    check_phase(diagonal, "linalg_eigh");
  }
  // Vectors stay orthonormal, whatever the matrix.
  const Tensor turns = (products - adjoint(products)) * 0.5;
  const Tensor inner = inner_gradient(grad_values, turns, gaps(values));
  return matmul(vectors, matmul(inner, adjoint(vectors)));
}

Tensor eig_backward(const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& values,
                    const Tensor& vectors) {
  if (!grad_vectors.defined()) {
    const Tensor right = as_column(grad_values) * adjoint(vectors);
    return linalg_solve(adjoint(vectors), right);
  }
  const Tensor products = matmul(adjoint(vectors), grad_vectors);
  const Tensor diagonal = diagonal_of(products);
  check_phase(diagonal, "linalg_eig");
  // Every vector has the norm 1, whatever the matrix.
  const Tensor along = vectors * as_row(real_part(diagonal));
  const Tensor across = products - matmul(adjoint(vectors), along);
  const Tensor inner = inner_gradient(grad_values, across, gaps(conjugate(values)));
  const Tensor right = matmul(inner, adjoint(vectors));
  return linalg_solve(adjoint(vectors), right);
}

}  // namespace tsc::autograd
