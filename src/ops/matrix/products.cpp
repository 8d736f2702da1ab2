// Products composed of matrix products.
#include "gen/ops/products.h"
#include "core/dispatch_types.h"
#include "gen/calls/_unsafe_view.h"
#include "gen/calls/add.h"
#include "gen/calls/addcmul.h"
#include "gen/calls/addmm.h"
#include "gen/calls/bmm.h"
#include "gen/calls/clamp.h"
#include "gen/calls/clamp_min.h"
#include "gen/calls/clone.h"
#include "gen/calls/conj.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/copy.h"
#include "gen/calls/diagonal.h"
#include "gen/calls/div.h"
#include "gen/calls/dot.h"
#include "gen/calls/eye.h"
#include "gen/calls/linalg_inv.h"
#include "gen/calls/matmul.h"
#include "gen/calls/mm.h"
#include "gen/calls/mul.h"
#include "gen/calls/mv.h"
#include "gen/calls/outer.h"
#include "gen/calls/permute.h"
#include "gen/calls/reshape.h"
#include "gen/calls/scalar_tensor.h"
#include "gen/calls/select.h"
#include "gen/calls/sqrt.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/sub.h"
#include "gen/calls/sum.h"
#include "gen/calls/t.h"
#include "gen/calls/to.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/vdot.h"
#include "gen/calls/view.h"
#include "gen/ops/products_native.h"
#include "ops/cpu/pointwise/arithmetic_list.h"
#include "ops/layouts/math_bits.h"
#include "ops/structured/autogen.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/elementwise.h"
#include "ops/structured/fill.h"
#include "ops/structured/operand_checks.h"
#include "ops/structured/type_names.h"

namespace tsc {
namespace {

// A factor converted to the tensor's dtype: for integers the fraction is dropped.
Scalar factor_for(const Tensor& tensor, const Scalar& factor) {
  if (factor.is_bool()) return factor;
  return is_integral(tensor.dtype(), true) ? Scalar(factor.to_int()) : factor;
}

// beta * self + alpha * product; self is not read where beta is 0.
Tensor plus_scaled(const Tensor& self, const Scalar& self_factor, const Tensor& product,
                   const Scalar& product_factor) {
  const Scalar beta = factor_for(product, self_factor);
  const Scalar alpha = factor_for(product, product_factor);
  const Tensor scaled = alpha.to_complex() == 1.0 ? product : mul(product, alpha);
  if (!beta.to_bool()) {
    return scaled;
  }
  check_expandable(self, product.sizes());
  return add(beta.to_complex() == 1.0 ? self : mul(self, beta), scaled);
}

// The sum of the products of all pairs of elements.
Tensor dot_of_all(const Tensor& a, const Tensor& b) {
  if (a.is_contiguous() && b.is_contiguous()) {
    const auto line = [](const Tensor& tensor) {
      return tensor.dim() == 1 ? tensor : view(tensor, {tensor.numel()});
    };
    const Tensor right = line(b);
    return dot(line(a), right);
  }
  const Tensor right = squeeze(b);
  return sum(mul(squeeze(a), right), a.dtype());
}

// float16 and bfloat16 are computed in float32 and rounded once, after the sum.
Tensor in_single(const Tensor& tensor) { return to(tensor, ScalarType::Float); }

// Adds the product of each pair of matrices, one after the other.
Tensor add_one_by_one(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                      const Scalar& beta, const Scalar& alpha) {
  Tensor result = addmm(self, select(batch1, 0, 0), select(batch2, 0, 0), beta, alpha);
  for (int64_t i = 1; i < batch1.size(0); i++) {
    result = addmm(result, select(batch1, 0, i), select(batch2, 0, i), Scalar(1), alpha);
  }
  return result;
}

const Tensor& store_tensordot(const Tensor& result, const Tensor& self, const Tensor& out) {
  TSC_CHECK(out.dtype() == self.dtype(),
            "tensordot: Expected the output tensor to have dtype {}, but got an output tensor with "
            "dtype {}",
            self.dtype(), out.dtype());
  return store_result(result, out);
}

// The same, written to `out`.
void write_plus_scaled(const Tensor& self, const Scalar& self_factor, const Tensor& product,
                       const Scalar& product_factor, const Tensor& out) {
  if (TSC_UNLIKELY(self.is_conj() || out.is_conj())) {
    copy_(out, plus_scaled(self, self_factor, product, product_factor));
    return;
  }
  const Scalar beta = factor_for(product, self_factor);
  const Scalar alpha = factor_for(product, product_factor);
  const Tensor scaled = alpha.to_complex() == 1.0 ? product : mul(product, alpha);
  if (!beta.to_bool()) {
    copy_elements(out, scaled);
    return;
  }
  const Tensor start = beta.to_complex() == 1.0 ? self : mul(self, beta);
  TensorIterator sum(out);
  sum.build({.check_memory_overlap = false, .promote_inputs = true, .cast_outputs = true},
            {&start, &scaled});
  run_elementwise(sum, cpu::ufuncs::add, "add_stub", Scalar(1));
}

}  // namespace

TSC_META_FUNC(addmv)
(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar&, const Scalar&) {
  TSC_CHECK(mat.dim() == 2 && vec.dim() == 1 && self.dim() <= 1,
            "vector + matrix @ vector expected, got {}, {}, {}", self.dim(), mat.dim(), vec.dim());
  check_matrix_vector(self.numel(), mat, vec);
  check_matrix_vector_types(self.dtype(), mat, vec);
  set_output({mat.size(0)}, self.dtype());
}
TSC_IMPL_FUNC(addmv_cpu)
(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta, const Scalar& alpha,
 const Tensor& out) {
  write_plus_scaled(self, beta, mv(mat, vec), alpha, out);
}

TSC_META_FUNC(baddbmm)
(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar&, const Scalar&) {
  const DimVector sizes{batch1.size(0), batch1.size(1), batch2.size(2)};
  expand_to(self, sizes);
  check_batches(batch1, batch2);
  TSC_CHECK(self.dtype() == batch1.dtype(),
            "Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}",
            cpp_type_name(self.dtype()), cpp_type_name(batch1.dtype()),
            cpp_type_name(batch2.dtype()));
  set_output(sizes, self.dtype());
}
TSC_IMPL_FUNC(baddbmm_cpu)
(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
 const Scalar& alpha, const Tensor& out) {
  check_scalar_type(batch2, self.dtype());
  if (out.numel() == 0) {
    return;
  }
  if (self.dtype() == ScalarType::Bool) {
    throw_dtype_not_implemented("baddbmm", self.dtype());
  }
  if (is_reduced_floating_point(self.dtype())) {
    const Tensor product = bmm(in_single(batch1), in_single(batch2));
    copy_elements(out, plus_scaled(in_single(self), beta, product, alpha));
  } else {
    write_plus_scaled(materialized(self), beta, bmm(batch1, batch2), alpha, out);
  }
}

namespace native {

Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
              const Scalar& alpha) {
  const bool matches = batch1.dim() == 3 && batch2.dim() == 3 && batch1.size(0) == batch2.size(0);
  if (matches && batch1.size(0) > 0 && is_reduced_floating_point(self.dtype())) {
    return add_one_by_one(self, batch1, batch2, beta, alpha);
  }
  const Tensor products = bmm(batch1, batch2);
  const Tensor product = sum(products, IntArrayRef(0), false, products.dtype());
  return contiguous(plus_scaled(self, beta, product, alpha));
}
Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
            const Scalar& alpha) {
  TSC_CHECK(vec1.dim() == 1, "addr: Expected 1-D argument vec1, but got {}-D", vec1.dim());
  TSC_CHECK(vec2.dim() == 1, "addr: Expected 1-D argument vec2, but got {}-D", vec2.dim());
  const ScalarType type = self.dtype();
  const bool in_one_pass = (type == ScalarType::Float || type == ScalarType::Double) &&
                           vec1.dtype() == type && vec2.dtype() == type && !beta.is_complex() &&
                           beta.to_double() == 1 && !alpha.is_complex() && self.dim() == 2 &&
                           self.size(0) == vec1.size(0) && self.size(1) == vec2.size(0);
  if (type == ScalarType::Bool && vec1.dtype() == type && vec2.dtype() == type) {
    return plus_scaled(self, Scalar(beta.to_bool()), outer(vec1, vec2), Scalar(alpha.to_bool()));
  }
  return in_one_pass ? addcmul(self, unsqueeze(vec1, 1), vec2, alpha)
                     : plus_scaled(self, beta, outer(vec1, vec2), alpha);
}

Tensor ger(const Tensor& self, const Tensor& vec2) { return outer(self, vec2); }

Tensor inner(const Tensor& self, const Tensor& other) {
  if (self.dim() == 0 || other.dim() == 0) {
    return mul(self, other);
  }
  TSC_CHECK(self.size(-1) == other.size(-1),
            "inner() the last dimension must match on both input tensors but got shapes {} and {}",
            self.sizes(), other.sizes());
  return tsc::tensordot(self, other, {-1}, {-1});
}

const Tensor& inner_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return self.dim() == 0 || other.dim() == 0 ? tsc::mul_out(out, self, other)
                                             : store_tensordot(tsc::inner(self, other), self, out);
}

Tensor tensordot(const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                 IntArrayRef dims_other) {
  TSC_CHECK(dims_self.size() == dims_other.size(), "both dimension lists should have same length");
  TSC_CHECK(self.dtype() == other.dtype(), "both inputs should have same dtype");
  Tensor a = self;
  Tensor b = other;
  int64_t summed = 1;
  DimVector order_a;
  DimVector order_b;
  DimVector sizes;
  std::vector<bool> contracted_a(static_cast<size_t>(self.dim()));
  std::vector<bool> contracted_b(static_cast<size_t>(other.dim()));
  DimVector dims_a;
  DimVector dims_b;
  for (size_t i = 0; i < dims_self.size(); i++) {
    const int64_t at_a = maybe_wrap_dim(dims_self[i], self.dim());
    const int64_t at_b = maybe_wrap_dim(dims_other[i], other.dim());
    const int64_t size_a = a.size(at_a);
    const int64_t size_b = b.size(at_b);
    TSC_CHECK(size_a == size_b || size_a == 1 || size_b == 1,
              "contracted dimensions need to match, but first has size {} in dim {} and second has "
              "size {} in dim {}",
              size_a, dims_self[i], size_b, dims_other[i]);
    // One dimension is broadcast, so the other is summed first.
    if (size_a == 1 && size_b != 1) {
      b = tsc::sum(b, IntArrayRef(at_b), true, b.dtype());
    } else if (size_b == 1 && size_a != 1) {
      a = tsc::sum(a, IntArrayRef(at_a), true, a.dtype());
    }
    summed *= a.size(at_a);
    contracted_a[static_cast<size_t>(at_a)] = true;
    contracted_b[static_cast<size_t>(at_b)] = true;
    dims_a.push_back(dims_self[i]);
    dims_b.push_back(dims_other[i]);
  }
  int64_t rows = 1;
  for (int64_t i = 0; i < a.dim(); i++) {
    if (!contracted_a[static_cast<size_t>(i)]) {
      order_a.push_back(i);
      rows *= a.size(i);
      sizes.push_back(a.size(i));
    }
  }
  for (const int64_t dim : dims_a) {
    order_a.push_back(dim);
  }
  order_b = dims_b;
  int64_t columns = 1;
  for (int64_t i = 0; i < b.dim(); i++) {
    if (!contracted_b[static_cast<size_t>(i)]) {
      order_b.push_back(i);
      columns *= b.size(i);
      sizes.push_back(b.size(i));
    }
  }
  if (rows == 1 && columns == 1) {
    const Tensor left = tsc::permute(a, order_a);
    return tsc::reshape(dot_of_all(left, tsc::permute(b, order_b)), sizes);
  }
  const Tensor left = tsc::reshape(tsc::permute(a, order_a), {rows, summed});
  const Tensor right = tsc::reshape(tsc::permute(b, order_b), {summed, columns});
  return tsc::reshape(mm(left, right), sizes);
}
const Tensor& tensordot_out(const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                            IntArrayRef dims_other, const Tensor& out) {
  return store_tensordot(tsc::tensordot(self, other, dims_self, dims_other), self, out);
}

Tensor kron(const Tensor& self, const Tensor& other) {
  const auto dims = static_cast<size_t>(std::max(self.dim(), other.dim()));
  DimVector sizes_a;
  DimVector sizes_b;
  DimVector sizes;
  for (size_t i = 0; i < dims; i++) {
    const size_t missing_a = dims - self.sizes().size();
    const size_t missing_b = dims - other.sizes().size();
    const int64_t size_a = i < missing_a ? 1 : self.sizes()[i - missing_a];
    const int64_t size_b = i < missing_b ? 1 : other.sizes()[i - missing_b];
    sizes_a.push_back(size_a);
    sizes_a.push_back(1);
    sizes_b.push_back(1);
    sizes_b.push_back(size_b);
    int64_t size = 0;
    (void)__builtin_mul_overflow(size_a, size_b, &size);  // mul() refuses what does not fit
    sizes.push_back(size);
  }
  const Tensor left = tsc::_unsafe_view(self, sizes_a);
  const Tensor right = tsc::_unsafe_view(other, sizes_b);
  return tsc::_unsafe_view(mul(left, right), sizes);
}

Tensor matrix_power(const Tensor& self, int64_t n) {
  TSC_CHECK(self.dim() >= 2,
            "linalg.matrix_power: The input tensor A must have at least 2 dimensions.");
  TSC_CHECK(
      self.size(-1) == self.size(-2),
      "linalg.matrix_power: A must be batches of square matrices, but they are {} by {} matrices",
      self.size(-2), self.size(-1));
  if (n == 0) {
    return copy_(clone(self), eye(self.size(-1), self.options()));
  }
  if (n < 0) {
    return tsc::matrix_power(linalg_inv(self), -n);
  }
  if (n == 3) {
    return matmul(matmul(self, self), self);
  }
  // By repeated squaring, from the lowest bit.
  Tensor square = self;
  Tensor result;
  for (int64_t rest = n; rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) {
      result = result.defined() ? matmul(result, square) : square;
    }
    if (rest > 1) {
      square = matmul(square, square);
    }
  }
  return result.is_same(self) ? clone(self) : result;
}

// The identity and a copy are converted to the dtype of `out`, products are not.
const Tensor& matrix_power_out(const Tensor& self, int64_t n, const Tensor& out) {
  const Tensor result = tsc::matrix_power(self, n);
  return n == 0 || n == 1 ? store_result(result, out) : store_exact(result, out);
}

Tensor linalg_matrix_power(const Tensor& self, int64_t n) { return tsc::matrix_power(self, n); }
const Tensor& linalg_matrix_power_out(const Tensor& self, int64_t n, const Tensor& out) {
  return tsc::matrix_power_out(out, self, n);
}
Tensor linalg_matmul(const Tensor& self, const Tensor& other) { return matmul(self, other); }
Tensor linalg_vecdot(const Tensor& x, const Tensor& y, int64_t dim) {
  return x.dim() == 1 && y.dim() == 1 && x.dtype() == y.dtype()
             ? vdot(x, y)
             : sum(mul(conj(x), y), IntArrayRef(dim));
}

Tensor cov(const Tensor& self, int64_t correction, OptionalTensorRef fweights,
           OptionalTensorRef aweights) {
  TSC_CHECK(
      self.dim() <= 2,
      "cov(): expected input to have two or fewer dimensions but got an input with {} dimensions",
      self.dim());
  TSC_CHECK(self.dtype() != ScalarType::Bool, "cov(): bool dtype is not supported for input");
  const Tensor variables = self.dim() < 2 ? view(self, {1, -1}) : self;
  Tensor weights;
  if (fweights.has_value()) {
    weights = *fweights;
  }
  if (aweights.has_value()) {
    weights = weights.defined() ? mul(weights, *aweights) : *aweights;
  }
  const auto count = static_cast<double>(variables.size(1));
  Tensor mean_of_rows;
  Tensor norm_factor;
  if (!weights.defined()) {
    mean_of_rows = div(sum(variables, IntArrayRef(1), true), Scalar(count));
    norm_factor = scalar_tensor(count - static_cast<double>(correction));
  } else {
    const Tensor total = sum(weights);
    mean_of_rows = div(sum(mul(variables, weights), IntArrayRef(1), true), total);
    norm_factor =
        aweights.has_value() && correction != 0
            ? sub(total, mul(div(sum(mul(weights, *aweights)), total), Scalar(correction)))
            : sub(total, Scalar(correction));
  }
  const Tensor centred = sub(variables, mean_of_rows);
  const Tensor weighted = weights.defined() ? mul(centred, weights) : centred;
  return squeeze(div(mm(weighted, conj(t(centred))), clamp_min(norm_factor, 0)));
}

Tensor corrcoef(const Tensor& self) {
  TSC_CHECK(self.dim() <= 2,
            "corrcoef(): expected input to have two or fewer dimensions but got an input with {} "
            "dimensions",
            self.dim());
  const Tensor covariance = tsc::cov(self);
  if (covariance.dim() == 0) {
    return div(covariance, covariance);
  }
  const Tensor deviations = sqrt(diagonal(covariance));
  const Tensor coefficients =
      div(div(covariance, view(deviations, {-1, 1})), view(deviations, {1, -1}));
  return coefficients.is_complex() ? coefficients : clamp(coefficients, Scalar(-1), Scalar(1));
}

}  // namespace native
}  // namespace tsc
