#include "ops/matrix/matrix_batches.h"
#include "core/tensor_factory.h"
#include "gen/calls/copy.h"
#include "gen/ops/factorizations_native.h"
#include "ops/cpu/matrix/openblas.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/fill.h"

namespace tsc {

DimVector batch_of(const Tensor& tensor) {
  return DimVector(tensor.sizes().slice(0, tensor.sizes().size() - 2));
}

DimVector matrix_sizes(DimVector batch, int64_t rows, int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

DimVector strides_by_columns(IntArrayRef sizes) {
  computed_storage_bytes(sizes, 1);
  DimVector strides(sizes);
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<int64_t>(sizes[i], 1);
  }
  strides[sizes.size() - 2] = 1;
  strides[sizes.size() - 1] = std::max<int64_t>(sizes[sizes.size() - 2], 1);
  return strides;
}

Tensor empty_by_columns(const DimVector& batch, int64_t rows, int64_t columns, ScalarType dtype,
                        Device device) {
  const DimVector sizes = matrix_sizes(batch, rows, columns);
  return empty_strided_tensor(sizes, strides_by_columns(sizes), dtype, device);
}

Tensor empty_by_columns_like(const Tensor& tensor) {
  return empty_strided_tensor(tensor.sizes(), strides_by_columns(tensor.sizes()), tensor.dtype(),
                              tensor.device());
}

Tensor copy_by_columns(const Tensor& tensor) {
  Tensor result = empty_by_columns_like(tensor);
  if (!tensor.is_meta()) {
    copy_(result, tensor);
  }
  return result;
}

Tensor as_columns(const Tensor& tensor) {
  return tensor.strides() == IntArrayRef(strides_by_columns(tensor.sizes()))
             ? tensor
             : copy_by_columns(tensor);
}

KernelOutput::KernelOutput(const MetaBase& op, int index, Layout layout)
    : output_(op.output(index)) {
  if (op.output_mode() == OutputMode::Functional) {
    target_ = output_;
  } else if (layout == Layout::Columns) {
    target_ = empty_by_columns_like(output_);
  } else {
    target_ = empty_tensor(output_.sizes(), output_.dtype(), output_.device());
  }
}

void KernelOutput::store() const {
  if (!target_.is_same(output_)) {
    copy_elements(output_, target_);
  }
}

Tensor swapped(const Tensor& tensor) {
  DimVector sizes(tensor.sizes());
  DimVector strides(tensor.strides());
  std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  std::swap(strides[strides.size() - 1], strides[strides.size() - 2]);
  return view_tensor(tensor, sizes, strides, tensor.storage_offset());
}

Tensor expand_matrices(const Tensor& tensor, const DimVector& batch) {
  return expand_to(tensor, matrix_sizes(batch, tensor.size(-2), tensor.size(-1)));
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

void check_same_dtype_of_system(const Tensor& a, const Tensor& b, std::string_view function) {
  TSC_CHECK(a.dtype() == b.dtype(),
            "{}: Expected A and B to have the same dtype, but found A of type {} and B of type {} "
            "instead",
            function, a.dtype(), b.dtype());
}

void check_shapes_of_system(const Tensor& a, const Tensor& b, bool left,
                            std::string_view function) {
  check_is_square(a, function);
  check_is_matrix(b, function, "B");
  TSC_CHECK(a.size(-2) == b.size(left ? -2 : -1),
            "{}: Incompatible shapes of A and B for the equation {} = B ({}x{} and {}x{})",
            function, left ? "AX" : "XA", a.size(-2), a.size(-1), b.size(-2), b.size(-1));
}

void check_pair_of_solver(const Tensor& b, const Tensor& a, std::string_view function) {
  TSC_CHECK(a.size(-1) == a.size(-2),
            "A must be batches of square matrices, but they are {} by {} matrices", a.size(-2),
            a.size(-1));
  TSC_CHECK(a.size(-1) == b.size(-2),
            "Incompatible matrix sizes for {}: each A matrix is {} by {} but each b matrix is {} "
            "by {}",
            function, a.size(-1), a.size(-1), b.size(-2), b.size(-1));
}

bool is_vector_of_system(const Tensor& a, const Tensor& b) {
  return b.dim() == 1 ||
         (a.dim() - 1 == b.dim() && b.sizes() == a.sizes().slice(0, a.sizes().size() - 1));
}

double epsilon_of(ScalarType dtype) {
  TSC_CHECK(!is_integral(dtype, true),
            "This function doesn't handle types other than float and double");
  return to_real_value_type(dtype) == ScalarType::Double ? std::numeric_limits<double>::epsilon()
                                                         : std::numeric_limits<float>::epsilon();
}

int64_t matrix_count(const Tensor& tensor) {
  int64_t count = 1;
  for (size_t i = 0; i + 2 < tensor.sizes().size(); i++) {
    count *= tensor.sizes()[i];
  }
  return count;
}

bool takes_long(const Tensor& tensor, const cpu::lapack::Work& work) {
  const auto most = static_cast<double>(std::max(tensor.size(-2), tensor.size(-1)));
  const auto least = static_cast<double>(std::min(tensor.size(-2), tensor.size(-1)));
  return work.is_products ? most * most * least >= 0x1p27 : most * least * least >= 0x1p25;
}

bool can_share_matrices(const Tensor& tensor, const cpu::lapack::Work& work) {
  // Few matrices that keep several threads busy each are computed one after the other.
  constexpr int64_t kMany = 8;
  const bool is_large = tensor.size(-2) * tensor.size(-1) >= work.threads_from;
  if (matrix_count(tensor) < (is_large ? kMany : 2) || takes_long(tensor, work)) {
    return false;
  }
  // A build without threads does not expect to be called by several.
  const cpu::OpenBlas* const blas = cpu::open_blas();
  return blas != nullptr && blas->threading != cpu::BlasThreading::none;
}

int64_t grain_of_matrices(const Tensor& tensor) {
  const int64_t elements = std::max<int64_t>(1, tensor.size(-2) * tensor.size(-1));
  const int64_t work = elements * (16 + std::min(tensor.size(-2), tensor.size(-1)));
  return std::max<int64_t>(1, kParallelGrain / work);
}

Tensor columns_for(const Tensor& result, const Tensor& tensor, const cpu::lapack::Work& work) {
  return takes_long(result, work) && !tensor.is_meta() ? copy_by_columns(tensor)
                                                       : as_columns(tensor);
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
  // A singular LU factorisation is still correct; only later steps with it fail.
  TSC_CHECK(failure != Failure::lu, "{}: {}{}", function, place, reason);
  throw_error(ErrorKind::LinAlgError, "{}: {}{}", function, place, reason);
}

Tensor empty_infos(const DimVector& batch, Device device) {
  return empty_tensor(batch, ScalarType::Int, device);
}

namespace {

// The kind of failure that a function of this name reports.
Failure failure_of(std::string_view function) {
  const auto is_named = [&](std::string_view part) {
    return function.find(part) != std::string_view::npos;
  };
  return is_named("inv")         ? Failure::inverse
         : is_named("cholesky")  ? Failure::cholesky
         : is_named("lu_factor") ? Failure::lu
                                 : Failure::solve;
}

}  // namespace

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

namespace native {

void _linalg_check_errors(const Tensor& info, std::string_view api_name, bool is_matrix) {
  TSC_CHECK(info.dtype() == ScalarType::Int && info.is_contiguous(),
            "expected info to be a contiguous int32 tensor, but it is of dtype {} and strides {}",
            info.dtype(), info.strides());
  TSC_CHECK(
      is_matrix == (info.dim() == 0),
      "expected info of one matrix to have no dimensions, and that of a batch some, but it has "
      "size {}",
      info.sizes());
  check_infos(info, failure_of(api_name), api_name);
}

}  // namespace native

}  // namespace tsc
