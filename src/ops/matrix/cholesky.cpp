// Factorisations L L^H of positive definite matrices.
#include "gen/ops/factorizations.h"
#include "gen/ops/factorizations_native.h"
#include "ops/matrix/matrix_batches.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/fill.h"
#include "ops/structured/operand_checks.h"

namespace tsc {
namespace {

namespace lapack = cpu::lapack;

char triangle(bool upper) { return upper ? 'U' : 'L'; }

// Zeroes the other triangle of a matrix stored by columns.
template <class T>
void clear_other_triangle(T* matrix, int64_t size, bool upper) {
  for (int64_t column = 0; column < size; column++) {
    T* const values = matrix + column * size;
    upper ? std::fill(values + column + 1, values + size, T(0))
          : std::fill(values, values + column, T(0));
  }
}

template <class T>
void factorise(const Tensor& factor, const Tensor& infos, bool upper) {
  const Matrices<T> matrices(factor);
  visit_matrices(factor, lapack::kCholesky, [=](int64_t i) {
    infos.data_ptr<int32_t>()[i] =
        lapack::potrf(triangle(upper), matrices.rows, matrices[i], matrices.distance);
    clear_other_triangle(matrices[i], matrices.rows, upper);
    return 0;
  });
}

// Completes a Hermitian matrix of which one triangle is given.
template <class T>
void mirror_triangle(T* matrix, int64_t size, bool upper) {
  for (int64_t column = 0; column < size; column++) {
    for (int64_t row = 0; row < column; row++) {
      T& above = matrix[column * size + row];
      T& below = matrix[row * size + column];
      const T known = upper ? above : below;
      T& missing = upper ? below : above;
      if constexpr (std::is_floating_point_v<T>) {
        missing = known;
      } else {
        missing = std::conj(known);
      }
    }
  }
}

}  // namespace

TSC_META_FUNC(linalg_cholesky_ex)(const Tensor& self, bool, bool) {
  check_is_square(self, "linalg.cholesky");
  check_floating_or_complex(self, "linalg.cholesky");
  set_output(0, self.sizes(), strides_by_columns(self.sizes()), self.dtype());
  set_output(1, batch_of(self), ScalarType::Int);
}
TSC_IMPL_FUNC(linalg_cholesky_ex_cpu)
(const Tensor& self, bool upper, bool check_errors, const Tensor&, const Tensor&) {
  const KernelOutput factor(*this, 0, kByColumns);
  const KernelOutput infos(*this, 1);
  copy_elements(factor.tensor(), self);
  dispatch_lapack_types(self.dtype(), "cholesky_cpu",
                        [&]<class T>() { factorise<T>(factor.tensor(), infos.tensor(), upper); });
  factor.store();
  infos.store();
  if (check_errors) {
    check_infos(infos.tensor(), Failure::cholesky, "linalg.cholesky_ex");
  }
}

namespace native {

Tensor linalg_cholesky(const Tensor& self, bool upper) {
  const auto [factor, infos] = tsc::linalg_cholesky_ex(self, upper, false);
  tsc::_linalg_check_errors(infos, "linalg.cholesky", infos.dim() == 0);
  return factor;
}

Tensor cholesky_solve(const Tensor& self, const Tensor& input2, bool upper) {
  TSC_CHECK(self.dim() >= 2, "b should have at least 2 dimensions, but has {} dimensions instead",
            self.dim());
  TSC_CHECK(input2.dim() >= 2, "u should have at least 2 dimensions, but has {} dimensions instead",
            input2.dim());
  check_pair_of_solver(self, input2, "cholesky_solve");
  const DimVector batch = broadcast_sizes(batch_of(self), batch_of(input2));
  return tsc::_cholesky_solve_helper(expand_matrices(self, batch), expand_matrices(input2, batch),
                                     upper);
}

Tensor _cholesky_solve_helper(const Tensor& self, const Tensor& factors, bool upper) {
  check_scalar_type(factors, self.dtype());
  check_pair_of_solver(self, factors, "cholesky_solve");
  TSC_CHECK(batch_of(self) == batch_of(factors), "cholesky_solve: the batches of {} and {} differ",
            self.sizes(), factors.sizes());
  const Tensor result = copy_by_columns(self);
  const Tensor factor = columns_for(result, factors, lapack::kProducts);
  if (self.is_cpu()) {
    dispatch_lapack_types(self.dtype(), "cholesky_solve_cpu", [&]<class T>() {
      const Matrices<T> a(factor);
      const Matrices<T> b(result);
      visit_matrices(result, lapack::kProducts, [=](int64_t i) {
        return lapack::potrs(triangle(upper), a.rows, b.columns, a[i], a.distance, b[i],
                             b.distance);
      });
    });
  }
  return result;
}

Tensor cholesky_inverse(const Tensor& self, bool upper) {
  check_is_square(self, "cholesky_inverse");
  const Tensor result = copy_by_columns(self);
  if (self.is_cpu()) {
    FirstFailure failure;
    dispatch_lapack_types(self.dtype(), "cholesky_inverse_out_cpu", [&]<class T>() {
      const Matrices<T> matrices(result);
      failure = visit_matrices(result, lapack::kCholesky, [=](int64_t i) {
        const lapack::Int info =
            lapack::potri(triangle(upper), matrices.rows, matrices[i], matrices.distance);
        mirror_triangle(matrices[i], matrices.rows, upper);
        return info;
      });
    });
    failure.check(Failure::inverse, "cholesky_inverse", self.dim() > 2);
  }
  return result;
}

}  // namespace native
}  // namespace tsc
