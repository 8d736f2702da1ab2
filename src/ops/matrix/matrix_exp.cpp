// The exponential of matrices.
#include "core/tensor_factory.h"
#include "gen/calls/abs.h"
#include "gen/calls/add.h"
#include "gen/calls/amax.h"
#include "gen/calls/ceil.h"
#include "gen/calls/clamp.h"
#include "gen/calls/div.h"
#include "gen/calls/exp2.h"
#include "gen/calls/expand.h"
#include "gen/calls/eye.h"
#include "gen/calls/ge.h"
#include "gen/calls/log2.h"
#include "gen/calls/matmul.h"
#include "gen/calls/mul.h"
#include "gen/calls/nan_to_num.h"
#include "gen/calls/neg.h"
#include "gen/calls/sum.h"
#include "gen/calls/to.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/where.h"
#include "gen/ops/matrix_functions.h"
#include "gen/ops/matrix_functions_native.h"
#include "ops/matrix/matrix_batches.h"

namespace tsc::native {
namespace {

constexpr int kDegree = 18;
// Up to these norms, the rest of the series beyond that power is a rounding error (Bader, Blanes
// and Casas, "Computing the matrix exponential with an optimized Taylor polynomial approximation",
// 2019).
constexpr double kLargestNormOfDouble = 1.09;
constexpr double kLargestNormOfFloat = 3.01;
// The polynomial is evaluated in blocks of this many powers (Paterson and Stockmeyer, 1973).
constexpr int kBlock = 4;
// exp(x) is a finite number only where halving this often is enough.
constexpr double kMostHalvings = 64;

Tensor series(const Tensor& a) {
  const Tensor second = matmul(a, a);
  const Tensor powers[kBlock] = {expand(eye(a.size(-1), a.options()), a.sizes()), a, second,
                                 matmul(second, a)};
  const Tensor next_block = matmul(second, second);
  double coefficients[kDegree + 1] = {1};
  for (int i = 1; i <= kDegree; i++) {
    coefficients[i] = coefficients[i - 1] / i;
  }
  Tensor result;
  for (int block = kDegree / kBlock; block >= 0; block--) {
    result = result.defined() ? matmul(result, next_block) : result;
    for (int i = 0; i < kBlock && block * kBlock + i <= kDegree; i++) {
      const Tensor term = mul(powers[i], Scalar(coefficients[block * kBlock + i]));
      result = result.defined() ? add(result, term) : term;
    }
  }
  return result;
}

// The number of halvings of each matrix until the series converges fast enough.
Tensor halvings(const Tensor& a) {
  const bool is_double = to_real_value_type(a.dtype()) == ScalarType::Double;
  const Scalar largest(is_double ? kLargestNormOfDouble : kLargestNormOfFloat);
  const Tensor norm = amax(sum(abs(a), IntArrayRef(-2)), IntArrayRef(-1));
  return nan_to_num(clamp(ceil(log2(div(to(norm, ScalarType::Double), largest))), Scalar(0.0),
                          Scalar(kMostHalvings)));
}

}  // namespace

Tensor linalg_matrix_exp(const Tensor& self) {
  check_is_square(self, "linalg.matrix_exp");
  check_floating_or_complex(self, "linalg.matrix_exp");
  if (self.numel() == 0 || self.is_meta()) {
    return empty_tensor(self.sizes(), self.dtype(), self.device());
  }
  const Tensor count = unsqueeze(unsqueeze(halvings(self), -1), -1);
  const Tensor scale = to(exp2(neg(count)), to_real_value_type(self.dtype()));
  Tensor result = series(mul(self, scale));
  const auto most = static_cast<int64_t>(read_scalar(amax(count)).to_double());
  for (int64_t i = 1; i <= most; i++) {
    result = where(ge(count, i), matmul(result, result), result);
  }
  return result;
}

Tensor matrix_exp(const Tensor& self) { return tsc::linalg_matrix_exp(self); }

}  // namespace tsc::native
