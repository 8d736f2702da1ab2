// Norms of matrices.
#include <cmath>

#include <fmt/format.h>

#include "gen/calls/amax.h"
#include "gen/calls/amin.h"
#include "gen/calls/linalg_svdvals.h"
#include "gen/calls/linalg_vector_norm.h"
#include "gen/calls/movedim.h"
#include "gen/calls/sum.h"
#include "gen/calls/to.h"
#include "gen/calls/unsqueeze.h"
#include "gen/ops/matrix_functions.h"
#include "gen/ops/matrix_functions_native.h"
#include "ops/matrix/matrix_batches.h"
#include "ops/structured/autogen.h"
#include "ops/structured/operand_checks.h"

namespace tsc::native {
namespace {

constexpr const char* kName = "linalg.matrix_norm";
constexpr int64_t kFirstTwo[] = {0, 1};

template <class Order>
void check_order(bool is_known, const Order& order) {
  TSC_CHECK(is_known, "linalg.matrix_norm: Order {} not supported.", order);
}

struct MatrixDims {
  int64_t rows;
  int64_t columns;
};

MatrixDims check_matrix_norm(const Tensor& a, IntArrayRef dim, std::optional<ScalarType> dtype,
                             bool low_precision) {
  check_is_matrix(a, kName);
  check_floating_or_complex(a, kName, low_precision);
  TSC_CHECK(dim.size() == 2, "linalg.matrix_norm: dim must be a 2-tuple. Got {}",
            fmt::join(dim, " "));
  const MatrixDims dims{maybe_wrap_dim(dim[0], a.dim()), maybe_wrap_dim(dim[1], a.dim())};
  TSC_CHECK(dims.rows != dims.columns, "linalg.matrix_norm: dims must be different. Got ({}, {})",
            dims.rows, dims.columns);
  check_norm_dtype(a, dtype, kName);
  return dims;
}

// Applies `reduce` to the singular values of the matrices in two dimensions.
template <class F>
Tensor of_singular_values(const Tensor& a, MatrixDims dims, bool keepdim,
                          std::optional<ScalarType> dtype, F&& reduce) {
  const Tensor converted = dtype.has_value() ? to(a, *dtype) : a;
  const Tensor result =
      reduce(linalg_svdvals(movedim(converted, {dims.rows, dims.columns}, {-2, -1})));
  return keepdim ? movedim(unsqueeze(result, -1), {-2, -1}, {dims.rows, dims.columns}) : result;
}

// The extreme of nonnegative numbers, so that the largest of none is 0.
Tensor extreme(bool largest, const Tensor& tensor, int64_t dim, bool keepdim) {
  if (largest && tensor.size(dim) == 0) {
    return sum(tensor, IntArrayRef(dim), keepdim);
  }
  return largest ? amax(tensor, dim, keepdim) : amin(tensor, dim, keepdim);
}

const Tensor& store_norm(const Tensor& norm, const Tensor& out, const char* name) {
  TSC_CHECK(norm.dtype() == out.dtype(), "{} expected out tensor dtype {} but got: {}", name,
            norm.dtype(), out.dtype());
  return store_result(norm, out);
}

void check_norm_of(const Tensor& self, bool has_order, OptionalIntArrayRef dim) {
  TSC_CHECK(!dim.has_value() || dim->size() == 1 || dim->size() == 2,
            "linalg.norm: If dim is specified, it must be of length 1 or 2. Got {}", *dim);
  TSC_CHECK(dim.has_value() || !has_order || self.dim() == 1 || self.dim() == 2,
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {}D.",
            self.dim());
}

}  // namespace

Tensor linalg_matrix_norm(const Tensor& self, const Scalar& ord, IntArrayRef dim, bool keepdim,
                          std::optional<ScalarType> dtype) {
  const double order = ord.to_double();
  const double size = std::abs(order);
  check_order(size == 1 || size == 2 || std::isinf(size), order);
  MatrixDims dims = check_matrix_norm(self, dim, dtype, size != 2);
  if (size == 2) {
    return of_singular_values(self, dims, keepdim, dtype, [&](const Tensor& values) {
      return extreme(order > 0, values, -1, keepdim);
    });
  }
  if (std::isinf(size)) {
    std::swap(dims.rows, dims.columns);
  }
  const Tensor sums = linalg_vector_norm(self, 1.0, IntArrayRef(dims.rows), keepdim, dtype);
  const bool moved = !keepdim && dims.rows < dims.columns;
  return extreme(order > 0, sums, dims.columns - (moved ? 1 : 0), keepdim);
}

Tensor linalg_matrix_norm_str_ord(const Tensor& self, std::string_view ord, IntArrayRef dim,
                                  bool keepdim, std::optional<ScalarType> dtype) {
  const bool nuclear = ord == "nuc";
  check_order(nuclear || ord == "fro", ord);
  const MatrixDims dims = check_matrix_norm(self, dim, dtype, !nuclear);
  if (!nuclear) {
    return linalg_vector_norm(self, 2, IntArrayRef({dims.rows, dims.columns}), keepdim, dtype);
  }
  return of_singular_values(self, dims, keepdim, dtype, [&](const Tensor& values) {
    return sum(values, IntArrayRef(-1), keepdim);
  });
}

Tensor linalg_norm(const Tensor& self, const std::optional<Scalar>& ord, OptionalIntArrayRef dim,
                   bool keepdim, std::optional<ScalarType> dtype) {
  check_norm_of(self, ord.has_value(), dim);
  const bool is_matrix = dim.has_value() ? dim->size() == 2 : self.dim() == 2;
  if (ord.has_value() && is_matrix) {
    return tsc::linalg_matrix_norm(self, *ord, dim.value_or(IntArrayRef(kFirstTwo)), keepdim,
                                   dtype);
  }
  return linalg_vector_norm(self, ord.value_or(Scalar(2.0)), dim, keepdim, dtype);
}

Tensor linalg_norm_ord_str(const Tensor& self, std::string_view ord, OptionalIntArrayRef dim,
                           bool keepdim, std::optional<ScalarType> dtype) {
  check_norm_of(self, true, dim);
  return tsc::linalg_matrix_norm(self, ord, dim.value_or(IntArrayRef(kFirstTwo)), keepdim, dtype);
}

const Tensor& linalg_matrix_norm_out(const Tensor& self, const Scalar& ord, IntArrayRef dim,
                                     bool keepdim, std::optional<ScalarType> dtype,
                                     const Tensor& out) {
  return store_norm(tsc::linalg_matrix_norm(self, ord, dim, keepdim, dtype), out, kName);
}
const Tensor& linalg_matrix_norm_str_ord_out(const Tensor& self, std::string_view ord,
                                             IntArrayRef dim, bool keepdim,
                                             std::optional<ScalarType> dtype, const Tensor& out) {
  return store_norm(tsc::linalg_matrix_norm(self, ord, dim, keepdim, dtype), out, kName);
}
const Tensor& linalg_norm_out(const Tensor& self, const std::optional<Scalar>& ord,
                              OptionalIntArrayRef dim, bool keepdim,
                              std::optional<ScalarType> dtype, const Tensor& out) {
  return store_norm(tsc::linalg_norm(self, ord, dim, keepdim, dtype), out, "linalg.norm");
}
const Tensor& linalg_norm_ord_str_out(const Tensor& self, std::string_view ord,
                                      OptionalIntArrayRef dim, bool keepdim,
                                      std::optional<ScalarType> dtype, const Tensor& out) {
  return store_norm(tsc::linalg_norm(self, ord, dim, keepdim, dtype), out, "linalg.norm");
}

}  // namespace tsc::native
