// torch.svd_lowrank and torch.pca_lowrank, which PyTorch writes in Python: a singular value
// decomposition in the space that a few random vectors are mapped to (Halko, Martinsson and Tropp,
// "Finding structure with randomness", 2011).
#include "gen/calls/adjoint.h"
#include "gen/calls/broadcast_to.h"
#include "gen/calls/linalg_qr.h"
#include "gen/calls/linalg_svd.h"
#include "gen/calls/matmul.h"
#include "gen/calls/mean.h"
#include "gen/calls/randn.h"
#include "gen/calls/sub.h"
#include "interp/runtime/containers/sequence.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/functional/functional.h"

namespace tsc::interp {

namespace {

int64_t int_or(const Arguments& arguments, size_t i, int64_t otherwise) {
  return has_value(arguments, i) ? scalar_of_value(arguments[i]).to<int64_t>() : otherwise;
}

// A matrix, and the matrix that is subtracted from it.
struct Difference {
  Tensor a;
  Tensor m;  // undefined: nothing

  Tensor times(const Tensor& x) const {
    const Tensor product = matmul(a, x);
    return m.defined() ? sub(product, matmul(m, x)) : product;
  }
  Tensor turned_times(const Tensor& x) const {
    const Tensor product = matmul(adjoint(a), x);
    return m.defined() ? sub(product, matmul(adjoint(m), x)) : product;
  }
  // x^H (a - m)
  Tensor times_left(const Tensor& x) const {
    const Tensor product = matmul(adjoint(x), a);
    return m.defined() ? sub(product, matmul(adjoint(x), m)) : product;
  }
  Difference turned() const { return {adjoint(a), m.defined() ? adjoint(m) : m}; }
};

Tensor orthonormal(const Tensor& x) { return std::get<0>(linalg_qr(x)); }

// Orthonormal columns that approximately span the matrix's range.
Tensor approximate_basis(const Difference& matrix, int64_t count, int64_t iterations) {
  const TensorOptions options(matrix.a.dtype(), std::nullopt, matrix.a.device(), false);
  Tensor q = orthonormal(matrix.times(randn({matrix.a.size(-1), count}, options)));
  for (int64_t i = 0; i < iterations; i++) {
    q = orthonormal(matrix.turned_times(q));
    q = orthonormal(matrix.times(q));
  }
  return q;
}

IValue low_rank(const Tensor& a, const Tensor& m, int64_t count, int64_t iterations) {
  Difference matrix{a, m.defined() ? broadcast_to(m, a.sizes()) : m};
  const bool is_wide = a.size(-2) < a.size(-1);
  if (is_wide) {
    matrix = matrix.turned();
  }
  const Tensor q = approximate_basis(matrix, count, iterations);
  const Tensor projected = matrix.times_left(q);
  const auto [u, s, vh] = linalg_svd(projected, false);
  const Tensor right = adjoint(vh);
  const Tensor left = matmul(q, u);
  return make_tuple({is_wide ? right : left, s, is_wide ? left : right});
}

}  // namespace

IValue svd_lowrank_function(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "svd_lowrank", "A");
  Tensor m;
  if (has_value(arguments, 3)) {
    check_tensor(arguments, 3, "svd_lowrank", "M");
    m = arguments[3].as_tensor();
  }
  return low_rank(arguments[0].as_tensor(), m, int_or(arguments, 1, 6), int_or(arguments, 2, 2));
}

IValue pca_lowrank_function(Interpreter&, Arguments& arguments) {
  check_tensor(arguments, 0, "pca_lowrank", "A");
  const Tensor& a = arguments[0].as_tensor();
  const int64_t least = std::min(a.size(-2), a.size(-1));
  const int64_t count = int_or(arguments, 1, std::min<int64_t>(6, least));
  TSC_CHECK_VALUE(count >= 0 && count <= least,
                  "q(={}) must be non-negative integer and not greater than min(m, n)={}", count,
                  least);
  const int64_t iterations = int_or(arguments, 3, 2);
  TSC_CHECK_VALUE(iterations >= 0, "niter(={}) must be non-negative integer", iterations);
  const bool center = flag_or(arguments, 2, true);
  return low_rank(center ? sub(a, mean(a, IntArrayRef(-2), true)) : a, Tensor(), count, iterations);
}

}  // namespace tsc::interp
