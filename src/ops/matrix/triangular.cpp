// Equations with triangular matrices.
#include "gen/ops/factorizations.h"
#include "gen/ops/factorizations_native.h"
#include "ops/layouts/math_bits.h"
#include "ops/matrix/matrix_batches.h"
#include "ops/structured/broadcast.h"

namespace tsc::native {
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
    visit_matrices(b, cpu::lapack::kThreadsForProducts, [=](int64_t i) {
      cpu::lapack::trsm(triangle.left ? 'L' : 'R', triangle.upper ? 'U' : 'L',
                        triangle.transposed ? 'T' : 'N', triangle.unit ? 'U' : 'N', result.rows,
                        result.columns, factor[i], factor.distance, result[i], result.distance);
      return 0;
    });
  });
}

Tensor solve(const Tensor& a, const Tensor& b, Triangle triangle) {
  const DimVector batch = broadcast_sizes(batch_of(a), batch_of(b));
  const Tensor result = copy_by_columns(expand_matrices(b, batch));
  const Tensor factor =
      columns_for(result, expand_matrices(a, batch), cpu::lapack::kThreadsForProducts);
  if (b.is_cpu()) {
    solve_in_place(factor, result, triangle);
  }
  return result;
}

}  // namespace

Tensor linalg_solve_triangular(const Tensor& self, const Tensor& b, bool upper, bool left,
                               bool unitriangular) {
  check_same_dtype_of_system(self, b, "linalg.solve_triangular");
  check_shapes_of_system(self, b, left, "linalg.solve_triangular");
  return solve(materialized(self), materialized(b),
               {.left = left, .upper = upper, .transposed = false, .unit = unitriangular});
}

std::tuple<Tensor, Tensor> triangular_solve(const Tensor& self, const Tensor& a, bool upper,
                                            bool transpose, bool unitriangular) {
  constexpr const char* kText =
      "torch.triangular_solve: Expected {} to have at least 2 dimensions, but it has {} dimensions "
      "instead";
  TSC_CHECK(self.dim() >= 2, kText, "b", self.dim());
  TSC_CHECK(a.dim() >= 2, kText, "A", a.dim());
  check_pair_of_solver(self, a, "triangular_solve");
  const DimVector batch = broadcast_sizes(batch_of(self), batch_of(a));
  const Triangle triangle{
      .left = true, .upper = upper, .transposed = transpose, .unit = unitriangular};
  return {solve(a, self, triangle), copy_by_columns(expand_matrices(a, batch))};
}

}  // namespace tsc::native
