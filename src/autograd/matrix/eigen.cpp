// Eigenvalues and eigenvectors, for distinct eigenvalues.
#include "autograd/matrix/factorization_parts.h"
#include "autograd/matrix/factorizations.h"
#include "autograd/variable.h"
#include "core/keys/thread_local_state.h"
#include "gen/calls/adjoint.h"
#include "gen/calls/allclose.h"
#include "gen/calls/diagonal_scatter.h"
#include "gen/calls/div.h"
#include "gen/calls/fill.h"
#include "gen/calls/matmul.h"
#include "ops/structured/modes.h"

namespace tsc::autograd {
namespace {

// Complex eigenvectors are unique only up to a phase: the loss must not depend on it.
void check_phase(const Tensor& diagonal, const char* function) {
  if (calls_are_replayed()) {
    return;
  }
  const Tensor phases = imaginary_part(diagonal);
  TSC_CHECK(allclose(phases, zeros_of(phases), 1e-2, 1e-2),
            "{}_backward: The eigenvectors in the complex case are specified up to multiplication "
            "by e^{{i phi}}. The specified loss function depends on this quantity, so it is "
            "ill-defined.",
            function);
}

// The difference of each pair of eigenvalues; 1 on the diagonal.
Tensor gaps(const Tensor& values) {
  Tensor result = as_row(values) - as_column(values);
  fill_(diagonal_of(result), 1.0);
  return result;
}

// Off the diagonal the quotients, on it the gradient of the eigenvalues.
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
  // The eigenvectors of every matrix are orthonormal, so only the skew part counts.
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
  // Every eigenvector has norm 1, so the gradient along it does not count.
  const Tensor along = vectors * as_row(real_part(diagonal));
  const Tensor across = products - matmul(adjoint(vectors), along);
  const Tensor inner = inner_gradient(grad_values, across, gaps(conjugate(values)));
  const Tensor right = matmul(inner, adjoint(vectors));
  return linalg_solve(adjoint(vectors), right);
}

}  // namespace tsc::autograd
