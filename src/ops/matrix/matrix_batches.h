// Batches of matrices for LAPACK: the last two dimensions, stored by columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/dispatch_types.h"
#include "core/small_vector.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "core/tensor.h"
#include "ops/cpu/matrix/background.h"
#include "ops/cpu/matrix/lapack.h"
#include "ops/structured/meta_base.h"

namespace tsc {

// All dimensions but the last two, which are `rows` and `columns`.
TSC_API DimVector batch_of(const Tensor& tensor);
TSC_API DimVector matrix_sizes(DimVector batch, int64_t rows, int64_t columns);

// Uninitialised; each matrix by columns, and one behind the other.
TSC_API Tensor empty_by_columns(const DimVector& batch, int64_t rows, int64_t columns,
                                ScalarType dtype, Device device);
TSC_API Tensor empty_by_columns_like(const Tensor& tensor);
// The strides of such a tensor. RuntimeError where they do not fit, as those of matrices without
// elements may.
TSC_API DimVector strides_by_columns(IntArrayRef sizes);
// The same elements stored so, in memory of its own.
TSC_API Tensor copy_by_columns(const Tensor& tensor);
// The tensor if it is stored so, else such a copy.
TSC_API Tensor as_columns(const Tensor& tensor);
// Where a kernel puts an output of its operator: the tensor itself where the operator allocated it,
// because it lies as the meta function said. One that the caller gave may lie otherwise, or be an
// input, too; it gets its elements at the end.
class TSC_API KernelOutput {
 public:
  enum class Layout : uint8_t { Rows, Columns };

  KernelOutput(const MetaBase& op, int index, Layout layout = Layout::Rows);
  const Tensor& tensor() const { return target_; }
  template <class T>
  T* data_ptr() const {
    return target_.data_ptr<T>();
  }
  void store() const;

 private:
  const Tensor& output_;
  Tensor target_;
};
constexpr KernelOutput::Layout kByColumns = KernelOutput::Layout::Columns;

// The last two dimensions swapped: a view that autograd does not know; below the dispatcher.
TSC_API Tensor swapped(const Tensor& tensor);
// Every matrix for each of a larger batch.
TSC_API Tensor expand_matrices(const Tensor& tensor, const DimVector& batch);
// Every matrix becomes one with ones on its diagonal; below the dispatcher.
TSC_API void fill_identity(const Tensor& tensor);

// `function` is the operator's name in messages, `argument` the tensor's.
TSC_API void check_is_matrix(const Tensor& tensor, std::string_view function,
                             std::string_view argument = "A");
TSC_API void check_is_square(const Tensor& tensor, std::string_view function,
                             std::string_view argument = "A");
TSC_API void check_floating_or_complex(const Tensor& tensor, std::string_view function,
                                       bool low_precision = true);

// The equation A X = B, or X A = B, of matrices.
TSC_API void check_same_dtype_of_system(const Tensor& a, const Tensor& b,
                                        std::string_view function);
TSC_API void check_shapes_of_system(const Tensor& a, const Tensor& b, bool left,
                                    std::string_view function);
// A X = b, as the older functions say it.
TSC_API void check_pair_of_solver(const Tensor& b, const Tensor& a, std::string_view function);
// Whether b is a batch of vectors, and not of matrices.
TSC_API bool is_vector_of_system(const Tensor& a, const Tensor& b);

// The distance from 1 to the next number of float or double.
TSC_API double epsilon_of(ScalarType dtype);

// Calls `f` with the type, of the four that LAPACK has.
template <class F>
auto dispatch_lapack_types(ScalarType type, const char* op, F&& f) {
  return detail::dispatch<false, false, true, false, true>(type, op, std::forward<F>(f));
}

// A tensor's matrices, which are stored by columns. It holds the tensor.
template <class T>
struct Matrices {
  explicit Matrices(Tensor of)
      : tensor(std::move(of)),
        data(tensor.data_ptr<T>()),
        rows(static_cast<cpu::lapack::Int>(tensor.size(-2))),
        columns(static_cast<cpu::lapack::Int>(tensor.size(-1))),
        distance(std::max(rows, 1)),
        step(int64_t(rows) * columns) {}
  T* operator[](int64_t i) const { return data + i * step; }

  Tensor tensor;
  T* data;
  cpu::lapack::Int rows;
  cpu::lapack::Int columns;
  // Between columns.
  cpu::lapack::Int distance;
  int64_t step;
};
TSC_API int64_t matrix_count(const Tensor& tensor);

// LAPACK complains aloud about infinity and NaN.
template <class T>
bool all_finite(const T* values, int64_t count) {
  return std::all_of(values, values + count, [](const T& value) {
    return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
  });
}
// The `info` of a matrix that is not finite.
inline constexpr cpu::lapack::Int kNotFinite = -4;

// The computation that failed, for its message.
enum class Failure : uint8_t { inverse, solve, cholesky, singular_values, eigenvalues, lstsq, lu };

// Remembers the first matrix of a batch that LAPACK gave an `info` other than 0 for.
class TSC_API FirstFailure {
 public:
  void note(int64_t matrix, cpu::lapack::Int info) {
    if (info != 0 && info_ == 0) {
      matrix_ = matrix;
      info_ = info;
    }
  }
  // LinAlgError if there was one.
  void check(Failure failure, std::string_view function, bool is_batch) const;

 private:
  int64_t matrix_ = 0;
  cpu::lapack::Int info_ = 0;
};
// Matrices by columns that LAPACK reads while it computes `result`: a copy where that may go on in
// the background, and the caller may have done something else with the tensor.
TSC_API Tensor columns_for(const Tensor& result, const Tensor& tensor,
                           const cpu::lapack::Work& work);

// Whether one of the tensor's matrices may keep LAPACK busy for more than some 20 ms.
TSC_API bool takes_long(const Tensor& tensor, const cpu::lapack::Work& work);

// Whether several threads compute the tensor's matrices, one thread each, at once.
TSC_API bool can_share_matrices(const Tensor& tensor, const cpu::lapack::Work& work);
// The number of matrices that make another thread worth waking.
TSC_API int64_t grain_of_matrices(const Tensor& tensor);

// Has several threads compute with a copy of `f` each.
template <class F>
FirstFailure share_matrices(const Tensor& tensor, const cpu::lapack::Work& work, const F& f) {
  std::vector<cpu::lapack::Int> infos(static_cast<size_t>(matrix_count(tensor)));
  parallel_for(0, matrix_count(tensor), grain_of_matrices(tensor), [&](int64_t begin, int64_t end) {
    const cpu::lapack::ThreadsForSize threads(tensor.size(-2) * tensor.size(-1), work.threads_from);
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): it may hold a workspace
    F own = f;
    for (int64_t i = begin; i < end && !interrupt_requested(); i++) {
      infos[static_cast<size_t>(i)] = own(i);
    }
  });
  throw_if_interrupted();
  FirstFailure failure;
  for (size_t i = 0; i < infos.size(); i++) {
    failure.note(static_cast<int64_t>(i), infos[i]);
  }
  return failure;
}

// Calls `f`, which returns LAPACK's `info`, with the number of each matrix: of small ones, on several
// threads. A call that may take long runs in the background; after Ctrl-C it is abandoned there with
// its current matrix, so `f` must own the memory that it uses.
template <class F>
FirstFailure visit_matrices(const Tensor& tensor, const cpu::lapack::Work& work, F f) {
  if (can_share_matrices(tensor, work)) {
    return share_matrices(tensor, work, f);
  }
  const cpu::lapack::ThreadsForSize threads(tensor.size(-2) * tensor.size(-1), work.threads_from);
  const int64_t count = matrix_count(tensor);
  FirstFailure failure;
  if (!takes_long(tensor, work)) {
    for (int64_t i = 0; i < count; i++) {
      throw_if_interrupted();
      failure.note(i, f(i));
    }
    return failure;
  }
  struct Task {
    F function;
    cpu::lapack::Int info;
  };
  const auto task = std::make_shared<Task>(Task{std::move(f), 0});
  for (int64_t i = 0; i < count; i++) {
    cpu::run_in_background([task, i] { task->info = task->function(i); });
    failure.note(i, task->info);
  }
  return failure;
}

// A number for each matrix of a batch, of LAPACK's integers.
TSC_API Tensor empty_infos(const DimVector& batch, Device device);
// The same, of the infos in an int32 tensor; none for meta tensors.
TSC_API void check_infos(const Tensor& infos, Failure failure, std::string_view function);
// Whether a determinant is that of the transposed matrix, whose columns lie in line.
inline bool factorises_transposed(const Tensor& a) { return a.is_contiguous() && !a.is_complex(); }

}  // namespace tsc
