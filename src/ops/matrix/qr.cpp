// Factorisations Q R, and products of reflectors.
#include <vector>

#include "core/tensor_factory.h"
#include "gen/calls/contiguous.h"
#include "gen/ops/factorizations.h"
#include "gen/ops/factorizations_native.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/strided.h"
#include "ops/matrix/matrix_batches.h"

namespace tsc {
namespace {

namespace lapack = cpu::lapack;

void check_dims(const Tensor& tensor, const char* function, const char* argument) {
  TSC_CHECK(tensor.dim() >= 2, "{}: {} must have at least 2 dimensions.", function, argument);
}

// This project's kernels where they are faster than LAPACK's, which works by blocks: for small
// matrices of real numbers. Else null.
template <class T>
const cpu::HouseholderKernels* kernels_for(int64_t elements) {
  constexpr int64_t kMost = 256 * 256;
  if constexpr (std::is_floating_point_v<T>) {
    return elements <= kMost ? cpu::find_householder(scalar_type_of<T>) : nullptr;
  }
  return nullptr;
}

template <class T>
char* bytes_of(T* values) {
  return reinterpret_cast<char*>(values);
}
template <class T>
const char* bytes_of(const T* values) {
  return reinterpret_cast<const char*>(values);
}

// The room in which a kernel keeps a reflector of at most `length` elements, and `more`.
template <class T>
char* room_for(lapack::Workspace<T>& space, lapack::Int length, int64_t more = 0) {
  space.values.resize(static_cast<size_t>(length + cpu::HouseholderKernels::kRoom + more));
  return bytes_of(space.values.data());
}

struct Reflectors {
  Tensor matrix;
  Tensor factors;
};

Reflectors factorise(const Tensor& a) {
  DimVector sizes = batch_of(a);
  const int64_t least = std::min(a.size(-2), a.size(-1));
  sizes.push_back(least);
  Reflectors result{.matrix = copy_by_columns(a),
                    .factors = empty_tensor(sizes, a.dtype(), a.device())};
  if (a.is_cpu()) {
    dispatch_lapack_types(a.dtype(), "geqrf_cpu", [&]<class T>() {
      const Matrices<T> matrices(result.matrix);
      const auto* const kernels = kernels_for<T>(matrices.step);
      const auto decompose = [=, space = lapack::Workspace<T>()](int64_t i) mutable {
        T* const factors = result.factors.template data_ptr<T>() + i * least;
        if (kernels == nullptr) {
          return lapack::geqrf(matrices.rows, matrices.columns, matrices[i], matrices.distance,
                               factors, space);
        }
        kernels->factor(bytes_of(matrices[i]), matrices.rows, matrices.columns, matrices.distance,
                        bytes_of(factors), room_for(space, matrices.rows));
        return 0;
      };
      visit_matrices(a, lapack::kRotations, decompose);
    });
  }
  return result;
}

// Copies the first columns of `from` to every matrix of `to`, which has no fewer rows.
template <class T>
void copy_columns(const Tensor& from, const Tensor& to, bool upper_triangle) {
  const Matrices<T> source(from);
  const Matrices<T> target(to);
  const int64_t columns = std::min(source.columns, target.columns);
  for (int64_t i = 0; i < matrix_count(from); i++) {
    for (int64_t column = 0; column < columns; column++) {
      const T* const values = source[i] + column * source.distance;
      T* const copy = target[i] + column * target.distance;
      const int64_t count = std::min(source.rows, target.rows);
      const int64_t kept = upper_triangle ? std::min(count, column + 1) : count;
      std::copy_n(values, kept, copy);
      std::fill(copy + kept, copy + target.rows, T(0));
    }
  }
}

// Copies a tensor that may be a script's own: the copy stays valid and unchanged while LAPACK goes
// on in the background.
template <class T>
std::vector<T> values_of(const Tensor& contiguous) {
  const T* const first = contiguous.data_ptr<T>();
  return std::vector<T>(first, first + contiguous.numel());
}

// The reflectors in the matrix become the columns of Q.
void make_q(const Tensor& matrix, const Tensor& factors) {
  const auto count = static_cast<lapack::Int>(factors.size(-1));
  dispatch_lapack_types(matrix.dtype(), "orgqr_cpu", [&]<class T>() {
    const Matrices<T> q(matrix);
    const auto* const kernels = kernels_for<T>(q.step);
    const auto multiply = [=, own = values_of<T>(factors),
                           space = lapack::Workspace<T>()](int64_t i) mutable {
      const T* const scales = own.data() + i * count;
      if (kernels == nullptr) {
        return lapack::ungqr(q.rows, q.columns, count, q[i], q.distance, scales, space);
      }
      kernels->multiply_out(bytes_of(q[i]), q.rows, q.columns, q.distance, bytes_of(scales), count,
                            room_for(space, q.rows));
      return 0;
    };
    visit_matrices(matrix, lapack::kRotations, multiply);
  });
}

enum class QrMode : uint8_t { reduced, complete, r };

QrMode parse_mode(std::string_view mode) {
  TSC_CHECK(mode == "reduced" || mode == "complete" || mode == "r",
            "qr received unrecognized mode '{}' but expected one of 'reduced' (default), 'r', or "
            "'complete'",
            mode);
  return mode == "reduced" ? QrMode::reduced : mode == "r" ? QrMode::r : QrMode::complete;
}

}  // namespace

TSC_META_FUNC(linalg_qr)(const Tensor& a, std::string_view mode_name) {
  check_is_matrix(a, "linalg.qr");
  check_floating_or_complex(a, "linalg.qr");
  const QrMode mode = parse_mode(mode_name);
  const int64_t rows = a.size(-2);
  const int64_t columns = a.size(-1);
  const int64_t kept = mode == QrMode::complete ? rows : std::min(rows, columns);
  const DimVector q_sizes = matrix_sizes(batch_of(a), rows, kept);
  const DimVector r_sizes = matrix_sizes(batch_of(a), kept, columns);
  if (mode == QrMode::r) {
    set_output(0, {0}, a.dtype());
  } else {
    set_output(0, q_sizes, strides_by_columns(q_sizes), a.dtype());
  }
  set_output(1, r_sizes, strides_by_columns(r_sizes), a.dtype());
}
TSC_IMPL_FUNC(linalg_qr_cpu)
(const Tensor& a, std::string_view mode_name, const Tensor&, const Tensor&) {
  const bool has_q = parse_mode(mode_name) != QrMode::r;
  const KernelOutput q(*this, 0, has_q ? kByColumns : KernelOutput::Layout::Rows);
  const KernelOutput r(*this, 1, kByColumns);
  const Reflectors reflectors = factorise(a);
  dispatch_lapack_types(a.dtype(), "geqrf_cpu", [&]<class T>() {
    copy_columns<T>(reflectors.matrix, r.tensor(), true);
    if (has_q) {
      copy_columns<T>(reflectors.matrix, q.tensor(), false);
    }
  });
  if (has_q) {
    make_q(q.tensor(), reflectors.factors);
  }
  q.store();
  r.store();
}

namespace native {

std::tuple<Tensor, Tensor> geqrf(const Tensor& self) {
  check_dims(self, "torch.geqrf", "input");
  Reflectors result = factorise(self);
  return {result.matrix, result.factors};
}

namespace {

void check_reflectors(const Tensor& input, const Tensor& tau, const char* function) {
  TSC_CHECK(input.size(-2) >= input.size(-1),
            "{}: input.shape[-2] must be greater than or equal to input.shape[-1]", function);
  TSC_CHECK(tau.dim() == input.dim() - 1,
            "{}: Expected tau to have one dimension less than input, but got tau.ndim equal to {} "
            "and input.ndim is equal to {}",
            function, tau.dim(), input.dim());
  const IntArrayRef batch = tau.sizes().slice(0, tau.sizes().size() - 1);
  TSC_CHECK(batch == IntArrayRef(batch_of(input)),
            "{}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {}",
            function, batch);
  TSC_CHECK(tau.dtype() == input.dtype(), "{}: tau dtype {} does not match input dtype {}",
            function, tau.dtype(), input.dtype());
}

}  // namespace

Tensor linalg_householder_product(const Tensor& input, const Tensor& tau) {
  constexpr const char* kName = "torch.linalg.householder_product";
  check_dims(input, kName, "input");
  check_reflectors(input, tau, kName);
  TSC_CHECK(input.size(-1) >= tau.size(-1),
            "{}: input.shape[-1] must be greater than or equal to tau.shape[-1]", kName);
  const Tensor result = copy_by_columns(input);
  if (input.is_cpu()) {
    make_q(result, contiguous(tau));
  }
  return result;
}
Tensor orgqr(const Tensor& self, const Tensor& input2) {
  return tsc::linalg_householder_product(self, input2);
}

Tensor ormqr(const Tensor& self, const Tensor& tau, const Tensor& other, bool left,
             bool transpose) {
  constexpr const char* kName = "torch.ormqr";
  check_dims(self, kName, "input");
  check_dims(other, kName, "other");
  const int64_t dim = left ? -2 : -1;
  TSC_CHECK(other.size(dim) == self.size(-2),
            "{}: other.shape[{}] must be equal to input.shape[-2]", kName, dim);
  TSC_CHECK(tau.size(-1) == std::min(other.size(dim), self.size(-1)),
            "{}: tau.shape[-1] must be equal to min(other.shape[{}], input.shape[-1])", kName, dim);
  check_reflectors(self, tau, kName);
  const Tensor result = copy_by_columns(other);
  if (!self.is_cpu()) {
    return result;
  }
  const Tensor reflectors = columns_for(self, self, lapack::kRotations);
  const Tensor factors = contiguous(tau);
  const auto count = static_cast<lapack::Int>(tau.size(-1));
  dispatch_lapack_types(self.dtype(), "ormqr_cpu", [&]<class T>() {
    const Matrices<T> q(reflectors);
    const Matrices<T> c(result);
    const char turned = self.is_complex() ? 'C' : 'T';
    const auto* const kernels = kernels_for<T>(std::max(q.step, c.step));
    const auto multiply = [=, own = values_of<T>(factors),
                           space = lapack::Workspace<T>()](int64_t i) mutable {
      const T* const scales = own.data() + i * count;
      if (kernels == nullptr) {
        return lapack::unmqr(left ? 'L' : 'R', transpose ? turned : 'N', c.rows, c.columns, count,
                             q[i], q.distance, scales, c[i], c.distance, space);
      }
      const auto apply = [&](bool transposed, char* to, int64_t rows, int64_t columns,
                             int64_t distance, char* room) {
        kernels->apply(transposed, to, rows, columns, distance, bytes_of(q[i]), q.distance,
                       bytes_of(scales), count, room);
      };
      if (left) {
        apply(transpose, bytes_of(c[i]), c.rows, c.columns, c.distance, room_for(space, c.rows));
        return 0;
      }
      // c Q is the transpose of Q^T c^T.
      char* const room = room_for(space, c.columns, c.step);
      char* const rows = room + (c.columns + cpu::HouseholderKernels::kRoom) * int64_t(sizeof(T));
      const int64_t rows_distance = c.columns * int64_t(sizeof(T));
      const int64_t c_distance = c.distance * int64_t(sizeof(T));
      cpu::with_word(sizeof(T), [&](auto word) {
        using Word = decltype(word);
        cpu::copy_transposed<Word>(rows, rows_distance, bytes_of(c[i]), c_distance, c.columns,
                                   c.rows);
        apply(!transpose, rows, c.columns, c.rows, c.columns, room);
        cpu::copy_transposed<Word>(bytes_of(c[i]), c_distance, rows, rows_distance, c.rows,
                                   c.columns);
      });
      return 0;
    };
    visit_matrices(self, lapack::kRotations, multiply);
  });
  return result;
}

}  // namespace native
}  // namespace tsc
