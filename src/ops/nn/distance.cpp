// cdist: the distances of all pairs of rows.
#include <cmath>

#include "core/dispatch_types.h"
#include "core/tensor_factory.h"
#include "gen/calls/abs.h"
#include "gen/calls/cat.h"
#include "gen/calls/clamp_min.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/div.h"
#include "gen/calls/eq.h"
#include "gen/calls/expand.h"
#include "gen/calls/is_floating_point.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/matmul.h"
#include "gen/calls/mul.h"
#include "gen/calls/norm.h"
#include "gen/calls/ones_like.h"
#include "gen/calls/pow.h"
#include "gen/calls/sgn.h"
#include "gen/calls/sqrt.h"
#include "gen/calls/sub.h"
#include "gen/calls/sum.h"
#include "gen/calls/to.h"
#include "gen/calls/transpose.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/view.h"
#include "gen/calls/zeros.h"
#include "gen/ops/products.h"
#include "gen/ops/products_native.h"
#include "ops/names/names.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/operand_checks.h"

namespace tsc::native {
namespace {

enum ComputeMode : int64_t { kProductOfMany, kProduct, kNoProduct };

void check_rows(const Tensor& x1, const Tensor& x2) {
  TSC_CHECK(x1.dim() >= 2, "cdist only supports at least 2D tensors, X1 got: {}D", x1.dim());
  TSC_CHECK(x2.dim() >= 2, "cdist only supports at least 2D tensors, X2 got: {}D", x2.dim());
  TSC_CHECK(x1.size(-1) == x2.size(-1),
            "X1 and X2 must have the same number of columns. X1: {} X2: {}", x1.size(-1),
            x2.size(-1));
}

void check_distance(const Tensor& x1, const Tensor& x2, double p, int64_t mode) {
  TSC_CHECK(is_floating_point(x1.dtype()), "cdist only supports floating-point dtypes, X1 got: {}",
            x1.dtype());
  TSC_CHECK(is_floating_point(x2.dtype()), "cdist only supports floating-point dtypes, X2 got: {}",
            x2.dtype());
  TSC_CHECK(p >= 0, "cdist only supports non-negative p values");
  TSC_CHECK(mode >= kProductOfMany && mode <= kNoProduct, "possible modes: 0, 1, 2, but was: {}",
            mode);
}

// Whether distances are computed by a matrix product: faster for many rows, but less precise.
bool uses_product(const Tensor& x1, const Tensor& x2, double p, int64_t mode) {
  constexpr int64_t kMany = 25;
  const bool many = x1.size(-2) > kMany || x2.size(-2) > kMany;
  return p == 2 && (mode == kProduct || (mode == kProductOfMany && many));
}

DimVector batch_sizes(const Tensor& x1, const Tensor& x2) {
  return broadcast_sizes(x1.sizes().slice(0, x1.sizes().size() - 2),
                         x2.sizes().slice(0, x2.sizes().size() - 2));
}

DimVector with_matrix(DimVector batch, int64_t rows, int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

// The matrices of all batches, in one batch dimension.
Tensor in_one_batch(const Tensor& rows, const DimVector& batch) {
  const Tensor expanded = expand(rows, with_matrix(batch, rows.size(-2), rows.size(-1)));
  const int64_t count = expanded.numel() / (rows.size(-2) * rows.size(-1));
  return view(contiguous(expanded), {count, rows.size(-2), rows.size(-1)});
}

Tensor squares(const Tensor& rows) { return sum(pow(rows, Scalar(2)), IntArrayRef(-1), true); }

Tensor differences(const Tensor& x1, const Tensor& x2) {
  return sub(unsqueeze(x1, -2), unsqueeze(x2, -3));
}

// The magnitude of a difference's part in the gradient of its distance.
Tensor slope(const Tensor& size, const Tensor& distance, double p) {
  if (std::isinf(p)) {
    return to(eq(size, distance), size.dtype());
  }
  const Tensor ratio = div(size, distance);
  const Tensor steep = p == 2 ? ratio : pow(ratio, Scalar(p - 1));
  const Tensor is_flat = eq(p < 1 ? mul(size, distance) : distance, Scalar(0));
  return masked_fill(steep, is_flat, Scalar(0));
}

}  // namespace

Tensor _euclidean_dist(const Tensor& x1, const Tensor& x2) {
  const Tensor squares1 = squares(x1);
  const Tensor ones1 = ones_like(squares1);
  const Tensor squares2 = squares(x2);
  const Tensor ones2 = ones_like(squares2);
  const Tensor left = cat({mul(x1, Scalar(-2)), squares1, ones1}, -1);
  const Tensor right = cat({x2, ones2, squares2}, -1);
  return sqrt_(clamp_min_(matmul(left, transpose(right, -2, -1)), Scalar(0)));
}

Tensor _cdist_forward(const Tensor& x1, const Tensor& x2, double p, std::optional<int64_t> mode) {
  check_rows(x1, x2);
  const DimVector sizes = with_matrix(batch_sizes(x1, x2), x1.size(-2), x2.size(-2));
  if (x1.numel() == 0 || x2.numel() == 0) {
    return zeros(sizes, x1.options());
  }
  if (uses_product(x1, x2, p, mode.value_or(kProductOfMany))) {
    return tsc::_euclidean_dist(x1, x2);
  }
  if (is_reduced_floating_point(x1.dtype())) {
    throw_dtype_not_implemented("cdist", x1.dtype());
  }
  check_scalar_type(x2, x1.dtype());
  return norm(differences(x1, x2), Scalar(p), IntArrayRef(-1), false);
}

Tensor _cdist_backward(const Tensor& grad_output, const Tensor& x1, const Tensor& x2, double p,
                       const Tensor& cdist) {
  check_rows(x1, x2);
  const DimVector sizes = with_matrix(batch_sizes(x1, x2), x1.size(-2), x1.size(-1));
  if (p == 0) {
    return zeros(sizes, x1.options());
  }
  const Tensor difference = differences(x1, x2);
  Tensor share = mul(sgn(difference), unsqueeze(grad_output, -1));
  if (p != 1) {
    share = mul(share, slope(abs(difference), unsqueeze(cdist, -1), p));
  }
  return sum(share, IntArrayRef(-2), false);
}

Tensor cdist(const Tensor& x1, const Tensor& x2, double p, std::optional<int64_t> compute_mode) {
  check_rows(x1, x2);
  if (names_result(x1, x2)) {
    return with_names(distance_names(x1, x2),
                      [&] { return native::cdist(x1, x2, p, compute_mode); });
  }
  const int64_t mode = compute_mode.value_or(kProductOfMany);
  check_distance(x1, x2, p, mode);
  const DimVector batch = batch_sizes(x1, x2);
  if (!uses_product(x1, x2, p, mode) || x1.numel() == 0 || x2.numel() == 0) {
    return tsc::_cdist_forward(x1, x2, p, compute_mode);
  }
  const Tensor all1 = in_one_batch(x1, batch);
  const Tensor all2 = in_one_batch(x2, batch);
  const bool one = all1.size(0) == 1;
  return view(tsc::_euclidean_dist(one ? x1 : all1, one ? x2 : all2),
              with_matrix(batch, x1.size(-2), x2.size(-2)));
}

}  // namespace tsc::native
