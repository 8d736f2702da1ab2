// Singular values and vectors. The formulas are those of Townsend, "Differentiating the Singular
// Value Decomposition" (2016), for distinct singular values.
#include "autograd/formulas/lapack.h"
#include "autograd/formulas/matrices.h"
#include "gen/ops/factory.h"
#include "gen/ops/reduce.h"

namespace tsc::autograd {
namespace {

Tensor skew_part(const Tensor& matrix) { return matrix - adjoint(matrix); }

// The vectors of a complex matrix are one choice of many: each pair may be turned by a phase.
void check_phase(const Tensor& u_part, const Tensor& vh_part) {
  const auto phases = [](const Tensor& part) { return imaginary_part(diagonal_of(part)); };
  const Tensor& some = u_part.defined() ? u_part : vh_part;
  const Tensor u_phases = u_part.defined() ? phases(u_part) : zeros_of(phases(some));
  const Tensor vh_phases = vh_part.defined() ? phases(vh_part) : zeros_of(phases(some));
  TSC_CHECK(allclose(u_phases, -vh_phases, 1e-2, 1e-2),
            "svd_backward: The singular vectors in the complex case are specified up to "
            "multiplication by e^{{i phi}}. The specified loss function depends on this phase "
            "term, making it ill-defined.");
}

// For a pair of singular values, the difference of their squares; 1 on the diagonal.
Tensor gaps(const Tensor& s) {
  const Tensor squares = s * s;
  return as_row(squares) - as_column(squares) + diag_embed(ones_like(s));
}

Tensor first_columns(const Tensor& matrix, int64_t count) { return narrow(matrix, -1, 0, count); }
Tensor first_rows(const Tensor& matrix, int64_t count) { return narrow(matrix, -2, 0, count); }

// What of the gradient is in the space of the vectors: U^H grad_A V.
Tensor inner_gradient(const Tensor& grad_u, const Tensor& grad_s, const Tensor& grad_vh,
                      const Tensor& u, const Tensor& s, const Tensor& vh) {
  const Tensor u_part = grad_u.defined() ? skew_part(matmul(adjoint(u), grad_u)) : Tensor();
  const Tensor vh_part = grad_vh.defined() ? skew_part(matmul(vh, adjoint(grad_vh))) : Tensor();
  Tensor inner = grad_s.defined() ? diag_embed(grad_s) : Tensor();
  if (u.is_complex()) {
    check_phase(u_part, vh_part);
    if (u_part.defined() && vh_part.defined()) {
      inner = add_defined(inner, diag_embed(diagonal_of(u_part) / (2 * s)));
    }
  }
  const Tensor gap = gaps(s);
  if (u_part.defined()) {
    inner = add_defined(u_part / gap * as_row(s), inner);
  }
  if (vh_part.defined()) {
    inner = add_defined(as_column(s) * (vh_part / gap), inner);
  }
  return inner;
}

Tensor of_thin_svd(const Tensor& grad_u, const Tensor& grad_s, const Tensor& grad_vh,
                   const Tensor& u, const Tensor& s, const Tensor& vh) {
  const int64_t rows = u.size(-2);
  const int64_t columns = vh.size(-1);
  if (!grad_u.defined() && !grad_vh.defined()) {
    return rows >= columns ? matmul(u, as_column(grad_s) * vh) : matmul(u * as_row(grad_s), vh);
  }
  const Tensor inner = inner_gradient(grad_u, grad_s, grad_vh, u, s, vh);
  if (rows > columns && grad_u.defined()) {
    // The part of grad_u that is orthogonal to u.
    const Tensor scaled = grad_u / as_row(s);
    return matmul(matmul(u, inner) + scaled - matmul(u, matmul(adjoint(u), scaled)), vh);
  }
  if (rows < columns && grad_vh.defined()) {
    const Tensor scaled = grad_vh / as_column(s);
    return matmul(u, matmul(inner, vh) + scaled - matmul(matmul(scaled, adjoint(vh)), vh));
  }
  return rows >= columns ? matmul(u, matmul(inner, vh)) : matmul(matmul(u, inner), vh);
}

}  // namespace

Tensor svd_backward(const Tensor& grad_u, const Tensor& grad_s, const Tensor& grad_vh,
                    const Tensor& u, const Tensor& s, const Tensor& vh) {
  // Of all vectors, only those of singular values have a gradient.
  const int64_t count = s.size(-1);
  const auto columns = [&](const Tensor& matrix) {
    return matrix.defined() ? first_columns(matrix, count) : matrix;
  };
  const auto rows = [&](const Tensor& matrix) {
    return matrix.defined() ? first_rows(matrix, count) : matrix;
  };
  return of_thin_svd(columns(grad_u), grad_s, rows(grad_vh), columns(u), s, rows(vh));
}

}  // namespace tsc::autograd
