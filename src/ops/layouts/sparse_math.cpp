// Sums, products and functions of sparse tensors.
#include "core/small_vector.h"
#include "core/tensor_factory.h"
#include "gen/calls/add.h"
#include "gen/calls/addmm.h"
#include "gen/calls/cat.h"
#include "gen/calls/clone.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/copy.h"
#include "gen/calls/div.h"
#include "gen/calls/expand.h"
#include "gen/calls/flatten.h"
#include "gen/calls/floor_divide.h"
#include "gen/calls/index_add.h"
#include "gen/calls/index_select.h"
#include "gen/calls/mm.h"
#include "gen/calls/mul.h"
#include "gen/calls/select.h"
#include "gen/calls/stack.h"
#include "gen/calls/sub.h"
#include "gen/calls/t.h"
#include "gen/calls/to.h"
#include "gen/calls/transpose.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/zeros.h"
#include "gen/ops/binary_native.h"
#include "gen/ops/matmul_native.h"
#include "gen/ops/sparse.h"
#include "gen/ops/sparse_native.h"
#include "ops/layouts/sparse.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/operand_checks.h"
#include "ops/structured/result_type.h"

namespace tsc {

namespace {

// For each value of a result, the number of an operand's value that it is computed from.
using Rows = std::vector<int64_t>;

// The dtype of the sum; add on empty meta tensors also checks alpha.
ScalarType sum_dtype(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  return tsc::add(empty_tensor({0}, self.dtype(), DeviceType::Meta),
                  empty_tensor({0}, other.dtype(), DeviceType::Meta), alpha)
      .dtype();
}

Tensor values_as(const Tensor& sparse, ScalarType dtype) {
  return to(sparse_impl(sparse).values(), dtype);
}

// Merges both lists of places in ascending order; values at equal places are added.
Tensor add_sparse_sparse(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const ScalarType dtype = sum_dtype(self, other, alpha);
  TSC_CHECK(self.sizes() == other.sizes(),
            "add: expected sizes of 'self' and 'other' to match, but {} != {}", self.sizes(),
            other.sizes());
  const SparseTensorImpl& a = sparse_impl(self);
  const SparseTensorImpl& b = sparse_impl(other);
  TSC_CHECK(a.sparse_dim() == b.sparse_dim(),
            "add: expected 'self' and 'other' to have same number of sparse dimensions, but {} != "
            "{}",
            a.sparse_dim(), b.sparse_dim());
  const Tensor a_places = flat_places(self);
  const Tensor b_places = flat_places(other);
  const auto* const a_at = a_places.data_ptr<int64_t>();
  const auto* const b_at = b_places.data_ptr<int64_t>();
  Rows columns, a_rows, b_rows;
  for (int64_t i = 0, j = 0; i < a.nnz() || j < b.nnz();) {
    const auto row = static_cast<int64_t>(columns.size());
    const bool takes_a = j == b.nnz() || (i < a.nnz() && a_at[i] <= b_at[j]);
    const bool takes_b = i == a.nnz() || (j < b.nnz() && b_at[j] <= a_at[i]);
    columns.push_back(takes_a ? i : a.nnz() + j);
    if (takes_a) {
      a_rows.push_back(row);
      i++;
    }
    if (takes_b) {
      b_rows.push_back(row);
      j++;
    }
  }
  DimVector sizes(a.values().sizes());
  sizes[0] = static_cast<int64_t>(columns.size());
  const Tensor values = zeros(sizes, TensorOptions(dtype));
  index_add_(values, 0, long_tensor(a_rows), values_as(self, dtype));
  index_add_(values, 0, long_tensor(b_rows), values_as(other, dtype), alpha);
  const Tensor indices = index_select(cat({a.indices(), b.indices()}, 1), 1, long_tensor(columns));
  return make_sparse(self.sizes(), indices, values, a.is_coalesced() && b.is_coalesced());
}

Tensor add_dense_sparse(const Tensor& dense, const Tensor& sparse, const Scalar& alpha) {
  const ScalarType dtype = sum_dtype(dense, sparse, alpha);
  TSC_CHECK(dense.sizes() == sparse.sizes(),
            "add: expected 'self' and 'other' to have same size, but self has size {} while other "
            "has size {} (FYI: dense-sparse addition does not currently support broadcasting)",
            dense.sizes(), sparse.sizes());
  const Tensor result = clone(to(dense, dtype), MemoryFormat::Contiguous);
  index_add_(with_joined_places(result, sparse), 0, flat_places(sparse), values_as(sparse, dtype),
             alpha);
  return result;
}

// The values of `sparse` times the elements of `dense` at their places.
Tensor mul_sparse_dense(const Tensor& sparse, const Tensor& dense) {
  if (dense.dim() == 0) {
    return with_values(sparse, tsc::mul(sparse_impl(sparse).values(), dense));
  }
  const DimVector sizes = broadcast_sizes(sparse.sizes(), dense.sizes());
  TSC_CHECK_NOT_IMPLEMENTED(sparse.sizes() == IntArrayRef(sizes),
                            "mul: a sparse tensor of size {} is not expanded to {}", sparse.sizes(),
                            IntArrayRef(sizes));
  return with_values(
      sparse, tsc::mul(sparse_impl(sparse).values(), values_at(expand(dense, sizes), sparse)));
}

// One operand is coalesced and searched for the places of the other, which are the result's. If
// both are coalesced, only their common places are kept.
Tensor mul_sparse_sparse(const Tensor& self, const Tensor& other) {
  TSC_CHECK(self.sizes() == other.sizes() &&
                sparse_impl(self).sparse_dim() == sparse_impl(other).sparse_dim(),
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, "
            "number of sparse dimensions, and shape of sparse dimensions");
  const bool both_coalesced = is_coalesced(self) && is_coalesced(other);
  const bool looks_up_self =
      both_coalesced ? _nnz(self) >= _nnz(other) : is_coalesced(self) || !is_coalesced(other);
  const Tensor table = coalesce(looks_up_self ? self : other);
  const Tensor& probe = looks_up_self ? other : self;
  const Tensor table_places = flat_places(table);
  const Tensor probe_places = flat_places(probe);
  const auto* const first = table_places.data_ptr<int64_t>();
  const auto* const last = first + table_places.numel();
  Rows table_rows, probe_rows;
  for (int64_t i = 0; i < probe_places.numel(); i++) {
    const int64_t place = probe_places.data_ptr<int64_t>()[i];
    const auto* const found = std::lower_bound(first, last, place);
    if (found != last && *found == place) {
      table_rows.push_back(found - first);
      probe_rows.push_back(i);
    }
  }
  const Tensor rows = long_tensor(probe_rows);
  const Tensor products =
      tsc::mul(index_select(sparse_impl(probe).values(), 0, rows),
               index_select(sparse_impl(table).values(), 0, long_tensor(table_rows)));
  if (both_coalesced || first == last) {
    return make_sparse(self.sizes(), index_select(sparse_impl(probe).indices(), 1, rows), products,
                       both_coalesced || first == last);
  }
  const Tensor values = zeros(sparse_impl(probe).values().sizes(), TensorOptions(products.dtype()));
  index_add_(values, 0, rows, products);
  return make_sparse(self.sizes(), sparse_impl(probe).indices(), values, false);
}

// Stores a kernel's result as the in-place or out= form requires.
const Tensor& store(const Tensor& result, const Tensor& out) {
  check_result_cast(result.dtype(), out.dtype());
  TSC_CHECK(result.is_sparse() == out.is_sparse(),
            "a result of layout {} cannot be stored in a tensor of layout {}",
            to_string(result.layout()), to_string(out.layout()));
  if (result.is_sparse()) {
    assign_sparse(out, result);
  } else {
    copy_(out, result);
  }
  return out;
}

void check_matrix(int64_t dims) {
  TSC_CHECK(dims == 2, "addmm: matrices expected, got {}D tensor", dims);
}

void check_matrices(const Tensor& sparse, const Tensor& dense) {
  check_matrix(sparse_impl(sparse).sparse_dim());
  check_matrix(dense.dim());
  TSC_CHECK(sparse.sizes()[1] == dense.sizes()[0],
            "addmm: Argument #3 (dense): Expected dim 0 size {}, got {}", sparse.sizes()[1],
            dense.sizes()[0]);
  check_scalar_type(dense, sparse.dtype());
}

// Each value times a row of the dense matrix is added to a row of the result.
Tensor multiply_sparse_dense(const Tensor& sparse, const Tensor& dense) {
  check_matrices(sparse, dense);
  const SparseTensorImpl& impl = sparse_impl(sparse);
  const Tensor result = zeros({sparse.sizes()[0], dense.sizes()[1]}, dense.options());
  index_add_(
      result, 0, select(impl.indices(), 0, 0),
      tsc::mul(unsqueeze(impl.values(), 1), index_select(dense, 0, select(impl.indices(), 0, 1))));
  return result;
}

void check_divisor(const Tensor& other, std::string_view division) {
  TSC_CHECK(!other.is_sparse() && other.dim() == 0,
            "Sparse {} requires a scalar or zero-dim dense tensor divisor (got shape {} for "
            "divisor)",
            division, other.sizes());
}

}  // namespace

namespace native {

Tensor sparse_add(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  TSC_CHECK(!self.is_sparse() || other.is_sparse(),
            "add(sparse, dense) is not supported. Use add(dense, sparse) instead.");
  return self.is_sparse() ? add_sparse_sparse(self, other, alpha)
                          : add_dense_sparse(self, other, alpha);
}
const Tensor& sparse_add_(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  return store(sparse_add(self, other, alpha), self);
}
const Tensor& sparse_add_out(const Tensor& self, const Tensor& other, const Scalar& alpha,
                             const Tensor& out) {
  return store(sparse_add(self, other, alpha), out);
}

Tensor sparse_sub(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const Scalar negative = alpha.is_int()       ? Scalar(-alpha.to_int())
                          : alpha.is_complex() ? Scalar(-alpha.to_complex())
                                               : Scalar(-alpha.to_double());
  return sparse_add(self, other, negative);
}

const Tensor& sparse_sub_(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  return store(sparse_sub(self, other, alpha), self);
}

Tensor sparse_mul(const Tensor& self, const Tensor& other) {
  if (self.is_sparse() && other.is_sparse()) {
    return mul_sparse_sparse(self, other);
  }
  return self.is_sparse() ? mul_sparse_dense(self, other) : mul_sparse_dense(other, self);
}
const Tensor& sparse_mul_(const Tensor& self, const Tensor& other) {
  return store(sparse_mul(self, other), self);
}
const Tensor& sparse_mul_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return store(sparse_mul(self, other), out);
}

Tensor sparse_div(const Tensor& self, const Tensor& other) {
  check_divisor(other, "division");
  return with_values(self, tsc::div(sparse_impl(self).values(), other));
}
// What is rounded is the quotient of the sum at a place.
Tensor sparse_div_rounded(const Tensor& self, const Tensor& other,
                          std::optional<std::string_view> rounding_mode) {
  check_divisor(other, "division");
  const Tensor ordered = rounding_mode.has_value() ? tsc::coalesce(self) : self;
  return with_values(ordered, tsc::div(sparse_impl(ordered).values(), other, rounding_mode));
}
const Tensor& sparse_div_rounded_(const Tensor& self, const Tensor& other,
                                  std::optional<std::string_view> rounding_mode) {
  return store(sparse_div_rounded(self, other, rounding_mode), self);
}
Tensor sparse_floor_divide(const Tensor& self, const Tensor& other) {
  check_divisor(other, "floor division");
  const Tensor ordered = tsc::coalesce(self);
  return with_values(ordered, tsc::floor_divide(sparse_impl(ordered).values(), other));
}

const Tensor& sparse_floor_divide_(const Tensor& self, const Tensor& other) {
  return store(sparse_floor_divide(self, other), self);
}

const Tensor& sparse_div_(const Tensor& self, const Tensor& other) {
  return store(sparse_div(self, other), self);
}

Tensor sparse_mm(const Tensor& self, const Tensor& mat2) {
  if (self.is_sparse() && mat2.is_sparse()) {
    return _sparse_sparse_matmul(self, mat2);
  }
  return self.is_sparse() ? multiply_sparse_dense(self, mat2)
                          : t(multiply_sparse_dense(t(mat2), t(self)));
}
const Tensor& sparse_mm_out(const Tensor& self, const Tensor& mat2, const Tensor& out) {
  return store(sparse_mm(self, mat2), out);
}

// Each value times a row of its batch's dense matrix is added to a row of the result.
Tensor sparse_bmm(const Tensor& self, const Tensor& mat2) {
  TSC_CHECK(!mat2.is_sparse(), "bmm_sparse: Tensor 'mat2' must be dense");
  const SparseTensorImpl& impl = sparse_impl(self);
  TSC_CHECK(impl.dense_dim() == 0, "bmm_sparse: Tensor 'self' must have 0 dense dims, but has {}",
            impl.dense_dim());
  TSC_CHECK(impl.sparse_dim() == 3, "bmm_sparse: Tensor 'self' must have 3 sparse dims, but has {}",
            impl.sparse_dim());
  TSC_CHECK(mat2.dim() == 3, "bmm_sparse: Tensor 'mat2' must have 3 dims, but has {}", mat2.dim());
  TSC_CHECK(self.size(0) == mat2.size(0),
            "bmm_sparse: 'self.size(0)' and 'mat2.size(0)' must match");
  TSC_CHECK(self.size(2) == mat2.size(1),
            "bmm_sparse: 'self.size(2)' and 'mat2.size(1)' must match");
  check_scalar_type(mat2, self.dtype());
  const Tensor batch = select(impl.indices(), 0, 0);
  const auto in_batch = [&](int64_t length, int64_t dim) {
    return tsc::add(tsc::mul(batch, Scalar(length)), select(impl.indices(), 0, dim));
  };
  const Tensor result = zeros({self.size(0), self.size(1), mat2.size(2)}, mat2.options());
  const Tensor rows = index_select(flatten(mat2, 0, 1), 0, in_batch(self.size(2), 2));
  index_add_(flatten(result, 0, 1), 0, in_batch(self.size(1), 1),
             tsc::mul(unsqueeze(impl.values(), 1), rows));
  return result;
}

Tensor sparse_addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                    const Scalar& alpha) {
  const Tensor product = sparse_mm(mat1, mat2);
  const Tensor scaled = alpha.to_complex() == 1.0 ? product : tsc::mul(product, alpha);
  if (beta.to_complex() == 0.0) {
    return scaled;
  }
  const Tensor expanded = self.is_sparse() ? self : expand(self, product.sizes());
  return tsc::add(beta.to_complex() == 1.0 ? expanded : tsc::mul(expanded, beta), scaled);
}
const Tensor& sparse_addmm_(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                            const Scalar& beta, const Scalar& alpha) {
  return store(sparse_addmm(self, mat1, mat2, beta, alpha), self);
}
const Tensor& sparse_addmm_out(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                               const Scalar& beta, const Scalar& alpha, const Tensor& out) {
  return store(sparse_addmm(self, mat1, mat2, beta, alpha), out);
}

Tensor _sparse_mm(const Tensor& sparse, const Tensor& dense) {
  if (sparse.is_sparse() && dense.is_sparse()) {
    return tsc::_sparse_sparse_matmul(sparse, dense);
  }
  const bool is_left = sparse.is_sparse();
  const Tensor& values = is_left ? dense : sparse;
  const Tensor start = zeros({sparse.size(-2), dense.size(-1)}, values.options());
  if (is_left) {
    return tsc::_sparse_addmm(start, sparse, dense, Scalar(0), Scalar(1));
  }
  return transpose(tsc::_sparse_addmm(transpose(start, -2, -1), transpose(dense, -2, -1),
                                      transpose(sparse, -2, -1), Scalar(0), Scalar(1)),
                   -2, -1);
}

Tensor _sparse_addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                     const Scalar& alpha) {
  return tsc::addmm(self, mat1, mat2, beta, alpha);
}

// A pair of values for each column of the first that is a row of the second.
Tensor sparse_sparse_matmul_cpu(const Tensor& self, const Tensor& other) {
  TSC_CHECK(self.dim() == 2 && other.dim() == 2 && dense_dim(self) == 0 && dense_dim(other) == 0,
            "_sparse_sparse_matmul: matrices expected, got {}D and {}D tensors", self.dim(),
            other.dim());
  TSC_CHECK(self.sizes()[1] == other.sizes()[0],
            "_sparse_sparse_matmul: mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})",
            self.sizes()[0], self.sizes()[1], other.sizes()[0], other.sizes()[1]);
  const Tensor right = tsc::coalesce(other);
  const Tensor left = tsc::coalesce(self);
  const Tensor left_columns = contiguous(select(sparse_impl(left).indices(), 0, 1));
  const Tensor right_rows = contiguous(select(sparse_impl(right).indices(), 0, 0));
  const auto* const first = right_rows.data_ptr<int64_t>();
  const auto* const last = first + right_rows.numel();
  std::vector<int64_t> left_at, right_at;
  for (int64_t i = 0; i < left_columns.numel(); i++) {
    const auto [from, to] = std::equal_range(first, last, left_columns.data_ptr<int64_t>()[i]);
    for (const auto* at = from; at != to; at++) {
      left_at.push_back(i);
      right_at.push_back(at - first);
    }
  }
  const Tensor left_rows = long_tensor(left_at);
  const Tensor right_picks = long_tensor(right_at);
  const Tensor indices =
      stack({index_select(select(sparse_impl(left).indices(), 0, 0), 0, left_rows),
             index_select(select(sparse_impl(right).indices(), 0, 1), 0, right_picks)});
  const Tensor values = mul(index_select(sparse_impl(left).values(), 0, left_rows),
                            index_select(sparse_impl(right).values(), 0, right_picks));
  return tsc::_coalesce(make_sparse({self.sizes()[0], other.sizes()[1]}, indices, values, false));
}

}  // namespace native
}  // namespace tsc
