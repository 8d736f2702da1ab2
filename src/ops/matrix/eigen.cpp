// Eigenvalues and eigenvectors.
#include "core/tensor_factory.h"
#include "gen/calls/all.h"
#include "gen/calls/full.h"
#include "gen/calls/isfinite.h"
#include "gen/ops/factorizations.h"
#include "gen/ops/factorizations_native.h"
#include "ops/matrix/matrix_batches.h"
#include "ops/structured/fill.h"
#include "ops/structured/modes.h"

namespace tsc {
namespace {

namespace lapack = cpu::lapack;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
void fill_nan(T* values, int64_t count) {
  std::fill_n(values, count, T(static_cast<lapack::Real<T>>(kNan)));
}

DimVector value_sizes(const Tensor& a) {
  DimVector sizes = batch_of(a);
  sizes.push_back(a.size(-1));
  return sizes;
}

char parse_triangle(std::string_view uplo) {
  const char triangle = uplo.size() == 1 ? static_cast<char>(std::toupper(uplo[0])) : '?';
  TSC_CHECK(triangle == 'L' || triangle == 'U',
            "Expected UPLO argument to be 'L' or 'U', but got {}", uplo);
  return triangle;
}

// LAPACK stores a pair of conjugate eigenvectors of a real matrix as two real columns, the real and
// the imaginary parts.
template <class T>
void join_pairs(const T* parts, const std::complex<T>* values, int64_t size,
                std::complex<T>* vectors) {
  for (int64_t column = 0; column < size; column++) {
    const T* const first = parts + column * size;
    std::complex<T>* const vector = vectors + column * size;
    if (values[column].imag() == 0) {
      std::copy_n(first, size, vector);
      continue;
    }
    for (int64_t row = 0; row < size; row++) {
      vector[row] = {first[row], first[size + row]};
      vector[size + row] = std::conj(vector[row]);
    }
    column++;
  }
}

// `vectors` is null where only values are computed.
template <class T>
lapack::Int eigen_of(T* matrix, lapack::Int size, std::complex<T>* values, std::complex<T>* vectors,
                     std::vector<T>& memory, lapack::Workspace<T>& space) {
  const auto count = static_cast<size_t>(size);
  memory.resize(2 * count + (vectors != nullptr ? count * count : 0));
  T* const parts = memory.data() + 2 * count;
  const lapack::Int distance = std::max(size, 1);
  const lapack::Int info = lapack::geev(vectors != nullptr ? 'V' : 'N', size, matrix, distance,
                                        memory.data(), parts, distance, space);
  for (size_t i = 0; i < count; i++) {
    values[i] = {memory[i], memory[count + i]};
  }
  if (vectors != nullptr) {
    join_pairs(parts, values, size, vectors);
  }
  return info;
}
template <class T>
lapack::Int eigen_of(std::complex<T>* matrix, lapack::Int size, std::complex<T>* values,
                     std::complex<T>* vectors, std::vector<std::complex<T>>&,
                     lapack::Workspace<std::complex<T>>& space) {
  const lapack::Int distance = std::max(size, 1);
  return lapack::geev(vectors != nullptr ? 'V' : 'N', size, matrix, distance, values, vectors,
                      distance, space);
}

struct Eigen {
  Tensor values;
  Tensor vectors;
};

void check_eig_input(const Tensor& a, const char* function) {
  TSC_CHECK(!is_integral(a.dtype(), true), "Unknown Complex ScalarType for {}", a.dtype());
  check_is_square(a, function);
}

Eigen eigen(const Tensor& a, bool with_vectors, const char* function) {
  check_eig_input(a, function);
  const ScalarType dtype = to_complex_type(a.dtype());
  Eigen result{.values = empty_tensor(value_sizes(a), dtype, a.device()), .vectors = Tensor()};
  if (with_vectors) {
    result.vectors = empty_by_columns(batch_of(a), a.size(-2), a.size(-1), dtype, a.device());
  }
  if (!a.is_cpu()) {
    return result;
  }
  FirstFailure failure;
  dispatch_lapack_types(a.dtype(), "linalg_eig_out_cpu", [&]<class T>() {
    using Complex = std::complex<lapack::Real<T>>;
    const Tensor copy = copy_by_columns(a);
    const Matrices<T> matrices(copy);
    const auto decompose = [=, space = lapack::Workspace<T>(),
                            memory = std::vector<T>()](int64_t i) mutable {
      auto* const values = result.values.template data_ptr<Complex>() + i * matrices.rows;
      auto* const vectors =
          with_vectors ? result.vectors.template data_ptr<Complex>() + i * matrices.step : nullptr;
      return eigen_of(matrices[i], matrices.rows, values, vectors, memory, space);
    };
    failure = visit_matrices(a, lapack::kRotations, decompose);
  });
  failure.check(Failure::eigenvalues, function, a.dim() > 2);
  return result;
}

bool is_finite(const Tensor& a) { return a.is_meta() || read_scalar(all(isfinite(a))).to_bool(); }

}  // namespace

TSC_META_FUNC(_linalg_eigh)(const Tensor& a, std::string_view uplo, bool compute_v) {
  check_is_square(a, "linalg.eigh");
  parse_triangle(uplo);
  set_output(0, value_sizes(a), to_real_value_type(a.dtype()));
  if (compute_v) {
    set_output(1, a.sizes(), strides_by_columns(a.sizes()), a.dtype());
  } else {
    set_output(1, {0}, a.dtype());
  }
}
TSC_IMPL_FUNC(_linalg_eigh_cpu)
(const Tensor& a, std::string_view uplo, bool compute_v, const Tensor&, const Tensor&) {
  const KernelOutput values(*this, 0);
  const KernelOutput vectors(*this, 1, compute_v ? kByColumns : KernelOutput::Layout::Rows);
  const char triangle = parse_triangle(uplo);
  const Tensor copy = compute_v ? vectors.tensor() : empty_by_columns_like(a);
  copy_elements(copy, a);
  FirstFailure failure;
  dispatch_lapack_types(a.dtype(), "linalg_eigh_cpu", [&]<class T>() {
    const Matrices<T> matrices(copy);
    const auto decompose = [=, found = values.tensor(),
                            space = lapack::Workspace<T>()](int64_t i) mutable {
      auto* const values_at = found.template data_ptr<lapack::Real<T>>() + i * matrices.rows;
      if (!all_finite(matrices[i], matrices.step)) {
        fill_nan(values_at, matrices.rows);
        fill_nan(matrices[i], matrices.step);
        return 0;
      }
      return lapack::heevd(compute_v ? 'V' : 'N', triangle, matrices.rows, matrices[i],
                           matrices.distance, values_at, space);
    };
    failure = visit_matrices(a, lapack::kRotations, decompose);
  });
  failure.check(Failure::eigenvalues, "linalg.eigh", a.dim() > 2);
  values.store();
  vectors.store();
}

namespace native {

std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& self, std::string_view uplo) {
  return tsc::_linalg_eigh(self, uplo, true);
}
Tensor linalg_eigvalsh(const Tensor& self, std::string_view uplo) {
  // The vectors are computed where the gradient needs them.
  return std::get<0>(tsc::_linalg_eigh(self, uplo, may_need_gradient(self)));
}

std::tuple<Tensor, Tensor> linalg_eig(const Tensor& self) {
  check_eig_input(self, "linalg.eig");
  TSC_CHECK(is_finite(self), "torch.linalg.eig: input tensor should not contain infs or NaNs.");
  Eigen result = eigen(self, true, "linalg.eig");
  return {result.values, result.vectors};
}

Tensor _linalg_eigvals(const Tensor& self) {
  if (is_finite(self)) {
    return eigen(self, false, "linalg.eigvals").values;
  }
  return full(value_sizes(self), Scalar(std::complex<double>(kNan, kNan)),
              self.options().dtype(to_complex_type(self.dtype())));
}

Tensor linalg_eigvals(const Tensor& self) {
  check_eig_input(self, "linalg.eigvals");
  return may_need_gradient(self) ? std::get<0>(tsc::linalg_eig(self)) : tsc::_linalg_eigvals(self);
}

}  // namespace native
}  // namespace tsc
