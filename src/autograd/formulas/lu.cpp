// LU factorisations, and what is computed with them.
#include "autograd/formulas/lapack.h"
#include "autograd/formulas/matrices.h"
#include "autograd/formulas/reduce.h"
#include "core/tensor_factory.h"
#include "core/thread_local_state.h"
#include "gen/ops/compare.h"
#include "gen/ops/lapack.h"
#include "gen/ops/reduce.h"
#include "gen/ops/shape.h"
#include "gen/ops/unary.h"
#include "ops/matrices.h"

namespace tsc::autograd {
namespace {

// A X = B where L^H is A: upper, with ones on its diagonal.
Tensor solve_unit(const Tensor& l, const Tensor& b) {
  return linalg_solve_triangular(adjoint(l), b, true, true, true);
}
// X U^H = B.
Tensor solve_from_right(const Tensor& u, const Tensor& b) {
  return linalg_solve_triangular(adjoint(u), b, false, false);
}

Tensor times_adjoint(const Tensor& grad_u, const Tensor& u) {
  return grad_u.defined() ? matmul(triu(grad_u), adjoint(u)) : Tensor();
}
Tensor adjoint_times(const Tensor& l, const Tensor& grad_l) {
  return grad_l.defined() ? matmul(adjoint(l), tril(grad_l, -1)) : Tensor();
}
Tensor minus_defined(const Tensor& a, const Tensor& b) {
  return b.defined() ? add_defined(a, -b) : a;
}

// Without the row exchanges; one of the gradients may be undefined.
Tensor square_lu_backward(const Tensor& grad_l, const Tensor& grad_u, const Tensor& l,
                          const Tensor& u) {
  const Tensor lower = grad_l.defined() ? tril(adjoint_times(l, grad_l), -1) : Tensor();
  const Tensor upper = grad_u.defined() ? triu(times_adjoint(grad_u, u)) : Tensor();
  return solve_unit(l, solve_from_right(u, add_defined(lower, upper)));
}

Tensor wide_lu_backward(const Tensor& grad_l, const Tensor& grad_u, const Tensor& l,
                        const Tensor& u) {
  const int64_t rows = u.size(-2);
  const int64_t rest = u.size(-1) - rows;
  const Tensor inner = minus_defined(adjoint_times(l, grad_l), times_adjoint(grad_u, u));
  const Tensor first = solve_from_right(narrow(u, -1, 0, rows), tril(inner, -1));
  const Tensor left = grad_u.defined() ? first + triu(narrow(grad_u, -1, 0, rows)) : first;
  const Tensor right =
      grad_u.defined() ? narrow(grad_u, -1, rows, rest) : zeros_of(narrow(u, -1, rows, rest));
  return solve_unit(l, cat({left, right}, -1));
}

Tensor tall_lu_backward(const Tensor& grad_l, const Tensor& grad_u, const Tensor& l,
                        const Tensor& u) {
  const int64_t columns = l.size(-1);
  const int64_t rest = l.size(-2) - columns;
  const Tensor inner = minus_defined(times_adjoint(grad_u, u), adjoint_times(l, grad_l));
  const Tensor first = solve_unit(narrow(l, -2, 0, columns), triu(inner));
  const Tensor top = grad_l.defined() ? first + tril(narrow(grad_l, -2, 0, columns), -1) : first;
  const Tensor bottom =
      grad_l.defined() ? narrow(grad_l, -2, columns, rest) : zeros_of(narrow(l, -2, columns, rest));
  return solve_from_right(u, cat({top, bottom}, -2));
}

// The matrix with zeros behind it up to `count` rows or columns.
Tensor pad(const Tensor& matrix, int64_t dim, int64_t count) {
  DimVector sizes(matrix.sizes());
  auto& size = sizes[sizes.size() - static_cast<size_t>(-dim)];
  size = count - size;
  return size == 0 ? matrix : cat({matrix, zeros_of(sizes, matrix)}, dim);
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
  return lu_backward(narrow(grad, -1, 0, least), narrow(grad, -2, 0, least), p, l, u);
}

Tensor lu_unpack_backward(const Tensor& grad_l, const Tensor& grad_u, IntArrayRef sizes) {
  const int64_t rows = sizes[sizes.size() - 2];
  const int64_t columns = sizes[sizes.size() - 1];
  return add_defined(grad_l.defined() ? pad(tril(grad_l, -1), -1, columns) : Tensor(),
                     grad_u.defined() ? pad(triu(grad_u), -2, rows) : Tensor());
}

Tensor lu_solve_backward(const Tensor& grad, const Tensor& lu, const Tensor& pivots,
                         const Tensor& result, bool left, bool is_adjoint) {
  const auto [p, l, u] = lu_unpack(lu, pivots);
  const Tensor grad_x = left ? grad : adjoint(grad);
  const Tensor x = left ? result : adjoint(result);
  if (left != is_adjoint) {
    const Tensor inner = linalg_solve_triangular(adjoint(u), -matmul(grad_x, adjoint(x)), false);
    return tril(solve_unit(l, matmul(inner, adjoint(u))), -1) + triu(inner);
  }
  const Tensor exchanged = -matmul(matmul(turned(p), matmul(x, adjoint(grad_x))), p);
  const Tensor inner = linalg_solve_triangular(adjoint(l), exchanged, true, false, true);
  return tril(inner, -1) + triu(solve_from_right(u, matmul(adjoint(l), inner)));
}

std::tuple<Tensor, Tensor> solve_backward(const Tensor& grad, const Tensor& a, const Tensor& b,
                                          const Tensor& result, const Tensor& lu,
                                          const Tensor& pivots, bool left,
                                          const std::array<bool, 2>& mask) {
  const bool is_vector = is_vector_of_system(a, b);
  const Tensor right = is_vector ? as_column(grad) : grad;
  // With the factors there are, unless somebody differentiates again.
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

// Every number as a multiple of the identity.
Tensor scaled_identity(const Tensor& numbers, const Tensor& like) {
  return diag_embed(expand_as(as_column(numbers), diagonal_of(like)));
}

// By the adjugate, from singular values, which singular matrices have, too.
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
  const Tensor right = scaled_identity(grad * conjugate(det), a);
  const double epsilon = epsilon_of(a.dtype());
  if (!tls().grad_mode) {
    // Next to a singular matrix there is one that is not.
    const Tensor is_zero = eq(diagonal_of(lu), 0);
    const Tensor step = where_or_zero(is_zero, number_like(epsilon, lu));
    return linalg_lu_solve(lu + diag_embed(expand_as(step, is_zero)), pivots, right, true, true);
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
    // The sign of a real determinant does not change; that of a complex one turns.
    const Scalar i(std::complex<double>(0, 1));
    grad = add_defined(grad, -(imaginary_part(conjugate(grad_sign) * sign) * i));
  }
  if (!grad.defined()) {
    return {};
  }
  const Tensor right = scaled_identity(cast(grad, a.dtype()), a);
  return tls().grad_mode ? linalg_solve(adjoint(a), right)
                         : linalg_lu_solve(lu, pivots, right, true, true);
}

}  // namespace tsc::autograd
