// Equations with triangular matrices.
#include "gen/ops/factorizations.h"
#include "gen/ops/factorizations_native.h"
#include "ops/layouts/math_bits.h"
#include "ops/matrix/matrix_batches.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/fill.h"

namespace tsc {
namespace {

struct Triangle {
  bool left;
  bool upper;
  bool transposed;
  bool unit;
};

void solve_in_place(const Tensor& a, const Tensor& b, Triangle triangle) {
  dispatch_lapack_types(b.dtype(), "triangular_solve_cpu", [&]<class T>() {
    const Matrices<T> factor(a);
    const Matrices<T> result(b);
    visit_matrices(b, cpu::lapack::kProducts, [=](int64_t i) {
      cpu::lapack::trsm(triangle.left ? 'L' : 'R', triangle.upper ? 'U' : 'L',
                        triangle.transposed ? 'T' : 'N', triangle.unit ? 'U' : 'N', result.rows,
                        result.columns, factor[i], factor.distance, result[i], result.distance);
      return 0;
    });
  });
}

// Both by columns: `b` becomes the solution, of the batch's sizes.
void solve_batch(const Tensor& a, const Tensor& b, Triangle triangle) {
  solve_in_place(columns_for(b, expand_matrices(a, batch_of(b)), cpu::lapack::kProducts), b,
                 triangle);
}

}  // namespace

TSC_META_FUNC(triangular_solve)(const Tensor& self, const Tensor& a, bool, bool, bool) {
  constexpr const char* kText =
      "torch.triangular_solve: Expected {} to have at least 2 dimensions, but it has {} dimensions "
      "instead";
  TSC_CHECK(self.dim() >= 2, kText, "b", self.dim());
  TSC_CHECK(a.dim() >= 2, kText, "A", a.dim());
  check_pair_of_solver(self, a, "triangular_solve");
  const DimVector batch = broadcast_sizes(batch_of(self), batch_of(a));
  const DimVector x_sizes = matrix_sizes(batch, self.size(-2), self.size(-1));
  const DimVector a_sizes = matrix_sizes(batch, a.size(-2), a.size(-1));
  set_output(0, x_sizes, strides_by_columns(x_sizes), self.dtype());
  set_output(1, a_sizes, strides_by_columns(a_sizes), a.dtype());
}
TSC_IMPL_FUNC(triangular_solve_cpu)
(const Tensor& self, const Tensor& a, bool upper, bool transpose, bool unitriangular, const Tensor&,
 const Tensor&) {
  const KernelOutput x(*this, 0, kByColumns);
  const KernelOutput m(*this, 1, kByColumns);
  copy_elements(x.tensor(), self);
  copy_elements(m.tensor(), a);
  solve_batch(m.tensor(), x.tensor(),
              {.left = true, .upper = upper, .transposed = transpose, .unit = unitriangular});
  x.store();
  m.store();
}

namespace native {

Tensor linalg_solve_triangular(const Tensor& self, const Tensor& b, bool upper, bool left,
                               bool unitriangular) {
  check_same_dtype_of_system(self, b, "linalg.solve_triangular");
  check_shapes_of_system(self, b, left, "linalg.solve_triangular");
  const DimVector batch = broadcast_sizes(batch_of(self), batch_of(b));
  const Tensor result = copy_by_columns(expand_matrices(materialized(b), batch));
  if (b.is_cpu()) {
    solve_batch(materialized(self), result,
                {.left = left, .upper = upper, .transposed = false, .unit = unitriangular});
  }
  return result;
}

}  // namespace native
}  // namespace tsc
