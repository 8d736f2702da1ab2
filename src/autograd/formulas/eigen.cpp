// Eigenvalues and eigenvectors, for distinct eigenvalues.
#include "autograd/formulas/lapack.h"
#include "autograd/formulas/matrices.h"
#include "gen/ops/factory.h"
#include "gen/ops/reduce.h"

namespace tsc::autograd {
namespace {

// A complex eigenvector is one choice of many: it may be turned by a phase.
void check_phase(const Tensor& products, const char* function) {
  const Tensor phases = imaginary_part(diagonal_of(products));
  TSC_CHECK(allclose(phases, zeros_of(phases), 1e-2, 1e-2),
            "{}_backward: The eigenvectors in the complex case are specified up to multiplication "
            "by e^{{i phi}}. The specified loss function depends on this quantity, so it is "
            "ill-defined.",
            function);
}

// For a pair of eigenvalues, their difference; 1 on the diagonal.
Tensor gaps(const Tensor& values) {
  return as_row(values) - as_column(values) + diag_embed(ones_like(values));
}

// The quotients beside the diagonal, and on it the gradient of the values.
Tensor inner_gradient(const Tensor& grad_values, const Tensor& products, const Tensor& gap) {
  const Tensor quotients = products / gap;
  const Tensor beside = quotients - diag_embed(diagonal_of(quotients));
  return grad_values.defined() ? beside + diag_embed(grad_values) : beside;
}

}  // namespace

Tensor eigh_backward(const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& values,
                     const Tensor& vectors) {
  if (!grad_vectors.defined()) {
    return matmul(vectors * as_row(grad_values), adjoint(vectors));
  }
  const Tensor products = matmul(adjoint(vectors), grad_vectors);
  if (vectors.is_complex()) {
    check_phase(products, "linalg_eigh");
  }
  // Vectors stay orthonormal, whatever the matrix.
  const Tensor turns = (products - adjoint(products)) / 2;
  const Tensor inner = inner_gradient(grad_values, turns, gaps(values));
  return matmul(vectors, matmul(inner, adjoint(vectors)));
}

Tensor eig_backward(const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& values,
                    const Tensor& vectors) {
  const Tensor turned_vectors = adjoint(vectors);
  if (!grad_vectors.defined()) {
    return linalg_solve(turned_vectors, as_column(grad_values) * turned_vectors);
  }
  const Tensor products = matmul(turned_vectors, grad_vectors);
  check_phase(products, "linalg_eig");
  // Every vector has the norm 1, whatever the matrix.
  const Tensor along = cast(real_part(diagonal_of(products)), vectors.dtype());
  const Tensor across = products - matmul(turned_vectors, vectors * as_row(along));
  const Tensor inner = inner_gradient(grad_values, across, gaps(conjugate(values)));
  return linalg_solve(turned_vectors, matmul(inner, turned_vectors));
}

}  // namespace tsc::autograd
