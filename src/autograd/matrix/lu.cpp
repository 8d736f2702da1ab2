// LU factorisations, determinants and solutions computed from them.
#include "autograd/matrix/factorization_parts.h"
#include "autograd/matrix/factorizations.h"
#include "autograd/reduce/reduce.h"
#include "core/keys/thread_local_state.h"
#include "core/tensor_factory.h"
#include "gen/calls/abs.h"
#include "gen/calls/adjoint.h"
#include "gen/calls/any.h"
#include "gen/calls/cat.h"
#include "gen/calls/diag_embed.h"
#include "gen/calls/eq.h"
#include "gen/calls/expand.h"
#include "gen/calls/linalg_det.h"
#include "gen/calls/linalg_lu_solve.h"
#include "gen/calls/linalg_solve.h"
#include "gen/calls/linalg_solve_triangular.h"
#include "gen/calls/linalg_svd.h"
#include "gen/calls/lt.h"
#include "gen/calls/lu_unpack.h"
#include "gen/calls/matmul.h"
#include "gen/calls/narrow.h"
#include "gen/calls/pad.h"
#include "gen/calls/prod.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/tril.h"
#include "gen/calls/triu.h"
#include "gen/calls/where.h"
#include "gen/calls/zeros.h"
#include "ops/matrix/matrix_batches.h"

namespace tsc::autograd {
namespace {

// Solves A X = B where A is L^H: upper triangular, with ones on its diagonal.
Tensor solve_unit(const Tensor& l, const Tensor& b) {
  return linalg_solve_triangular(adjoint(l), b, true, true, true);
}
// Solves X U^H = B.
Tensor solve_from_right(const Tensor& u, const Tensor& b) {
  return linalg_solve_triangular(adjoint(u), b, false, false);
}

// For a square matrix, without the row exchanges; one of the gradients may be undefined.
Tensor square_lu_backward(const Tensor& grad_l, const Tensor& grad_u, const Tensor& l,
                          const Tensor& u) {
  const Tensor lower = grad_l.defined() ? tril(matmul(adjoint(l), grad_l), -1) : Tensor();
  const Tensor upper = grad_u.defined() ? triu(matmul(grad_u, adjoint(u))) : Tensor();
  return solve_unit(l, solve_from_right(u, add_defined(lower, upper)));
}

Tensor wide_lu_backward(const Tensor& grad_l, const Tensor& grad_u, const Tensor& l,
                        const Tensor& u) {
  const int64_t rows = u.size(-2);
  const int64_t rest = u.size(-1) - rows;
  const Tensor l_part = grad_l.defined() ? matmul(adjoint(l), grad_l) : Tensor();
  const Tensor triangle = grad_u.defined() ? triu(grad_u) : Tensor();
  const Tensor u_part = grad_u.defined() ? matmul(triangle, adjoint(u)) : Tensor();
  const Tensor inner = tril(sub_defined(l_part, u_part), -1);
  const Tensor first = solve_from_right(narrow(u, -1, 0, rows), inner);
  if (!grad_u.defined()) {
    return cat({solve_unit(l, first), zeros_of(narrow(u, -1, rows, rest))}, -1);
  }
  const Tensor left = first + triu(narrow(grad_u, -1, 0, rows));
  return solve_unit(l, cat({left, narrow(grad_u, -1, rows, rest)}, -1));
}

Tensor tall_lu_backward(const Tensor& grad_l, const Tensor& grad_u, const Tensor& l,
                        const Tensor& u) {
  const int64_t columns = l.size(-1);
  const int64_t rest = l.size(-2) - columns;
  const Tensor u_part = grad_u.defined() ? matmul(grad_u, adjoint(u)) : Tensor();
  const Tensor l_adjoint = grad_l.defined() ? adjoint(l) : Tensor();
  const Tensor l_part = grad_l.defined() ? matmul(l_adjoint, tril(grad_l, -1)) : Tensor();
  const Tensor inner = triu(sub_defined(u_part, l_part));
  const Tensor first = solve_unit(narrow(l, -2, 0, columns), inner);
  if (!grad_l.defined()) {
    return cat({solve_from_right(u, first), zeros_of(narrow(l, -2, columns, rest))}, -2);
  }
  const Tensor top = first + tril(narrow(grad_l, -2, 0, columns), -1);
  return solve_from_right(u, cat({top, narrow(grad_l, -2, columns, rest)}, -2));
}

// The matrix padded with zeros to `count` rows or columns.
Tensor pad(const Tensor& matrix, int64_t dim, int64_t count) {
  DimVector sizes(matrix.sizes());
  auto& size = sizes[sizes.size() - static_cast<size_t>(-dim)];
  size = count - size;
  return size == 0 ? matrix : cat({matrix, zeros(sizes, matrix.options())}, dim);
}

// Takes the triangle of the first rows (or columns) of `longer`, adds `square`, and appends the
// others.
template <class Triangle>
Tensor add_to_first(const Tensor& longer, int64_t dim, const Tensor& square,
                    const Triangle& triangle) {
  const int64_t least = square.size(dim);
  const Tensor first = triangle(narrow(longer, dim, 0, least), square);
  return cat({first, narrow(longer, dim, least, longer.size(dim) - least)}, dim);
}

}  // namespace

Tensor lu_backward(const Tensor& grad_l, const Tensor& grad_u, const Tensor& p, const Tensor& l,
                   const Tensor& u) {
  if (!grad_l.defined() && !grad_u.defined()) {
    return {};
  }
  const int64_t rows = l.size(-2);
  const int64_t columns = u.size(-1);
  const auto backward = rows == columns  ? &square_lu_backward
                        : rows < columns ? &wide_lu_backward
                                         : &tall_lu_backward;
  return matmul(p, backward(grad_l, grad_u, l, u));
}

Tensor lu_factor_backward(const Tensor& grad, const Tensor& lu, const Tensor& pivots) {
  const auto [p, l, u] = lu_unpack(lu, pivots);
  const int64_t least = l.size(-1);
  const Tensor grad_l = narrow(grad, -1, 0, least);
  return lu_backward(grad_l, narrow(grad, -2, 0, least), p, l, u);
}

Tensor lu_unpack_backward(const Tensor& grad_l, const Tensor& grad_u, IntArrayRef sizes) {
  const int64_t rows = sizes[sizes.size() - 2];
  const int64_t columns = sizes[sizes.size() - 1];
  if (!grad_l.defined()) {
    return grad_u.defined() ? pad(triu(grad_u), -2, rows) : Tensor();
  }
  if (!grad_u.defined()) {
    return pad(tril(grad_l, -1), -1, columns);
  }
  // The triangle of the square factor is the last term of the sum for U, and the first for L.
  if (rows < columns) {
    return add_to_first(grad_u, -1, grad_l, [](const Tensor& upper, const Tensor& lower) {
      const Tensor triangle = triu(upper);
      return tril(lower, -1) + triangle;
    });
  }
  const Tensor triangle = triu(grad_u);
  if (rows == columns) {
    return tril(grad_l, -1) + triangle;
  }
  return add_to_first(grad_l, -2, triangle, [](const Tensor& lower, const Tensor& upper) {
    return tril(lower, -1) + upper;
  });
}

Tensor lu_solve_backward(const Tensor& grad, const Tensor& lu, const Tensor& pivots,
                         const Tensor& result, bool left, bool is_adjoint) {
  const bool exchanges = left == is_adjoint;
  const auto [p, l, u] = lu_unpack(lu, pivots, true, exchanges);
  const Tensor grad_x = left ? grad : adjoint(grad);
  const Tensor x = left ? result : adjoint(result);
  if (!exchanges) {
    const Tensor inner = linalg_solve_triangular(adjoint(u), -matmul(grad_x, adjoint(x)), false);
    const Tensor lower = tril(solve_unit(l, matmul(inner, adjoint(u))), -1);
    return lower + triu(inner);
  }
  const Tensor exchanged = matmul(turned(p), x);
  const Tensor product = -matmul(matmul(exchanged, adjoint(grad_x)), p);
  const Tensor inner = linalg_solve_triangular(adjoint(l), product, true, false, true);
  const Tensor upper = triu(solve_from_right(u, matmul(adjoint(l), inner)));
  return tril(inner, -1) + upper;
}

std::tuple<Tensor, Tensor> solve_backward(const Tensor& grad, const Tensor& a, const Tensor& b,
                                          const Tensor& result, const Tensor& lu,
                                          const Tensor& pivots, bool left,
                                          const std::array<bool, 2>& mask) {
  const bool is_vector = is_vector_of_system(a, b);
  const Tensor right = is_vector ? as_column(grad) : grad;
  // Uses the existing factors, unless the gradient itself must be differentiable.
  const Tensor grad_b = tls().grad_mode ? linalg_solve(adjoint(a), right, left)
                                        : linalg_lu_solve(lu, pivots, right, left, true);
  Tensor grad_a;
  if (mask[0]) {
    const Tensor x = adjoint(is_vector ? as_column(result) : result);
    grad_a = -(left ? matmul(grad_b, x) : matmul(x, grad_b));
  }
  return {grad_a, is_vector ? squeeze(grad_b, -1) : grad_b};
}

Tensor inverse_backward(const Tensor& grad, const Tensor& inverse) {
  return -matmul(adjoint(inverse), matmul(grad, adjoint(inverse)));
}

namespace {

// Each number times the identity of the size of `like`.
Tensor scaled_identity(const Tensor& numbers, const Tensor& like) {
  const IntArrayRef rows = like.sizes().slice(0, like.sizes().size() - 1);
  return diag_embed(expand(as_column(numbers), rows));
}

// Solves A^H X = `right` by the factors of a determinant's LU factorisation, which may be those of
// the transposed matrix.
Tensor solve_with_factors(const Tensor& a, const Tensor& lu, const Tensor& pivots,
                          const Tensor& right) {
  return factorises_transposed(a) ? linalg_lu_solve(lu, pivots, right)
                                  : linalg_lu_solve(lu, pivots, right, true, true);
}

Tensor turned_if_transposed(const Tensor& a, const Tensor& right) {
  return factorises_transposed(a) ? turned(right) : right;
}

// By the adjugate, computed from singular values, which exist for singular matrices, too.
Tensor singular_det_backward(const Tensor& grad, const Tensor& a) {
  const auto [u, s, vh] = linalg_svd(a, false);
  const Tensor factor = conjugate(linalg_det(u) * linalg_det(vh)) * grad;
  const Tensor values = cast(s, factor.dtype());
  const Tensor scales = prod_backward(factor, values, prod(values, -1), -1, false);
  return matmul(u * as_row(scales), vh);
}

}  // namespace

Tensor det_backward(const Tensor& grad, const Tensor& a, const Tensor& det, const Tensor& lu,
                    const Tensor& pivots) {
  if (a.size(-1) == 0) {
    return zeros_of(a);
  }
  if (a.size(-1) == 1) {
    return expand(as_column(as_column(grad)), a.sizes());
  }
  const Tensor right = scaled_identity(grad * conjugate(det), a);
  const double epsilon = epsilon_of(a.dtype());
  if (!tls().grad_mode) {
    // Perturbs a singular matrix to a regular one.
    const Tensor turned_right = turned_if_transposed(a, right);
    const Tensor is_zero = eq(diagonal_of(lu), 0.0);
    const Tensor none = number_like(0.0, lu);
    const Tensor step = where(is_zero, number_like(epsilon, lu), none);
    return solve_with_factors(a, lu + diag_embed(step), pivots, turned_right);
  }
  if (read_scalar(any(lt(abs(det), 100 * epsilon))).to_bool()) {
    return singular_det_backward(grad, a);
  }
  return linalg_solve(adjoint(a), right);
}

Tensor slogdet_backward(const Tensor& grad_sign, const Tensor& grad_logabsdet, const Tensor& a,
                        const Tensor& sign, const Tensor& lu, const Tensor& pivots) {
  Tensor grad = grad_logabsdet;
  if (a.is_complex() && grad_sign.defined()) {
    // The sign of a real determinant is constant; that of a complex one rotates.
    const Scalar i(std::complex<double>(0, 1));
    grad = add_defined(grad, -(imaginary_part(conjugate(grad_sign) * sign) * i));
  }
  if (!grad.defined()) {
    return {};
  }
  const Tensor right = scaled_identity(cast(grad, a.dtype()), a);
  return tls().grad_mode ? linalg_solve(adjoint(a), right)
                         : solve_with_factors(a, lu, pivots, turned_if_transposed(a, right));
}

}  // namespace tsc::autograd
