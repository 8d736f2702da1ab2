// Factorisations P L U, and results computed from them: solutions, inverses, determinants.
#include "ops/cpu/matrix/lu.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/abs.h"
#include "gen/calls/add.h"
#include "gen/calls/conj_physical.h"
#include "gen/calls/diagonal.h"
#include "gen/calls/eq.h"
#include "gen/calls/log.h"
#include "gen/calls/mul.h"
#include "gen/calls/prod.h"
#include "gen/calls/sgn.h"
#include "gen/calls/sum.h"
#include "gen/calls/where.h"
#include "gen/ops/factorizations.h"
#include "gen/ops/factorizations_native.h"
#include "ops/matrix/matrix_batches.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/fill.h"

namespace tsc {
namespace {

namespace lapack = cpu::lapack;

struct Lu {
  Tensor factors;
  Tensor pivots;
  Tensor infos;
};

// The types for which this project's factorisation is faster than LAPACK's.
template <class T>
constexpr bool kHasLu = std::is_same_v<T, float> || std::is_same_v<T, double>;

// Calls `f` with the number of each matrix, on several threads. A large matrix keeps all threads
// busy, so the last ones, fewer than threads, are factored one after the other.
template <class F>
void share_factors(const Tensor& tensor, F&& f) {
  const int64_t elements = std::max<int64_t>(1, tensor.size(-2) * tensor.size(-1));
  const int64_t count = matrix_count(tensor);
  const int64_t left_over = elements >= cpu::kLargeLu ? count % num_threads() : 0;
  parallel_for(0, count - left_over, grain_of_matrices(tensor), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end && !interrupt_requested(); i++) {
      f(i);
    }
  });
  for (int64_t i = count - left_over; i < count; i++) {
    throw_if_interrupted();
    f(i);
  }
  throw_if_interrupted();
}

// Many small matrices are copied one by one by the threads that compute with them: for short
// columns, a copy of the whole tensor takes longer than the computation.
class CopyByColumns {
 public:
  // `to` lies by columns.
  CopyByColumns(const Tensor& from, const Tensor& to)
      : from_(from),
        small_(is_real_lapack_type(from.dtype()) && from.is_contiguous() &&
               from.size(-1) * from.size(-2) <= kSmall) {
    if (!small_) {
      copy_elements(to, from);
    }
  }

  template <class T>
  void copy(int64_t i, T* to) const {
    if (!small_) {
      return;
    }
    const int64_t rows = from_.size(-2);
    const int64_t columns = from_.size(-1);
    const T* const from = from_.data_ptr<T>() + i * rows * columns;
    for (int64_t column = 0; column < columns; column++) {
      for (int64_t row = 0; row < rows; row++) {
        *to++ = from[row * columns + column];
      }
    }
  }

 private:
  static constexpr int64_t kSmall = 256;
  static bool is_real_lapack_type(ScalarType type) {
    return type == ScalarType::Float || type == ScalarType::Double;
  }

  const Tensor& from_;
  bool small_;
};

template <class T>
void factorise_matrices(const CopyByColumns& copy, const Lu& lu) {
  const Matrices<T> matrices(lu.factors);
  const int64_t count = lu.pivots.size(-1);
  if constexpr (kHasLu<T>) {
    auto* const pivots = lu.pivots.data_ptr<int32_t>();
    auto* const infos = lu.infos.data_ptr<int32_t>();
    share_factors(lu.factors, [&](int64_t i) {
      copy.copy(i, matrices[i]);
      infos[i] = cpu::factor_lu(matrices.rows, matrices.columns, matrices[i], matrices.distance,
                                pivots + i * count);
    });
  } else {
    visit_matrices(lu.factors, lapack::kProducts, [=](int64_t i) {
      lu.infos.data_ptr<int32_t>()[i] =
          lapack::getrf(matrices.rows, matrices.columns, matrices[i], matrices.distance,
                        lu.pivots.data_ptr<int32_t>() + i * count);
      return 0;
    });
  }
}

// The outputs that hold a factorisation.
Lu lu_in(const KernelOutput& factors, const KernelOutput& pivots, const KernelOutput& infos) {
  return {.factors = factors.tensor(), .pivots = pivots.tensor(), .infos = infos.tensor()};
}

DimVector pivot_sizes_of(const Tensor& a) {
  DimVector sizes = batch_of(a);
  sizes.push_back(std::min(a.size(-2), a.size(-1)));
  return sizes;
}

void factorise(const Tensor& a, const Lu& lu, bool pivot = true) {
  const CopyByColumns copy(a, lu.factors);
  dispatch_lapack_types(a.dtype(), "lu_cpu", [&]<class T>() {
    TSC_CHECK(pivot, "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
    factorise_matrices<T>(copy, lu);
  });
}

Tensor infos_of(const Tensor& a) { return empty_infos(batch_of(a), a.device()); }

void check_lu_input(const Tensor& a, const char* function) {
  TSC_CHECK(a.dim() >= 2, "{}: Expected tensor with 2 or more dimensions. Got size: {} instead",
            function, a.sizes());
}

// Replaces b, stored by columns, by the solution; `operation` as for getrs. `copy`, if given, fills
// b first.
void solve_in_place(const Tensor& factors, const Tensor& pivots, char operation, const Tensor& b,
                    const CopyByColumns* copy = nullptr) {
  dispatch_lapack_types(b.dtype(), "lu_solve_cpu", [&]<class T>() {
    const Matrices<T> lu(factors);
    const Matrices<T> right(b);
    if constexpr (kHasLu<T>) {
      const auto* const all_pivots = pivots.data_ptr<int32_t>();
      share_factors(factors, [&](int64_t i) {
        if (copy != nullptr) {
          copy->copy(i, right[i]);
        }
        cpu::solve_lu(operation != 'N', lu.rows, right.columns, lu[i], lu.distance,
                      all_pivots + i * lu.rows, right[i], right.distance);
      });
    } else {
      const Matrices<T> own(columns_for(b, factors, lapack::kProducts));
      visit_matrices(b, lapack::kProducts, [=](int64_t i) {
        return lapack::getrs(operation, own.rows, right.columns, own[i], own.distance,
                             pivots.data_ptr<int32_t>() + i * lu.rows, right[i], right.distance);
      });
    }
  });
}

void invert(const Lu& lu, const Tensor& result) {
  dispatch_lapack_types(result.dtype(), "inverse_cpu", [&]<class T>() {
    if constexpr (kHasLu<T>) {
      const Matrices<T> factors(lu.factors);
      const Matrices<T> inverses(result);
      share_factors(result, [&](int64_t i) {
        cpu::invert_lu(factors.rows, factors[i], factors.distance,
                       lu.pivots.data_ptr<int32_t>() + i * factors.rows, inverses[i]);
      });
    } else {
      fill_identity(result);
      solve_in_place(lu.factors, lu.pivots, 'N', result);
    }
  });
}

Tensor conjugate_transpose(const Tensor& tensor) {
  const Tensor turned = swapped(tensor);
  return tensor.is_complex() && tensor.is_cpu() ? conj_physical(turned) : turned;
}

// Solves A X = B, or A^H X = B; from the right, both sides are transposed first. `result` lies by
// columns, or, from the right, by rows.
void solve_with(const Tensor& factors, const Tensor& pivots, const Tensor& b, bool left,
                bool adjoint, const Tensor& result) {
  if (result.numel() == 0) {
    return;
  }
  const DimVector batch = batch_of(result);
  const Tensor expanded = expand_matrices(b, batch);
  const Tensor right = left ? expanded : conjugate_transpose(expanded);
  const Tensor x = left ? result : swapped(result);
  const CopyByColumns copy(right, x);
  DimVector pivot_sizes = batch;
  pivot_sizes.push_back(pivots.size(-1));
  solve_in_place(as_columns(expand_matrices(factors, batch)),
                 contiguous_as(expand_to(pivots, pivot_sizes), ScalarType::Int),
                 left == adjoint ? 'C' : 'N', x, &copy);
  if (!left && x.is_complex()) {
    conj_physical_(x);
  }
}

// Calls f(first, last) for runs of matrices of which elements are only moved, on several threads.
template <class F>
void share_moves(const Tensor& tensor, F&& f) {
  const int64_t elements = std::max<int64_t>(1, tensor.size(-2) * tensor.size(-1));
  parallel_for(0, matrix_count(tensor), std::max<int64_t>(1, kParallelGrain / elements), f);
}

// The permutations P of the row exchanges in `pivots`.
template <class T>
void fill_permutation(const Tensor& pivots, const Tensor& p) {
  const int64_t rows = p.size(-1);
  const int64_t count = pivots.size(-1);
  const auto* const exchanged = pivots.data_ptr<int32_t>();
  TSC_CHECK(std::all_of(exchanged, exchanged + pivots.numel(),
                        [rows](int32_t row) { return row >= 1 && row <= rows; }),
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
            "Did you properly pass the result of lu_factor?");
  share_moves(p, [&](int64_t first, int64_t last) {
    std::vector<int64_t> order(static_cast<size_t>(rows));
    for (int64_t i = first; i < last; i++) {
      std::iota(order.begin(), order.end(), 0);
      for (int64_t k = 0; k < count; k++) {
        const auto other = static_cast<size_t>(exchanged[i * count + k] - 1);
        std::swap(order[static_cast<size_t>(k)], order[other]);
      }
      T* const matrix = p.data_ptr<T>() + i * rows * rows;
      std::fill_n(matrix, rows * rows, T(0));
      for (int64_t k = 0; k < rows; k++) {
        matrix[order[static_cast<size_t>(k)] * rows + k] = T(1);
      }
    }
  });
}

// Columns [begin, end) of a row of a matrix that lies by columns.
template <class T>
T* copy_row(const Matrices<T>& from, int64_t matrix, int64_t row, int64_t begin, int64_t end,
            T* to) {
  const T* at = from[matrix] + row + begin * from.distance;
  for (int64_t column = begin; column < end; column++, at += from.distance) {
    *to++ = *at;
  }
  return to;
}

// Separates L, with ones on its diagonal, and U, both by rows, from the factors.
template <class T>
void fill_triangles(const Tensor& factors, const Tensor& l, const Tensor& u) {
  const Matrices<T> lu(as_columns(factors));
  const int64_t least = std::min(lu.rows, lu.columns);
  share_moves(lu.tensor, [&](int64_t first, int64_t last) {
    T* lower = l.data_ptr<T>() + first * lu.rows * least;
    T* upper = u.data_ptr<T>() + first * least * lu.columns;
    for (int64_t i = first; i < last && !interrupt_requested(); i++) {
      for (int64_t row = 0; row < lu.rows; row++) {
        lower = copy_row(lu, i, row, 0, std::min(row, least), lower);
        if (row < least) {
          *lower++ = T(1);
          lower = std::fill_n(lower, least - row - 1, T(0));
          upper = std::fill_n(upper, row, T(0));
          upper = copy_row(lu, i, row, row, lu.columns, upper);
        }
      }
    }
  });
}

// Each is computed where it has memory.
void unpack(const Tensor& factors, const Tensor& pivots, const Tensor* p, const Tensor* l,
            const Tensor* u) {
  dispatch_lapack_types(factors.dtype(), "lu_unpack", [&]<class T>() {
    if (p != nullptr) {
      fill_permutation<T>(pivots, *p);
    }
    if (l != nullptr) {
      fill_triangles<T>(factors, *l, *u);
    }
  });
}

// Whether the permutation is odd: the determinant of P is then -1.
bool is_odd(const int32_t* pivots, int64_t count) {
  bool odd = false;
  for (int64_t k = 0; k < count; k++) {
    odd ^= pivots[k] != k + 1;
  }
  return odd;
}

// The determinant of each P: 1 or -1.
Tensor signs_of(const Tensor& pivots, ScalarType dtype) {
  const Tensor signs = empty_tensor(pivots.sizes().slice(0, pivots.sizes().size() - 1), dtype);
  const int64_t count = pivots.size(-1);
  dispatch_lapack_types(dtype, "lu_cpu", [&]<class T>() {
    for (int64_t i = 0; i < signs.numel(); i++) {
      const bool odd = is_odd(pivots.data_ptr<int32_t>() + i * count, count);
      signs.data_ptr<T>()[i] = T(odd ? -1 : 1);
    }
  });
  return signs;
}

// For each matrix, the product of U's diagonal and the sign of P.
void fill_determinants(const Lu& lu, const Tensor& result) {
  dispatch_lapack_types(lu.factors.dtype(), "det_cpu", [&]<class T>() {
    const Matrices<T> matrices(lu.factors);
    for (int64_t i = 0; i < result.numel(); i++) {
      T product = T(1);
      for (int64_t k = 0; k < matrices.rows; k++) {
        product *= matrices[i][k * (int64_t(matrices.distance) + 1)];
      }
      const auto* const pivots = lu.pivots.data_ptr<int32_t>() + i * matrices.rows;
      result.data_ptr<T>()[i] = is_odd(pivots, matrices.rows) ? -product : product;
    }
  });
}

void factorise_for_determinant(const Tensor& a, const Lu& lu) {
  factorise(factorises_transposed(a) ? swapped(a) : a, lu);
}

void check_pivots(const Tensor& lu, const Tensor& pivots) {
  TSC_CHECK(pivots.dtype() == ScalarType::Int,
            "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32");
  TSC_CHECK(lu.size(-1) == pivots.size(-1),
            "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the "
            "matrix");
}

// A batch of vectors as one of matrices with one column.
Tensor as_one_column(const Tensor& b) {
  DimVector sizes(b.sizes());
  DimVector strides(b.strides());
  sizes.push_back(1);
  strides.push_back(1);
  return view_tensor(b, sizes, strides, b.storage_offset());
}

// The solution lies by columns, or by rows where X stands left of A. The vectors of a batch
// lie by columns, too, as PyTorch has them.
void set_solution(MetaBase& op, const Tensor& a, const Tensor& b, bool left, bool is_vector) {
  DimVector sizes = matrix_sizes(broadcast_sizes(batch_of(a), batch_of(b)), b.size(-2), b.size(-1));
  if (is_vector) {
    sizes.pop_back();
  }
  if (left && sizes.size() >= 2) {
    op.set_output(0, sizes, strides_by_columns(sizes), b.dtype());
  } else {
    op.set_output(0, sizes, b.dtype());
  }
}

void check_pivots_are_rows(const Tensor& lu, const Tensor& pivots) {
  const Tensor listed = contiguous_as(pivots, ScalarType::Int);
  const auto* const rows = listed.data_ptr<int32_t>();
  TSC_CHECK(std::all_of(rows, rows + listed.numel(),
                        [&](int32_t row) { return row >= 1 && row <= lu.size(-2); }),
            "linalg.lu_solve: pivots must be between 1 and the number of rows");
}

}  // namespace

TSC_META_FUNC(linalg_lu_factor_ex)(const Tensor& a, bool, bool) {
  check_lu_input(a, "torch.lu_factor");
  set_output(0, a.sizes(), strides_by_columns(a.sizes()), a.dtype());
  set_output(1, pivot_sizes_of(a), ScalarType::Int);
  set_output(2, batch_of(a), ScalarType::Int);
}
TSC_IMPL_FUNC(linalg_lu_factor_ex_cpu)
(const Tensor& a, bool pivot, bool check_errors, const Tensor&, const Tensor&, const Tensor&) {
  const KernelOutput factors(*this, 0, kByColumns);
  const KernelOutput pivots(*this, 1);
  const KernelOutput infos(*this, 2);
  factorise(a, lu_in(factors, pivots, infos), pivot);
  factors.store();
  pivots.store();
  infos.store();
  if (check_errors) {
    check_infos(infos.tensor(), Failure::lu, "torch.linalg.lu_factor_ex");
  }
}

TSC_META_FUNC(linalg_lu)(const Tensor& a, bool) {
  check_lu_input(a, "linalg.lu");
  const int64_t rows = a.size(-2);
  const int64_t columns = a.size(-1);
  const int64_t least = std::min(rows, columns);
  set_output(0, matrix_sizes(batch_of(a), rows, rows), a.dtype());
  set_output(1, matrix_sizes(batch_of(a), rows, least), a.dtype());
  set_output(2, matrix_sizes(batch_of(a), least, columns), a.dtype());
}
TSC_IMPL_FUNC(linalg_lu_cpu)
(const Tensor& a, bool pivot, const Tensor&, const Tensor&, const Tensor&) {
  const KernelOutput p(*this, 0);
  const KernelOutput l(*this, 1);
  const KernelOutput u(*this, 2);
  const Lu lu{.factors = empty_by_columns_like(a),
              .pivots = empty_tensor(pivot_sizes_of(a), ScalarType::Int),
              .infos = infos_of(a)};
  factorise(a, lu, pivot);
  unpack(lu.factors, lu.pivots, &p.tensor(), &l.tensor(), &u.tensor());
  p.store();
  l.store();
  u.store();
}

TSC_META_FUNC(lu_unpack)
(const Tensor& lu_data, const Tensor& lu_pivots, bool unpack_data, bool unpack_pivots) {
  check_is_matrix(lu_data, "torch.lu_unpack", "LU_data");
  TSC_CHECK(!unpack_pivots || lu_pivots.dtype() == ScalarType::Int,
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 "
            "dtype.\nNote: this function is intended to be used with the output produced by "
            "torch.linalg.lu_factor");
  const DimVector expected = pivot_sizes_of(lu_data);
  TSC_CHECK_VALUE(!unpack_pivots || lu_pivots.sizes() == IntArrayRef(expected),
                  "Expected LU_pivots to have shape {} but got {} instead.", IntArrayRef(expected),
                  lu_pivots.sizes());
  const int64_t rows = lu_data.size(-2);
  const int64_t columns = lu_data.size(-1);
  const int64_t least = std::min(rows, columns);
  const auto set = [&](int index, bool wanted, int64_t m, int64_t n) {
    const DimVector sizes = wanted ? matrix_sizes(batch_of(lu_data), m, n) : DimVector({0});
    set_output(index, sizes, lu_data.dtype());
  };
  set(0, unpack_pivots, rows, rows);
  set(1, unpack_data, rows, least);
  set(2, unpack_data, least, columns);
}
TSC_IMPL_FUNC(lu_unpack_cpu)
(const Tensor& lu_data, const Tensor& lu_pivots, bool unpack_data, bool unpack_pivots,
 const Tensor&, const Tensor&, const Tensor&) {
  const KernelOutput p(*this, 0);
  const KernelOutput l(*this, 1);
  const KernelOutput u(*this, 2);
  unpack(lu_data, unpack_pivots ? contiguous_as(lu_pivots, ScalarType::Int) : lu_pivots,
         unpack_pivots ? &p.tensor() : nullptr, unpack_data ? &l.tensor() : nullptr, &u.tensor());
  p.store();
  l.store();
  u.store();
}

TSC_META_FUNC(linalg_lu_solve)
(const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left, bool) {
  check_floating_or_complex(lu, "torch.linalg.lu_solve");
  check_same_dtype_of_system(lu, b, "linalg.lu_solve");
  check_pivots(lu, pivots);
  check_shapes_of_system(lu, b, left, "linalg.lu_solve");
  set_solution(*this, lu, b, left, false);
}
TSC_IMPL_FUNC(linalg_lu_solve_cpu)
(const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left, bool adjoint, const Tensor&) {
  check_pivots_are_rows(lu, pivots);
  const KernelOutput result(*this, 0, left ? kByColumns : KernelOutput::Layout::Rows);
  solve_with(lu, pivots, b, left, adjoint, result.tensor());
  result.store();
}

TSC_META_FUNC(_linalg_solve_ex)(const Tensor& a, const Tensor& b, bool left, bool) {
  check_is_square(a, "linalg.solve");
  check_floating_or_complex(a, "linalg.solve");
  check_same_dtype_of_system(a, b, "linalg.solve");
  const bool is_vector = is_vector_of_system(a, b);
  TSC_CHECK(!is_vector || left,
            "linalg.solve: Vector broadcasting of the left hand side is not supported for "
            "left=False. In this case linalg.solve is equivalent to B / A.squeeze(-1)");
  const Tensor right = is_vector ? as_one_column(b) : b;
  check_shapes_of_system(a, right, left, "linalg.solve");
  set_solution(*this, a, right, left, is_vector);
  set_output(1, a.sizes(), strides_by_columns(a.sizes()), a.dtype());
  set_output(2, pivot_sizes_of(a), ScalarType::Int);
  set_output(3, batch_of(a), ScalarType::Int);
}
TSC_IMPL_FUNC(_linalg_solve_ex_cpu)
(const Tensor& a, const Tensor& b, bool left, bool check_errors, const Tensor& result,
 const Tensor&, const Tensor&, const Tensor&) {
  const KernelOutput factors(*this, 1, kByColumns);
  const KernelOutput pivots(*this, 2);
  const KernelOutput infos(*this, 3);
  const bool is_vector = is_vector_of_system(a, b);
  const Tensor right = is_vector ? as_one_column(b) : b;
  factorise(a, lu_in(factors, pivots, infos));
  if (is_vector) {
    // Their layout is not that of matrices.
    const DimVector batch = batch_of(as_one_column(result));
    const Tensor x = empty_by_columns(batch, result.size(-1), 1, result.dtype(), result.device());
    solve_with(factors.tensor(), pivots.tensor(), right, left, false, x);
    copy_elements(as_one_column(result), x);
  } else {
    const KernelOutput x(*this, 0, left ? kByColumns : KernelOutput::Layout::Rows);
    solve_with(factors.tensor(), pivots.tensor(), right, left, false, x.tensor());
    x.store();
  }
  factors.store();
  pivots.store();
  infos.store();
  if (check_errors) {
    check_infos(infos.tensor(), Failure::solve, "torch.linalg.solve_ex");
  }
}

TSC_META_FUNC(linalg_inv_ex)(const Tensor& a, bool) {
  check_is_square(a, "linalg.inv");
  check_floating_or_complex(a, "linalg.inv", false);
  set_output(0, a.sizes(), strides_by_columns(a.sizes()), a.dtype());
  set_output(1, batch_of(a), ScalarType::Int);
}
TSC_IMPL_FUNC(linalg_inv_ex_cpu)
(const Tensor& a, bool check_errors, const Tensor&, const Tensor&) {
  const KernelOutput inverse(*this, 0, kByColumns);
  const KernelOutput infos(*this, 1);
  const Lu lu{.factors = empty_by_columns_like(a),
              .pivots = empty_tensor(pivot_sizes_of(a), ScalarType::Int),
              .infos = infos.tensor()};
  factorise(a, lu);
  if (a.numel() != 0) {
    invert(lu, inverse.tensor());
  }
  inverse.store();
  infos.store();
  if (check_errors) {
    check_infos(infos.tensor(), Failure::inverse, "linalg.inv_ex");
  }
}

TSC_META_FUNC(_linalg_det)(const Tensor& a) {
  check_is_square(a, "linalg.det");
  check_floating_or_complex(a, "linalg.det");
  set_output(0, batch_of(a), a.dtype());
  set_output(1, a.sizes(), strides_by_columns(a.sizes()), a.dtype());
  set_output(2, pivot_sizes_of(a), ScalarType::Int);
}
TSC_IMPL_FUNC(_linalg_det_cpu)(const Tensor& a, const Tensor&, const Tensor&, const Tensor&) {
  const KernelOutput result(*this, 0);
  const KernelOutput factors(*this, 1, kByColumns);
  const KernelOutput pivots(*this, 2);
  const Lu lu{.factors = factors.tensor(), .pivots = pivots.tensor(), .infos = infos_of(a)};
  factorise_for_determinant(a, lu);
  fill_determinants(lu, result.tensor());
  result.store();
  factors.store();
  pivots.store();
}

TSC_META_FUNC(_linalg_slogdet)(const Tensor& a) {
  check_is_square(a, "linalg.slogdet");
  check_floating_or_complex(a, "linalg.slogdet", false);
  set_output(0, batch_of(a), a.dtype());
  set_output(1, batch_of(a), to_real_value_type(a.dtype()));
  set_output(2, a.sizes(), strides_by_columns(a.sizes()), a.dtype());
  set_output(3, pivot_sizes_of(a), ScalarType::Int);
}
TSC_IMPL_FUNC(_linalg_slogdet_cpu)
(const Tensor& a, const Tensor& sign, const Tensor& logabsdet, const Tensor&, const Tensor&) {
  const KernelOutput factors(*this, 2, kByColumns);
  const KernelOutput pivots(*this, 3);
  const Lu lu{.factors = factors.tensor(), .pivots = pivots.tensor(), .infos = infos_of(a)};
  factorise_for_determinant(a, lu);
  const Tensor diagonal = tsc::diagonal(lu.factors, 0, -2, -1);
  const Tensor signs = signs_of(lu.pivots, a.dtype());
  copy_elements(sign, mul(prod(sgn(diagonal), -1), signs));
  copy_elements(logabsdet, sum(log(abs(diagonal)), IntArrayRef(-1)));
  factors.store();
  pivots.store();
}

namespace native {

std::tuple<Tensor, Tensor, Tensor> _lu_with_info(const Tensor& self, bool pivot, bool) {
  return tsc::linalg_lu_factor_ex(self, pivot, false);
}

std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& a, bool pivot) {
  const auto [factors, pivots, infos] = tsc::linalg_lu_factor_ex(a, pivot, false);
  tsc::_linalg_check_errors(infos, "torch.linalg.lu_factor", infos.dim() == 0);
  return {factors, pivots};
}

Tensor lu_solve(const Tensor& self, const Tensor& lu_data, const Tensor& lu_pivots) {
  return tsc::linalg_lu_solve(lu_data, lu_pivots, self);
}

std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor& a, const Tensor& b, bool left,
                                           bool check_errors) {
  auto [result, factors, pivots, infos] = tsc::_linalg_solve_ex(a, b, left, check_errors);
  return {result, infos};
}

Tensor linalg_solve(const Tensor& a, const Tensor& b, bool left) {
  auto [result, infos] = tsc::linalg_solve_ex(a, b, left, false);
  tsc::_linalg_check_errors(infos, "torch.linalg.solve", infos.dim() == 0);
  return result;
}

Tensor linalg_inv(const Tensor& a) {
  auto [result, infos] = tsc::linalg_inv_ex(a, false);
  tsc::_linalg_check_errors(infos, "linalg.inv", infos.dim() == 0);
  return result;
}
Tensor inverse(const Tensor& self) { return tsc::linalg_inv(self); }

Tensor linalg_det(const Tensor& a) { return std::get<0>(tsc::_linalg_det(a)); }
Tensor det(const Tensor& self) { return tsc::linalg_det(self); }

std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& a) {
  auto [sign, logabsdet, factors, pivots] = tsc::_linalg_slogdet(a);
  return {sign, logabsdet};
}
std::tuple<Tensor, Tensor> slogdet(const Tensor& self) { return tsc::linalg_slogdet(self); }

Tensor logdet(const Tensor& self) {
  check_is_square(self, "logdet");
  check_floating_or_complex(self, "logdet", false);
  const auto [sign, logabsdet] = tsc::linalg_slogdet(self);
  if (self.is_complex()) {
    return add(log(sign), logabsdet);
  }
  return where(eq(sign, -1.0), Scalar(std::numeric_limits<double>::quiet_NaN()), logabsdet);
}

}  // namespace native
}  // namespace tsc
