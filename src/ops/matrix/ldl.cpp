// Factorisations L D L^T of symmetric matrices, and L D L^H of Hermitian ones.
#include "core/tensor_factory.h"
#include "gen/calls/tril.h"
#include "gen/ops/factorizations.h"
#include "gen/ops/factorizations_native.h"
#include "ops/matrix/matrix_batches.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/fill.h"

namespace tsc {
namespace {

namespace lapack = cpu::lapack;

constexpr char kTriangle = 'L';

}  // namespace

TSC_META_FUNC(linalg_ldl_factor_ex)(const Tensor& self, bool, bool) {
  check_is_square(self, "torch.linalg.ldl_factor_ex");
  check_floating_or_complex(self, "torch.linalg.ldl_factor_ex");
  set_output(0, self.sizes(), strides_by_columns(self.sizes()), self.dtype());
  set_output(1, self.sizes().slice(0, self.sizes().size() - 1), ScalarType::Int);
  set_output(2, batch_of(self), ScalarType::Int);
}
TSC_IMPL_FUNC(linalg_ldl_factor_ex_cpu)
(const Tensor& self, bool hermitian, bool check_errors, const Tensor&, const Tensor&,
 const Tensor&) {
  const KernelOutput factors(*this, 0, kByColumns);
  const KernelOutput pivots(*this, 1);
  const KernelOutput infos(*this, 2);
  copy_elements(factors.tensor(), tril(self));
  dispatch_lapack_types(self.dtype(), "ldl_factor_cpu", [&]<class T>() {
    const Matrices<T> matrices(factors.tensor());
    const auto decompose = [=, found = infos.tensor(), rows = pivots.tensor(),
                            space = lapack::Workspace<T>()](int64_t i) mutable {
      found.data_ptr<int32_t>()[i] =
          lapack::sytrf(hermitian, kTriangle, matrices.rows, matrices[i], matrices.distance,
                        rows.data_ptr<int32_t>() + i * matrices.rows, space);
      return 0;
    };
    visit_matrices(self, lapack::kProducts, decompose);
  });
  factors.store();
  pivots.store();
  infos.store();
  if (check_errors) {
    check_infos(infos.tensor(), Failure::solve, "torch.linalg.ldl_factor_ex");
  }
}

TSC_META_FUNC(linalg_ldl_solve)
(const Tensor& ld, const Tensor& pivots, const Tensor& b, bool) {
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
  const DimVector sizes = matrix_sizes(batch, b.size(-2), b.size(-1));
  set_output(0, sizes, strides_by_columns(sizes), b.dtype());
}
TSC_IMPL_FUNC(linalg_ldl_solve_cpu)
(const Tensor& ld, const Tensor& pivots, const Tensor& b, bool hermitian, const Tensor&) {
  const KernelOutput result(*this, 0, kByColumns);
  const DimVector batch = batch_of(result.tensor());
  copy_elements(result.tensor(), b);
  DimVector pivot_sizes = batch;
  pivot_sizes.push_back(ld.size(-1));
  const Tensor factors =
      columns_for(result.tensor(), expand_matrices(ld, batch), lapack::kProducts);
  const Tensor exchanges = contiguous_as(expand_to(pivots, pivot_sizes), ScalarType::Int);
  dispatch_lapack_types(b.dtype(), "ldl_solve_cpu", [&]<class T>() {
    const Matrices<T> a(factors);
    const Matrices<T> x(result.tensor());
    visit_matrices(result.tensor(), lapack::kProducts, [=](int64_t i) {
      return lapack::sytrs(hermitian, kTriangle, a.rows, x.columns, a[i], a.distance,
                           exchanges.data_ptr<int32_t>() + i * a.rows, x[i], x.distance);
    });
  });
  result.store();
}

namespace native {

std::tuple<Tensor, Tensor> linalg_ldl_factor(const Tensor& self, bool hermitian) {
  const auto [factors, pivots, infos] = tsc::linalg_ldl_factor_ex(self, hermitian, false);
  tsc::_linalg_check_errors(infos, "torch.linalg.ldl_factor", infos.dim() == 0);
  return {factors, pivots};
}

}  // namespace native
}  // namespace tsc
