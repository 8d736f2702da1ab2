// Longer formulas of autograd/matrix/factorizations.yaml. Gradients of results that were not used
// are undefined.
#pragma once

#include <array>
#include <tuple>

#include "autograd/operators.h"
#include "gen/ops/factorizations.h"

namespace tsc::autograd {

Tensor svd_backward(const Tensor& grad_u, const Tensor& grad_s, const Tensor& grad_vh,
                    const Tensor& s, const Tensor& u, const Tensor& vh, bool full_matrices);

Tensor cholesky_backward(const Tensor& grad, const Tensor& factor, bool upper);
std::tuple<Tensor, Tensor> cholesky_solve_backward(const Tensor& grad, const Tensor& factor,
                                                   const Tensor& result, bool upper,
                                                   const std::array<bool, 2>& mask);
Tensor cholesky_inverse_backward(const Tensor& grad, const Tensor& factor, const Tensor& inverse,
                                 bool upper);
std::tuple<Tensor, Tensor> solve_triangular_backward(const Tensor& grad, const Tensor& a,
                                                     const Tensor& result, bool upper, bool left,
                                                     bool unitriangular,
                                                     const std::array<bool, 2>& mask);
std::tuple<Tensor, Tensor> triangular_solve_backward(const Tensor& grad_solution,
                                                     const Tensor& grad_copy, const Tensor& a,
                                                     const Tensor& solution, bool upper,
                                                     bool transposed, bool unitriangular,
                                                     const std::array<bool, 2>& mask);

Tensor lu_backward(const Tensor& grad_l, const Tensor& grad_u, const Tensor& p, const Tensor& l,
                   const Tensor& u);
Tensor lu_factor_backward(const Tensor& grad, const Tensor& lu, const Tensor& pivots);
Tensor lu_unpack_backward(const Tensor& grad_l, const Tensor& grad_u, IntArrayRef sizes);
Tensor lu_solve_backward(const Tensor& grad, const Tensor& lu, const Tensor& pivots,
                         const Tensor& result, bool left, bool is_adjoint);
std::tuple<Tensor, Tensor> solve_backward(const Tensor& grad, const Tensor& a, const Tensor& b,
                                          const Tensor& result, const Tensor& lu,
                                          const Tensor& pivots, bool left,
                                          const std::array<bool, 2>& mask);
Tensor inverse_backward(const Tensor& grad, const Tensor& inverse);
Tensor det_backward(const Tensor& grad, const Tensor& a, const Tensor& det, const Tensor& lu,
                    const Tensor& pivots);
Tensor slogdet_backward(const Tensor& grad_sign, const Tensor& grad_logabsdet, const Tensor& a,
                        const Tensor& sign, const Tensor& lu, const Tensor& pivots);

Tensor eigh_backward(const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& values,
                     const Tensor& vectors);
Tensor eig_backward(const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& values,
                    const Tensor& vectors);

Tensor qr_backward(const Tensor& grad_q, const Tensor& grad_r, const Tensor& q, const Tensor& r,
                   std::string_view mode);
std::tuple<Tensor, Tensor> householder_product_backward(const Tensor& grad, const Tensor& matrix,
                                                        const Tensor& tau,
                                                        const std::array<bool, 2>& mask);
std::tuple<Tensor, Tensor, Tensor> ormqr_backward(const Tensor& grad, const Tensor& matrix,
                                                  const Tensor& tau, const Tensor& other, bool left,
                                                  bool transposed, const std::array<bool, 3>& mask);

std::tuple<Tensor, Tensor> lstsq_backward(const Tensor& grad_solution, const Tensor& grad_residuals,
                                          const Tensor& a, const Tensor& b, const Tensor& solution,
                                          const std::array<bool, 2>& mask);

}  // namespace tsc::autograd
