// Operators composed of factorisations of matrices.
#include <cmath>

#include "core/tensor_factory.h"
#include "gen/calls/_linalg_check_errors.h"
#include "gen/calls/abs.h"
#include "gen/calls/adjoint.h"
#include "gen/calls/amax.h"
#include "gen/calls/cat.h"
#include "gen/calls/clamp_min.h"
#include "gen/calls/cumprod.h"
#include "gen/calls/diagonal.h"
#include "gen/calls/div.h"
#include "gen/calls/empty.h"
#include "gen/calls/expand.h"
#include "gen/calls/flatten.h"
#include "gen/calls/full.h"
#include "gen/calls/gt.h"
#include "gen/calls/linalg_eigh.h"
#include "gen/calls/linalg_eigvalsh.h"
#include "gen/calls/linalg_inv_ex.h"
#include "gen/calls/linalg_solve.h"
#include "gen/calls/linalg_svd.h"
#include "gen/calls/linalg_svdvals.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/matmul.h"
#include "gen/calls/maximum.h"
#include "gen/calls/movedim.h"
#include "gen/calls/mul.h"
#include "gen/calls/nan_to_num.h"
#include "gen/calls/narrow.h"
#include "gen/calls/new_ones.h"
#include "gen/calls/reciprocal.h"
#include "gen/calls/reshape.h"
#include "gen/calls/sqrt.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/sum.h"
#include "gen/calls/to.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/where.h"
#include "gen/calls/zeros.h"
#include "gen/ops/matrix_functions.h"
#include "gen/ops/matrix_functions_native.h"
#include "ops/matrix/matrix_batches.h"
#include "ops/structured/broadcast.h"

namespace tsc::native {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- tolerances ---

struct Tolerance {
  Tensor absolute;
  Tensor relative;
};

Tensor number(double value, const Tensor& like) {
  return full({}, Scalar(value), like.options().dtype(ScalarType::Double));
}

double default_relative(const Tensor& a) {
  return epsilon_of(a.dtype()) * static_cast<double>(std::max(a.size(-2), a.size(-1)));
}

Tolerance tolerance(const Tensor& a, std::optional<double> absolute,
                    std::optional<double> relative) {
  const double otherwise = default_relative(a);
  return {number(absolute.value_or(0), a),
          number(relative.value_or(absolute.value_or(0) > 0 ? 0 : otherwise), a)};
}

Tolerance tolerance(const Tensor& a, OptionalTensorRef absolute, OptionalTensorRef relative) {
  const Tensor first = absolute.has_value() ? *absolute : number(0, a);
  if (relative.has_value()) {
    return {first, *relative};
  }
  const Tensor otherwise = number(default_relative(a), a);
  return {first, absolute.has_value() ? where(gt(first, 0), Scalar(0.0), otherwise) : otherwise};
}

// The bound below which singular values count as zero; `largest` holds each matrix's largest one in
// a last dimension of size 1.
Tensor threshold(const Tolerance& tolerance, const Tensor& largest) {
  return maximum(unsqueeze(tolerance.absolute, -1),
                 mul(unsqueeze(tolerance.relative, -1), largest));
}

void check_tolerance(OptionalTensorRef value, const Tensor& input, const char* name) {
  if (!value.has_value()) {
    return;
  }
  TSC_CHECK(value->device() == input.device(),
            "torch.linalg.matrix_rank: Expected {} and input tensors to be on the same device, but "
            "got {} on {} and input on {}",
            name, name, value->device(), input.device());
  TSC_CHECK(!value->is_complex(),
            "torch.linalg.matrix_rank: {} tensor of complex type is not supported. Got {}", name,
            value->dtype());
}

// --- pseudo-inverses ---

void check_pinv_input(const Tensor& a) {
  TSC_CHECK((a.is_floating_point() || a.is_complex()) && a.dtype() != ScalarType::Half &&
                a.dtype() != ScalarType::BFloat16 && a.dim() >= 2,
            "linalg.pinv({}{{{}}}): expected a tensor with 2 or more dimensions of float, double, "
            "cfloat or cdouble types",
            a.dtype(), a.sizes());
}

// The reciprocals of the values above the bound; 0 for the others.
Tensor reciprocals(const Tensor& values, const Tensor& sizes, const Tensor& above,
                   ScalarType dtype) {
  return to(where(gt(sizes, above), reciprocal(values), Scalar(0.0)), dtype);
}

Tensor pseudo_inverse(const Tensor& a, const Tolerance& tolerance, bool hermitian) {
  check_pinv_input(a);
  if (a.numel() == 0) {
    return empty(matrix_sizes(batch_of(a), a.size(-1), a.size(-2)), a.options());
  }
  if (hermitian) {
    const auto [values, vectors] = linalg_eigh(a);
    const Tensor sizes = abs(values);
    const Tensor above = threshold(tolerance, amax(sizes, -1, true));
    const Tensor scales = reciprocals(values, sizes, above, a.dtype());
    return matmul(mul(vectors, unsqueeze(scales, -2)), adjoint(vectors));
  }
  const auto [u, s, vh] = linalg_svd(a, false);
  const Tensor above = threshold(tolerance, narrow(s, -1, 0, 1));
  const Tensor scales = reciprocals(s, s, above, a.dtype());
  return matmul(mul(adjoint(vh), unsqueeze(scales, -2)), adjoint(u));
}

Tensor rank(const Tensor& a, const Tolerance& tolerance, bool hermitian) {
  check_is_matrix(a, "torch.linalg.matrix_rank", "input");
  if (a.numel() == 0) {
    return zeros(batch_of(a), a.options().dtype(ScalarType::Long));
  }
  const Tensor s = hermitian ? abs(linalg_eigvalsh(a)) : linalg_svdvals(a);
  return sum(gt(s, threshold(tolerance, amax(s, -1, true))), IntArrayRef(-1));
}

}  // namespace

Tensor linalg_pinv_atol_rtol_tensor(const Tensor& self, OptionalTensorRef atol,
                                    OptionalTensorRef rtol, bool hermitian) {
  check_pinv_input(self);
  return pseudo_inverse(self, tolerance(self, atol, rtol), hermitian);
}
Tensor linalg_pinv_atol_rtol_float(const Tensor& self, std::optional<double> atol,
                                   std::optional<double> rtol, bool hermitian) {
  if (!atol.has_value() && !rtol.has_value()) {
    return tsc::linalg_pinv(self, OptionalTensorRef(), OptionalTensorRef(), hermitian);
  }
  const Tolerance limits = tolerance(self, atol, rtol);
  return linalg_pinv(self, limits.absolute, limits.relative, hermitian);
}
Tensor linalg_pinv(const Tensor& self, double rcond, bool hermitian) {
  const Tensor absolute = number(0, self);
  return tsc::linalg_pinv(self, absolute, number(rcond, self), hermitian);
}
Tensor linalg_pinv_rcond_tensor(const Tensor& self, const Tensor& rcond, bool hermitian) {
  return tsc::linalg_pinv(self, number(0, self), rcond, hermitian);
}
Tensor pinverse(const Tensor& self, double rcond) { return tsc::linalg_pinv(self, rcond, false); }

Tensor linalg_matrix_rank_atol_rtol_tensor(const Tensor& input, OptionalTensorRef atol,
                                           OptionalTensorRef rtol, bool hermitian) {
  check_is_matrix(input, "torch.linalg.matrix_rank", "input");
  check_tolerance(atol, input, "atol");
  check_tolerance(rtol, input, "rtol");
  return rank(input, tolerance(input, atol, rtol), hermitian);
}
Tensor linalg_matrix_rank_atol_rtol_float(const Tensor& self, std::optional<double> atol,
                                          std::optional<double> rtol, bool hermitian) {
  check_is_matrix(self, "torch.linalg.matrix_rank", "input");
  return rank(self, tolerance(self, atol, rtol), hermitian);
}
Tensor linalg_matrix_rank(const Tensor& self, double tol, bool hermitian) {
  return rank(self, {number(tol, self), number(0, self)}, hermitian);
}
Tensor linalg_matrix_rank_tol_tensor(const Tensor& input, const Tensor& tol, bool hermitian) {
  check_is_matrix(input, "torch.linalg.matrix_rank", "input");
  check_tolerance(tol, input, "atol");
  return rank(input, {tol, number(0, input)}, hermitian);
}

// --- condition numbers ---

namespace {

// From the norms of the matrix and of its inverse; infinity for singular matrices.
template <class Order>
Tensor condition(const Tensor& a, const Order& order) {
  check_is_square(a, fmt::format("linalg.cond(ord={})", order));
  if (a.numel() == 0) {
    return zeros(batch_of(a), a.options().dtype(to_real_value_type(a.dtype())));
  }
  const auto [inverse, infos] = linalg_inv_ex(a);
  const Tensor is_singular = gt(unsqueeze(unsqueeze(infos, -1), -1), 0);
  const Tensor filled = masked_fill(inverse, is_singular, Scalar(kInfinity));
  constexpr int64_t kDims[] = {-2, -1};
  const Tensor product = mul(linalg_matrix_norm(a, order, IntArrayRef(kDims)),
                             linalg_matrix_norm(filled, order, IntArrayRef(kDims)));
  return nan_to_num(product, kInfinity, kInfinity, -kInfinity);
}

void check_condition_input(const Tensor& a) {
  TSC_CHECK(a.dim() >= 2, "linalg.cond: The input tensor must have at least 2 dimensions.");
}

template <class Order>
void check_condition_order(bool is_known, const Order& order) {
  TSC_CHECK_VALUE(is_known, "linalg.cond got an invalid norm type: {}", order);
}

}  // namespace

Tensor linalg_cond(const Tensor& self, const std::optional<Scalar>& p) {
  check_condition_input(self);
  const double order = p.value_or(Scalar(2)).to_double();
  if (std::abs(order) != 2) {
    check_condition_order(std::abs(order) == 1 || std::isinf(order), order);
    return condition(self, order);
  }
  if (self.numel() == 0) {
    return zeros(batch_of(self), self.options().dtype(to_real_value_type(self.dtype())));
  }
  const Tensor s = linalg_svdvals(self);
  const Tensor largest = narrow(s, -1, 0, 1);
  const Tensor smallest = narrow(s, -1, -1, 1);
  return squeeze(order > 0 ? div(largest, smallest) : div(smallest, largest), -1);
}

Tensor linalg_cond_p_str(const Tensor& self, std::string_view p) {
  check_condition_input(self);
  check_condition_order(p == "nuc" || p == "fro", p);
  if (p == "fro" || self.numel() == 0) {
    return condition(self, p);
  }
  // Computed from the definition, since linalg_norm would raise an error for infinity.
  const Tensor s = linalg_svdvals(self);
  return mul(sum(s, IntArrayRef(-1)), sum(reciprocal(s), IntArrayRef(-1)));
}

// --- square roots ---

std::tuple<Tensor, Tensor> linalg_polar(const Tensor& a) {
  check_is_matrix(a, "linalg.polar");
  check_floating_or_complex(a, "linalg.polar");
  TSC_CHECK(a.size(-2) >= a.size(-1),
            "linalg.polar: input must have at least as many rows as columns, but got {} by {} "
            "matrices",
            a.size(-2), a.size(-1));
  const auto [u, s, vh] = linalg_svd(a, false);
  return {matmul(u, vh), matmul(mul(adjoint(vh), unsqueeze(s, -2)), vh)};
}

Tensor linalg_matrix_sqrth(const Tensor& self) {
  check_is_square(self, "linalg.matrix_sqrth");
  check_floating_or_complex(self, "linalg.matrix_sqrth");
  const auto [values, vectors] = linalg_eigh(self);
  const Tensor roots = sqrt(clamp_min(values, 0));
  return matmul(mul(vectors, unsqueeze(roots, -2)), adjoint(vectors));
}

// --- tensors as matrices ---

namespace {

void check_is_square_tensor(int64_t columns, int64_t rows, const char* split) {
  TSC_CHECK(columns == rows,
            "Expected self to satisfy the requirement prod(self.shape[{0}:]) == "
            "prod(self.shape[:{0}]), but got {1} != {2}",
            split, columns, rows);
}

}  // namespace

Tensor linalg_tensorinv(const Tensor& self, int64_t ind) {
  TSC_CHECK(ind > 0, "Expected a strictly positive integer for 'ind', but got {}", ind);
  const size_t split = std::min(static_cast<size_t>(ind), self.sizes().size());
  const IntArrayRef first = self.sizes().slice(0, split);
  const IntArrayRef last = self.sizes().slice(split, self.sizes().size() - split);
  check_is_square_tensor(product(last), product(first), "ind");
  DimVector sizes(last);
  for (const int64_t size : first) {
    sizes.push_back(size);
  }
  const auto [inverse, infos] = linalg_inv_ex(reshape(self, {product(last), product(last)}));
  tsc::_linalg_check_errors(infos, "inv", infos.dim() == 0);
  return reshape(inverse, sizes);
}

Tensor linalg_tensorsolve(const Tensor& self, const Tensor& other, OptionalIntArrayRef dims) {
  Tensor a = self;
  if (dims.has_value()) {
    DimVector last;
    for (size_t i = 0; i < dims->size(); i++) {
      last.push_back(self.dim() - static_cast<int64_t>(dims->size() - i));
    }
    a = movedim(self, *dims, last);
  }
  const size_t split = std::min(other.sizes().size(), a.sizes().size());
  const DimVector sizes(a.sizes().slice(split, a.sizes().size() - split));
  check_is_square_tensor(product(sizes), product(other.sizes()), "other.ndim");
  const Tensor square = reshape(a, {product(sizes), product(sizes)});
  return reshape(linalg_solve(square, flatten(other)), sizes);
}

Tensor linalg_diagonal(const Tensor& a, int64_t offset, int64_t dim1, int64_t dim2) {
  return diagonal(a, offset, dim1, dim2);
}

Tensor linalg_vander(const Tensor& x, std::optional<int64_t> n) {
  TSC_CHECK_NOT_IMPLEMENTED(
      x.dtype() != ScalarType::Bool && x.dtype() != ScalarType::Half &&
          x.dtype() != ScalarType::BFloat16,
      "linalg.vander supports floating point, complex, and integer tensors, but got {}", x.dtype());
  const Tensor bases = x.dim() == 0 ? unsqueeze(x, -1) : x;
  const int64_t count = n.value_or(bases.size(-1));
  TSC_CHECK(count > 1, "N must be greater than 1.");
  DimVector sizes(bases.sizes());
  sizes.push_back(count - 1);
  const Tensor powers = cumprod(expand(unsqueeze(bases, -1), sizes), -1);
  sizes.back() = 1;
  return cat({new_ones(powers, sizes), powers}, -1);
}

}  // namespace tsc::native
