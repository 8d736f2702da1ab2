// Singular values and vectors.
#include "gen/calls/mH.h"
#include "gen/calls/zeros.h"
#include "gen/ops/factorizations.h"
#include "gen/ops/factorizations_native.h"
#include "ops/matrix/matrix_batches.h"
#include "ops/structured/modes.h"

namespace tsc {
namespace {

struct Svd {
  Tensor u;
  Tensor s;
  Tensor vh;
};

// Decomposes a matrix of one real number: its singular value is the absolute value. False where the
// number is not finite.
template <class T>
bool decompose_number(T number, T* value, T* u, T* vh) {
  if (!std::isfinite(number)) {
    return false;
  }
  *value = std::abs(number);
  if (u != nullptr) {
    *u = T(number < 0 ? -1 : 1);
    *vh = T(1);
  }
  return true;
}

template <class T>
void compute_svd(const Tensor& a, char job, const Svd& result) {
  const Tensor copy = copy_by_columns(a);
  const Matrices<T> from(copy);
  const bool has_vectors = job != 'N';
  const int64_t least = std::min(from.rows, from.columns);
  const auto decompose = [=, space = cpu::lapack::Workspace<T>()](int64_t i) mutable {
    auto* const values = result.s.data_ptr<cpu::lapack::Real<T>>() + i * least;
    T* u = nullptr;
    T* vh = nullptr;
    if (has_vectors) {
      u = Matrices<T>(result.u)[i];
      vh = Matrices<T>(result.vh)[i];
    }
    if constexpr (std::is_same_v<T, cpu::lapack::Real<T>>) {
      if (from.step == 1 && decompose_number(*from[i], values, u, vh)) {
        return 0;
      }
    }
    const auto vh_rows = job == 'a' ? from.columns : static_cast<cpu::lapack::Int>(least);
    if (!all_finite(from[i], from.step)) {
      return kNotFinite;
    }
    return cpu::lapack::gesdd(job, from.rows, from.columns, from[i], from.distance, values, u,
                              from.distance, vh, vh_rows, space);
  };
  const FirstFailure failure = visit_matrices(a, cpu::lapack::kRotations, decompose);
  failure.check(Failure::singular_values, "linalg.svd", a.dim() > 2);
}

}  // namespace

TSC_META_FUNC(_linalg_svd)
(const Tensor& a, bool full_matrices, bool compute_uv, std::optional<std::string_view> driver) {
  check_is_matrix(a, "linalg.svd");
  check_floating_or_complex(a, "linalg.svd");
  TSC_CHECK(!driver.has_value(),
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with "
            "cuSOLVER backend.");
  const int64_t rows = a.size(-2);
  const int64_t columns = a.size(-1);
  const int64_t least = std::min(rows, columns);
  const auto set_vectors = [&](int index, int64_t m, int64_t n) {
    const DimVector sizes = matrix_sizes(batch_of(a), m, n);
    if (compute_uv) {
      set_output(index, sizes, strides_by_columns(sizes), a.dtype());
    } else {
      set_output(index, {0}, a.dtype());
    }
  };
  set_vectors(0, rows, full_matrices ? rows : least);
  DimVector value_sizes = batch_of(a);
  value_sizes.push_back(least);
  set_output(1, value_sizes, to_real_value_type(a.dtype()));
  set_vectors(2, full_matrices ? columns : least, columns);
}
TSC_IMPL_FUNC(_linalg_svd_cpu)
(const Tensor& a, bool full_matrices, bool compute_uv, std::optional<std::string_view>,
 const Tensor&, const Tensor&, const Tensor&) {
  const auto layout = compute_uv ? kByColumns : KernelOutput::Layout::Rows;
  const KernelOutput u(*this, 0, layout);
  const KernelOutput s(*this, 1);
  const KernelOutput vh(*this, 2, layout);
  const char job = !compute_uv ? 'N' : full_matrices ? 'a' : 'S';
  if (a.numel() != 0) {
    const Svd result{.u = u.tensor(), .s = s.tensor(), .vh = vh.tensor()};
    dispatch_lapack_types(a.dtype(), "linalg_svd_cpu",
                          [&]<class T>() { compute_svd<T>(a, job, result); });
  } else if (job == 'a') {
    fill_identity(u.tensor());
    fill_identity(vh.tensor());
  }
  u.store();
  s.store();
  vh.store();
}

namespace native {

std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& a, bool full_matrices,
                                              std::optional<std::string_view> driver) {
  return tsc::_linalg_svd(a, full_matrices, true, driver);
}

Tensor linalg_svdvals(const Tensor& a, std::optional<std::string_view> driver) {
  // The vectors are computed where the gradient needs them.
  return std::get<1>(tsc::_linalg_svd(a, false, may_need_gradient(a), driver));
}

std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& self, bool some, bool compute_uv) {
  TSC_CHECK(self.dim() >= 2,
            "linalg.svd: input should have at least 2 dimensions, but has {} dimensions instead",
            self.dim());
  if (compute_uv) {
    auto [u, s, vh] = tsc::linalg_svd(self, !some);
    return {u, s, mH(vh)};
  }
  const auto none = [&](int64_t size) {
    return zeros(matrix_sizes(batch_of(self), size, size), self.options());
  };
  return {none(self.size(-2)), tsc::linalg_svdvals(self), none(self.size(-1))};
}

}  // namespace native
}  // namespace tsc
