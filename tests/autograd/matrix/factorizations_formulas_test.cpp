#include "autograd/formula_cases.h"
#include "core/tensor_factory.h"
#include "gen/ops/binary.h"
#include "gen/ops/copy.h"
#include "gen/ops/factorizations.h"
#include "gen/ops/factory.h"
#include "gen/ops/matmul.h"
#include "gen/ops/matrix_functions.h"
#include "gen/ops/shape.h"
#include "gen/ops/unary.h"
#include "gen/ops/view.h"

using namespace tsc;
using testing::check_formulas;
using testing::FormulaCase;
using testing::leaf;

namespace {

// Far from singular.
Tensor regular(const Tensor& x) { return add(x, eye(x.size(-2), x.size(-1), x.options()), 3); }
Tensor hermitian(const Tensor& x) {
  const Tensor numbers = to(arange(1, x.size(-1) + 1), x.dtype());
  return add(matmul(x, adjoint(x)), diag_embed(numbers));
}
// Of a function that takes one matrix.
FormulaCase of(const char* name, ScalarType dtype, std::initializer_list<int64_t> sizes,
               testing::Differentiable function) {
  return {name, {leaf(sizes, -1, 1, dtype)}, std::move(function)};
}

std::vector<FormulaCase> cases(ScalarType dtype) {
  const auto matrix = [&](std::initializer_list<int64_t> sizes) {
    return leaf(sizes, -1, 1, dtype);
  };
  return {
      of("svd", dtype, {3, 3}, TSC_OF(linalg_svdvals(x[0]))),
      of("svd, wide", dtype, {2, 3}, TSC_OF(abs(std::get<2>(linalg_svd(x[0], false))))),
      of("svd, tall", dtype, {3, 2}, TSC_OF(abs(std::get<0>(linalg_svd(x[0], false))))),
      of("cholesky", dtype, {3, 3}, TSC_OF(linalg_cholesky(hermitian(x[0])))),
      of("cholesky, upper", dtype, {2, 2}, TSC_OF(linalg_cholesky(hermitian(x[0]), true))),
      of("cholesky_inverse", dtype, {2, 2},
         TSC_OF(cholesky_inverse(linalg_cholesky(hermitian(x[0]))))),
      of("inv", dtype, {2, 3, 3}, TSC_OF(linalg_inv(regular(x[0])))),
      of("det", dtype, {3, 3}, TSC_OF(linalg_det(regular(x[0])))),
      of("slogdet", dtype, {3, 3}, TSC_OF(std::get<1>(linalg_slogdet(regular(x[0]))))),
      of("lu", dtype, {3, 3},
         TSC_OF(std::get<1>(linalg_lu(regular(x[0]))), std::get<2>(linalg_lu(regular(x[0]))))),
      of("lu, wide", dtype, {2, 3}, TSC_OF(std::get<2>(linalg_lu(regular(x[0]))))),
      of("lu_factor, tall", dtype, {3, 2}, TSC_OF(std::get<0>(linalg_lu_factor(regular(x[0]))))),
      of("qr", dtype, {3, 3}, TSC_OF(std::get<1>(linalg_qr(regular(x[0]))))),
      of("qr, wide", dtype, {2, 3}, TSC_OF(std::get<0>(linalg_qr(regular(x[0]))))),
      of("qr, tall", dtype, {3, 2}, TSC_OF(std::get<0>(linalg_qr(regular(x[0]))))),
      of("eigvalsh", dtype, {3, 3}, TSC_OF(linalg_eigvalsh(hermitian(x[0])))),
      of("eigh", dtype, {3, 3}, TSC_OF(abs(std::get<1>(linalg_eigh(hermitian(x[0])))))),
      of("eigvals", dtype, {3, 3}, TSC_OF(abs(linalg_eigvals(hermitian(x[0]))))),
      of("eig", dtype, {3, 3}, TSC_OF(abs(std::get<1>(linalg_eig(hermitian(x[0])))))),
      of("matrix_exp", dtype, {3, 3}, TSC_OF(linalg_matrix_exp(x[0]))),
      of("pinv, wide", dtype, {2, 3}, TSC_OF(pinverse(x[0]))),
      of("pinv, tall", dtype, {3, 2}, TSC_OF(pinverse(x[0]))),
      of("norm nuc", dtype, {2, 3}, TSC_OF(linalg_matrix_norm(x[0], std::string_view("nuc")))),
      {"solve", {matrix({3, 3}), matrix({3, 2})}, TSC_OF(linalg_solve(regular(x[0]), x[1]))},
      {"solve, vector", {matrix({2, 2}), matrix({2})}, TSC_OF(linalg_solve(regular(x[0]), x[1]))},
      {"solve from the right",
       {matrix({2, 2, 2}), matrix({3, 2})},
       TSC_OF(linalg_solve(regular(x[0]), x[1], false))},
      {"solve_triangular",
       {matrix({3, 3}), matrix({3, 2})},
       TSC_OF(linalg_solve_triangular(regular(x[0]), x[1], true))},
      {"solve_triangular with ones",
       {matrix({3, 3}), matrix({2, 3})},
       TSC_OF(linalg_solve_triangular(regular(x[0]), x[1], false, false, true))},
      {"cholesky_solve",
       {matrix({2, 3}), matrix({2, 2})},
       TSC_OF(cholesky_solve(x[0], linalg_cholesky(hermitian(x[1]))))},
      {"lstsq", {matrix({3, 2}), matrix({3, 2})}, TSC_OF(std::get<0>(linalg_lstsq(x[0], x[1])))},
      {"householder_product",
       {matrix({3, 2}), matrix({2})},
       TSC_OF(linalg_householder_product(x[0], x[1])),
       1},
  };
}

}  // namespace

TEST_CASE("formulas: factorisations of real matrices") {
  check_formulas(cases(ScalarType::Double));
}
TEST_CASE("formulas: factorisations of complex matrices") {
  check_formulas(cases(ScalarType::ComplexDouble));
}
