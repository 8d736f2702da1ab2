#include "ops/matrices.h"
#include "core/tensor_factory.h"
#include "gen/ops/copy.h"

namespace tsc {

DimVector batch_of(const Tensor& tensor) {
  return DimVector(tensor.sizes().slice(0, tensor.sizes().size() - 2));
}

DimVector matrix_sizes(DimVector batch, int64_t rows, int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

Tensor empty_by_columns(const DimVector& batch, int64_t rows, int64_t columns, ScalarType dtype,
                        Device device) {
  const DimVector sizes = matrix_sizes(batch, rows, columns);
  DimVector strides(sizes);
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<int64_t>(sizes[i], 1);
  }
  strides[sizes.size() - 2] = 1;
  strides[sizes.size() - 1] = std::max<int64_t>(rows, 1);
  return empty_strided_tensor(sizes, strides, dtype, device);
}

Tensor empty_by_columns_like(const Tensor& tensor) {
  return empty_by_columns(batch_of(tensor), tensor.size(-2), tensor.size(-1), tensor.dtype(),
                          tensor.device());
}

Tensor copy_by_columns(const Tensor& tensor) {
  Tensor result = empty_by_columns_like(tensor);
  if (!tensor.is_meta()) {
    copy_(result, tensor);
  }
  return result;
}

void fill_identity(const Tensor& tensor) {
  dispatch_lapack_types(tensor.dtype(), "eye", [&]<class T>() {
    const Matrices<T> matrices(tensor);
    std::fill_n(matrices.data, tensor.numel(), T(0));
    for (int64_t i = 0; i < matrix_count(tensor); i++) {
      for (int64_t k = 0; k < std::min(matrices.rows, matrices.columns); k++) {
        matrices[i][k * (int64_t(matrices.distance) + 1)] = T(1);
      }
    }
  });
}

void check_is_matrix(const Tensor& tensor, std::string_view function, std::string_view argument) {
  TSC_CHECK(tensor.dim() >= 2, "{}: The input tensor {} must have at least 2 dimensions.", function,
            argument);
}

void check_is_square(const Tensor& tensor, std::string_view function, std::string_view argument) {
  check_is_matrix(tensor, function, argument);
  TSC_CHECK(tensor.size(-1) == tensor.size(-2),
            "{}: {} must be batches of square matrices, but they are {} by {} matrices", function,
            argument, tensor.size(-2), tensor.size(-1));
}

void check_floating_or_complex(const Tensor& tensor, std::string_view function,
                               bool low_precision) {
  const ScalarType dtype = tensor.dtype();
  TSC_CHECK_NOT_IMPLEMENTED(!is_integral(dtype, true),
                            "{}: Expected a floating point or complex tensor as input. Got {}",
                            function, dtype);
  TSC_CHECK_NOT_IMPLEMENTED(
      low_precision || (dtype != ScalarType::Half && dtype != ScalarType::BFloat16),
      "{}: Low precision dtypes not supported. Got {}", function, dtype);
}

int64_t matrix_count(const Tensor& tensor) {
  int64_t count = 1;
  for (size_t i = 0; i + 2 < tensor.sizes().size(); i++) {
    count *= tensor.sizes()[i];
  }
  return count;
}

namespace {

std::string explain(Failure failure, cpu::lapack::Int info) {
  switch (failure) {
    case Failure::inverse:
      return fmt::format(
          "The diagonal element {} is zero, the inversion could not be completed because the input "
          "matrix is singular.",
          info);
    case Failure::solve: return "The solver failed because the input matrix is singular.";
    case Failure::cholesky:
      return fmt::format(
          "The factorization could not be completed because the input is not positive-definite "
          "(the leading minor of order {} is not positive-definite).",
          info);
    case Failure::singular_values:
      return fmt::format(
          "The algorithm failed to converge because the input matrix is ill-conditioned or has too "
          "many repeated singular values (error code: {}).",
          info);
    case Failure::eigenvalues:
      return fmt::format(
          "The algorithm failed to converge because the input matrix is ill-conditioned or has too "
          "many repeated eigenvalues (error code: {}).",
          info);
    case Failure::lstsq:
      return fmt::format(
          "The least squares solution could not be computed because the input matrix does not have "
          "full rank (error code: {}).",
          info);
    case Failure::lu:
      return fmt::format(
          "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you "
          "still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
          "linalg.lu_factor_ex(A, pivot)",
          info);
  }
  return {};
}

}  // namespace

void FirstFailure::check(Failure failure, std::string_view function, bool is_batch) const {
  if (info_ == 0) {
    return;
  }
  const std::string place = is_batch ? fmt::format("(Batch element {}): ", matrix_) : "";
  TSC_CHECK_KIND(LinAlgError, info_ > 0,
                 "{}: {}The algorithm failed to converge because the input matrix contained "
                 "non-finite values.",
                 function, place);
  const std::string reason = explain(failure, info_);
  // Of an LU factorisation the numbers are right; it is only not good for what follows.
  TSC_CHECK(failure != Failure::lu, "{}: {}{}", function, place, reason);
  throw_error(ErrorKind::LinAlgError, "{}: {}{}", function, place, reason);
}

void check_infos(const Tensor& infos, Failure failure, std::string_view function) {
  if (infos.is_meta()) {
    return;
  }
  FirstFailure first;
  for (int64_t i = 0; i < infos.numel(); i++) {
    first.note(i, infos.data_ptr<int32_t>()[i]);
  }
  first.check(failure, function, infos.dim() > 0);
}

}  // namespace tsc
