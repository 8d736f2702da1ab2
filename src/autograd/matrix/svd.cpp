// Singular values and vectors. The formulas are those of Townsend, "Differentiating the Singular
// Value Decomposition" (2016), for distinct singular values.
#include "autograd/matrix/factorization_parts.h"
#include "autograd/matrix/factorizations.h"
#include "autograd/variable.h"
#include "gen/calls/adjoint.h"
#include "gen/calls/allclose.h"
#include "gen/calls/diag_embed.h"
#include "gen/calls/fill.h"
#include "gen/calls/matmul.h"
#include "gen/calls/narrow.h"
#include "ops/structured/modes.h"

namespace tsc::autograd {
namespace {

Tensor skew_part(const Tensor& matrix) { return matrix - adjoint(matrix); }

// Singular vectors of a complex matrix are unique only up to a phase of each pair: the loss must
// not depend on it.
void check_phase(const Tensor& u_part, const Tensor& vh_part) {
  const auto phases = [](const Tensor& part) { return imaginary_part(diagonal_of(part)); };
  if (calls_are_replayed()) {
    return;
  }
  const Tensor& some = u_part.defined() ? u_part : vh_part;
  const Tensor u_phases = u_part.defined() ? phases(u_part) : zeros_of(phases(some));
  const Tensor vh_phases = vh_part.defined() ? phases(vh_part) : zeros_of(phases(some));
  TSC_CHECK(allclose(u_phases, -vh_phases, 1e-2, 1e-2),
            "svd_backward: The singular vectors in the complex case are specified up to "
            "multiplication by e^{{i phi}}. The specified loss function depends on this phase "
            "term, making it ill-defined.");
}

// The difference of the squares of each pair of singular values; 1 on the diagonal.
Tensor gaps_of_squares(const Tensor& s) {
  const Tensor squares = s * s;
  Tensor result = as_row(squares) - as_column(squares);
  fill_(diagonal_of(result), 1);
  return result;
}

Tensor first_columns(const Tensor& matrix, int64_t count) { return narrow(matrix, -1, 0, count); }
Tensor first_rows(const Tensor& matrix, int64_t count) { return narrow(matrix, -2, 0, count); }

// The gradient in the basis of the singular vectors: U^H grad_A V.
Tensor inner_gradient(const Tensor& grad_u, const Tensor& grad_s, const Tensor& grad_vh,
                      const Tensor& u, const Tensor& s, const Tensor& vh) {
  const Tensor u_part = grad_u.defined() ? skew_part(matmul(adjoint(u), grad_u)) : Tensor();
  const Tensor vh_part = grad_vh.defined() ? skew_part(matmul(vh, adjoint(grad_vh))) : Tensor();
  if (u.is_complex()) {
    check_phase(u_part, vh_part);
  }
  const Tensor gap = gaps_of_squares(s);
  Tensor inner;
  if (u_part.defined() && vh_part.defined()) {
    inner = (u_part * as_row(s) + as_column(s) * vh_part) / gap;
    if (u.is_complex()) {
      inner = inner + diag_embed(diagonal_of(u_part) / (2 * s));
    }
  } else {
    inner = u_part.defined() ? u_part / gap * as_row(s) : as_column(s) * (vh_part / gap);
  }
  return grad_s.defined() ? inner + diag_embed(grad_s) : inner;
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
    const Tensor inside = matmul(u, inner);
    const Tensor scaled = grad_u / as_row(s);
    const Tensor along = matmul(u, matmul(adjoint(u), scaled));
    return matmul(inside + scaled - along, vh);
  }
  if (rows < columns && grad_vh.defined()) {
    const Tensor inside = matmul(inner, vh);
    const Tensor scaled = grad_vh / as_column(s);
    const Tensor along = matmul(matmul(scaled, adjoint(vh)), vh);
    return matmul(u, inside + scaled - along);
  }
  return rows >= columns ? matmul(u, matmul(inner, vh)) : matmul(matmul(u, inner), vh);
}

}  // namespace

Tensor svd_backward(const Tensor& grad_u, const Tensor& grad_s, const Tensor& grad_vh,
                    const Tensor& s, const Tensor& u, const Tensor& vh, bool full_matrices) {
  if (!full_matrices) {
    return of_thin_svd(grad_u, grad_s, grad_vh, u, s, vh);
  }
  // With full matrices, only the vectors of singular values have a gradient.
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
