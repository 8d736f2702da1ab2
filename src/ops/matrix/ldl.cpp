// Factorisations L D L^T of symmetric matrices, and L D L^H of Hermitian ones.
#include "core/tensor_factory.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/to.h"
#include "gen/calls/tril.h"
#include "gen/ops/factorizations.h"
#include "gen/ops/factorizations_native.h"
#include "ops/matrix/matrix_batches.h"
#include "ops/structured/broadcast.h"

namespace tsc::native {
namespace {

namespace lapack = cpu::lapack;

constexpr char kTriangle = 'L';

}  // namespace

std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(const Tensor& self, bool hermitian,
                                                        bool check_errors) {
  check_is_square(self, "torch.linalg.ldl_factor_ex");
  check_floating_or_complex(self, "torch.linalg.ldl_factor_ex");
  const Tensor factors = copy_by_columns(self.is_cpu() ? tril(self) : self);
  const Tensor pivots =
      empty_infos(DimVector(self.sizes().slice(0, self.sizes().size() - 1)), self.device());
  const Tensor infos = empty_infos(batch_of(self), self.device());
  if (self.is_cpu()) {
    dispatch_lapack_types(self.dtype(), "ldl_factor_cpu", [&]<class T>() {
      const Matrices<T> matrices(factors);
      const auto decompose = [=, space = lapack::Workspace<T>()](int64_t i) mutable {
        infos.data_ptr<int32_t>()[i] =
            lapack::sytrf(hermitian, kTriangle, matrices.rows, matrices[i], matrices.distance,
                          pivots.data_ptr<int32_t>() + i * matrices.rows, space);
        return 0;
      };
      visit_matrices(self, lapack::kThreadsForProducts, decompose);
    });
  }
  if (check_errors) {
    check_infos(infos, Failure::solve, "torch.linalg.ldl_factor_ex");
  }
  return {factors, pivots, infos};
}

std::tuple<Tensor, Tensor> linalg_ldl_factor(const Tensor& self, bool hermitian) {
  const auto [factors, pivots, infos] = tsc::linalg_ldl_factor_ex(self, hermitian, false);
  tsc::_linalg_check_errors(infos, "torch.linalg.ldl_factor", infos.dim() == 0);
  return {factors, pivots};
}

Tensor linalg_ldl_solve(const Tensor& ld, const Tensor& pivots, const Tensor& b, bool hermitian) {
  constexpr const char* kName = "torch.linalg.ldl_solve";
  check_is_square(ld, kName);
  check_pair_of_solver(b, ld, kName);
  TSC_CHECK(is_integral(pivots.dtype(), false), "{}: Expected pivots to be integers. Got {}", kName,
            pivots.dtype());
  TSC_CHECK(pivots.sizes() == ld.sizes().slice(0, ld.sizes().size() - 1),
            "{}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            "{} instead",
            kName, pivots.sizes());
  TSC_CHECK(ld.dtype() == b.dtype(),
            "Expected b and A to have the same dtype, but found b of type {} and A of type {} "
            "instead.",
            b.dtype(), ld.dtype());
  const DimVector batch = broadcast_sizes(batch_of(ld), batch_of(b));
  const Tensor result = copy_by_columns(expand_matrices(b, batch));
  if (!b.is_cpu()) {
    return result;
  }
  DimVector pivot_sizes = batch;
  pivot_sizes.push_back(ld.size(-1));
  const Tensor factors =
      columns_for(result, expand_matrices(ld, batch), lapack::kThreadsForProducts);
  const Tensor exchanges = contiguous(expand_to(to(pivots, ScalarType::Int), pivot_sizes));
  dispatch_lapack_types(b.dtype(), "ldl_solve_cpu", [&]<class T>() {
    const Matrices<T> a(factors);
    const Matrices<T> x(result);
    visit_matrices(result, lapack::kThreadsForProducts, [=](int64_t i) {
      return lapack::sytrs(hermitian, kTriangle, a.rows, x.columns, a[i], a.distance,
                           exchanges.data_ptr<int32_t>() + i * a.rows, x[i], x.distance);
    });
  });
  return result;
}

}  // namespace tsc::native
