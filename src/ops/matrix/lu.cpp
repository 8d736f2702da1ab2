// Factorisations P L U, and results computed from them: solutions, inverses, determinants.
#include "ops/cpu/matrix/lu.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/abs.h"
#include "gen/calls/add.h"
#include "gen/calls/conj_physical.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/copy.h"
#include "gen/calls/diagonal.h"
#include "gen/calls/eq.h"
#include "gen/calls/log.h"
#include "gen/calls/mul.h"
#include "gen/calls/prod.h"
#include "gen/calls/sgn.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/sum.h"
#include "gen/calls/transpose.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/where.h"
#include "gen/ops/factorizations.h"
#include "gen/ops/factorizations_native.h"
#include "ops/matrix/matrix_batches.h"
#include "ops/structured/broadcast.h"

namespace tsc::native {
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
void share_matrices(const Tensor& tensor, F&& f) {
  const int64_t elements = std::max<int64_t>(1, tensor.size(-2) * tensor.size(-1));
  const int64_t count = matrix_count(tensor);
  const int64_t left_over = elements >= cpu::kLargeLu ? count % num_threads() : 0;
  const int64_t work = elements * (16 + std::min(tensor.size(-2), tensor.size(-1)));
  parallel_for(0, count - left_over, std::max<int64_t>(1, kParallelGrain / work),
               [&](int64_t begin, int64_t end) {
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
  explicit CopyByColumns(const Tensor& from)
      : from_(from),
        small_(from.is_cpu() && is_real_lapack_type(from.dtype()) && from.is_contiguous() &&
               from.size(-1) * from.size(-2) <= kSmall),
        result_(small_ ? empty_by_columns_like(from) : copy_by_columns(from)) {}

  const Tensor& result() const { return result_; }

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
  Tensor result_;
};

template <class T>
void factorise_matrices(const CopyByColumns& copy, const Lu& lu) {
  const Matrices<T> matrices(lu.factors);
  const int64_t count = lu.pivots.size(-1);
  if constexpr (kHasLu<T>) {
    auto* const pivots = lu.pivots.data_ptr<int32_t>();
    auto* const infos = lu.infos.data_ptr<int32_t>();
    share_matrices(lu.factors, [&](int64_t i) {
      copy.copy(i, matrices[i]);
      infos[i] = cpu::factor_lu(matrices.rows, matrices.columns, matrices[i], matrices.distance,
                                pivots + i * count);
    });
  } else {
    visit_matrices(lu.factors, lapack::kThreadsForProducts, [=](int64_t i) {
      lu.infos.data_ptr<int32_t>()[i] =
          lapack::getrf(matrices.rows, matrices.columns, matrices[i], matrices.distance,
                        lu.pivots.data_ptr<int32_t>() + i * count);
      return 0;
    });
  }
}

Lu factorise(const Tensor& a, bool pivot = true) {
  DimVector pivot_sizes = batch_of(a);
  pivot_sizes.push_back(std::min(a.size(-2), a.size(-1)));
  const CopyByColumns copy(a);
  Lu lu{.factors = copy.result(),
        .pivots = empty_tensor(pivot_sizes, ScalarType::Int, a.device()),
        .infos = empty_infos(batch_of(a), a.device())};
  if (!a.is_cpu()) {
    return lu;
  }
  dispatch_lapack_types(a.dtype(), "lu_cpu", [&]<class T>() {
    TSC_CHECK(pivot, "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
    factorise_matrices<T>(copy, lu);
  });
  return lu;
}

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
      share_matrices(factors, [&](int64_t i) {
        if (copy != nullptr) {
          copy->copy(i, right[i]);
        }
        cpu::solve_lu(operation != 'N', lu.rows, right.columns, lu[i], lu.distance,
                      all_pivots + i * lu.rows, right[i], right.distance);
      });
    } else {
      const Matrices<T> own(columns_for(b, factors, lapack::kThreadsForProducts));
      visit_matrices(b, lapack::kThreadsForProducts, [=](int64_t i) {
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
      share_matrices(result, [&](int64_t i) {
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

// Solves A X = B, or A^H X = B; from the right, both sides are transposed first.
Tensor solve_with(const Tensor& factors, const Tensor& pivots, const Tensor& b, bool left,
                  bool adjoint) {
  const DimVector batch = broadcast_sizes(batch_of(factors), batch_of(b));
  const Tensor expanded = expand_matrices(b, batch);
  const Tensor right = left ? expanded : conjugate_transpose(expanded);
  const CopyByColumns copy(right);
  const Tensor& result = copy.result();
  if (b.is_cpu() && result.numel() != 0) {
    DimVector pivot_sizes = batch;
    pivot_sizes.push_back(pivots.size(-1));
    solve_in_place(as_columns(expand_matrices(factors, batch)),
                   contiguous(expand_to(pivots, pivot_sizes)), left == adjoint ? 'C' : 'N', result,
                   &copy);
  }
  return left ? result : conjugate_transpose(result);
}

// The permutation P of the row exchanges in `pivots`.
template <class T>
void fill_permutation(const Tensor& pivots, const Tensor& p) {
  const int64_t rows = p.size(-1);
  const int64_t count = pivots.size(-1);
  std::vector<int64_t> order(static_cast<size_t>(rows));
  std::fill_n(p.data_ptr<T>(), p.numel(), T(0));
  for (int64_t i = 0; i < matrix_count(p); i++) {
    std::iota(order.begin(), order.end(), 0);
    for (int64_t k = 0; k < count; k++) {
      const int64_t other = pivots.data_ptr<int32_t>()[i * count + k] - 1;
      TSC_CHECK(other >= 0 && other < rows,
                "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
                "Did you properly pass the result of lu_factor?");
      std::swap(order[static_cast<size_t>(k)], order[static_cast<size_t>(other)]);
    }
    T* const matrix = p.data_ptr<T>() + i * rows * rows;
    for (int64_t k = 0; k < rows; k++) {
      matrix[order[static_cast<size_t>(k)] * rows + k] = T(1);
    }
  }
}

// Separates L, with ones on its diagonal, and U, both by rows, from the factors.
template <class T>
void fill_triangles(const Tensor& factors, const Tensor& l, const Tensor& u) {
  const Tensor stored = as_columns(factors);
  const Matrices<T> lu(stored);
  const int64_t least = std::min(lu.rows, lu.columns);
  T* lower = l.data_ptr<T>();
  T* upper = u.data_ptr<T>();
  for (int64_t i = 0; i < matrix_count(factors); i++) {
    const T* const matrix = lu[i];
    const auto at = [&](int64_t row, int64_t column) { return matrix[column * lu.distance + row]; };
    for (int64_t row = 0; row < lu.rows; row++) {
      for (int64_t column = 0; column < least; column++) {
        *lower++ = column < row ? at(row, column) : T(column == row ? 1 : 0);
      }
    }
    for (int64_t row = 0; row < least; row++) {
      for (int64_t column = 0; column < lu.columns; column++) {
        *upper++ = column < row ? T(0) : at(row, column);
      }
    }
  }
}

std::tuple<Tensor, Tensor, Tensor> unpack(const Tensor& factors, const Tensor& pivots, bool data,
                                          bool permutation) {
  const int64_t rows = factors.size(-2);
  const int64_t columns = factors.size(-1);
  const int64_t least = std::min(rows, columns);
  const auto make = [&](bool wanted, int64_t m, int64_t n) {
    return empty_tensor(wanted ? matrix_sizes(batch_of(factors), m, n) : DimVector({0}),
                        factors.dtype(), factors.device());
  };
  Tensor p = make(permutation, rows, rows);
  Tensor l = make(data, rows, least);
  Tensor u = make(data, least, columns);
  if (factors.is_cpu()) {
    dispatch_lapack_types(factors.dtype(), "lu_unpack", [&]<class T>() {
      if (permutation) {
        fill_permutation<T>(pivots, p);
      }
      if (data) {
        fill_triangles<T>(factors, l, u);
      }
    });
  }
  return {p, l, u};
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
  const Tensor signs =
      empty_tensor(pivots.sizes().slice(0, pivots.sizes().size() - 1), dtype, pivots.device());
  if (pivots.is_cpu()) {
    const int64_t count = pivots.size(-1);
    dispatch_lapack_types(dtype, "lu_cpu", [&]<class T>() {
      for (int64_t i = 0; i < signs.numel(); i++) {
        const bool odd = is_odd(pivots.data_ptr<int32_t>() + i * count, count);
        signs.data_ptr<T>()[i] = T(odd ? -1 : 1);
      }
    });
  }
  return signs;
}

// For each matrix, the product of U's diagonal and the sign of P.
Tensor determinants_of(const Lu& lu) {
  const Tensor result = empty_tensor(batch_of(lu.factors), lu.factors.dtype(), lu.factors.device());
  if (lu.factors.is_cpu()) {
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
  return result;
}

Lu factorise_for_determinant(const Tensor& a) {
  return factorise(factorises_transposed(a) ? transpose(a, -2, -1) : a);
}

void check_pivots(const Tensor& lu, const Tensor& pivots) {
  TSC_CHECK(pivots.dtype() == ScalarType::Int,
            "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32");
  TSC_CHECK(lu.size(-1) == pivots.size(-1),
            "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the "
            "matrix");
  if (pivots.is_cpu()) {
    const Tensor listed = contiguous(pivots);
    const auto* const rows = listed.data_ptr<int32_t>();
    TSC_CHECK(std::all_of(rows, rows + listed.numel(),
                          [&](int32_t row) { return row >= 1 && row <= lu.size(-2); }),
              "linalg.lu_solve: pivots must be between 1 and the number of rows");
  }
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(const Tensor& a, bool pivot,
                                                       bool check_errors) {
  check_lu_input(a, "torch.lu_factor");
  Lu lu = factorise(a, pivot);
  if (check_errors) {
    check_infos(lu.infos, Failure::lu, "torch.linalg.lu_factor_ex");
  }
  return {lu.factors, lu.pivots, lu.infos};
}

std::tuple<Tensor, Tensor, Tensor> _lu_with_info(const Tensor& self, bool pivot, bool) {
  return tsc::linalg_lu_factor_ex(self, pivot, false);
}

std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& a, bool pivot) {
  const auto [factors, pivots, infos] = tsc::linalg_lu_factor_ex(a, pivot, false);
  tsc::_linalg_check_errors(infos, "torch.linalg.lu_factor", infos.dim() == 0);
  return {factors, pivots};
}

std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& a, bool pivot) {
  check_lu_input(a, "linalg.lu");
  const Lu lu = factorise(a, pivot);
  return unpack(lu.factors, lu.pivots, true, true);
}

std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& lu_data, const Tensor& lu_pivots,
                                             bool unpack_data, bool unpack_pivots) {
  check_is_matrix(lu_data, "torch.lu_unpack", "LU_data");
  TSC_CHECK(!unpack_pivots || lu_pivots.dtype() == ScalarType::Int,
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 "
            "dtype.\nNote: this function is intended to be used with the output produced by "
            "torch.linalg.lu_factor");
  DimVector expected = batch_of(lu_data);
  expected.push_back(std::min(lu_data.size(-2), lu_data.size(-1)));
  TSC_CHECK_VALUE(!unpack_pivots || lu_pivots.sizes() == IntArrayRef(expected),
                  "Expected LU_pivots to have shape {} but got {} instead.", IntArrayRef(expected),
                  lu_pivots.sizes());
  return unpack(lu_data, unpack_pivots ? contiguous(lu_pivots) : lu_pivots, unpack_data,
                unpack_pivots);
}

Tensor linalg_lu_solve(const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left,
                       bool adjoint) {
  check_floating_or_complex(lu, "torch.linalg.lu_solve");
  check_same_dtype_of_system(lu, b, "linalg.lu_solve");
  check_pivots(lu, pivots);
  check_shapes_of_system(lu, b, left, "linalg.lu_solve");
  return solve_with(lu, pivots, b, left, adjoint);
}

Tensor lu_solve(const Tensor& self, const Tensor& lu_data, const Tensor& lu_pivots) {
  return tsc::linalg_lu_solve(lu_data, lu_pivots, self);
}

std::tuple<Tensor, Tensor, Tensor, Tensor> _linalg_solve_ex(const Tensor& a, const Tensor& b,
                                                            bool left, bool check_errors) {
  check_is_square(a, "linalg.solve");
  check_floating_or_complex(a, "linalg.solve");
  check_same_dtype_of_system(a, b, "linalg.solve");
  const bool is_vector = is_vector_of_system(a, b);
  TSC_CHECK(!is_vector || left,
            "linalg.solve: Vector broadcasting of the left hand side is not supported for "
            "left=False. In this case linalg.solve is equivalent to B / A.squeeze(-1)");
  const Tensor right = is_vector ? unsqueeze(b, -1) : b;
  check_shapes_of_system(a, right, left, "linalg.solve");
  Lu lu = factorise(a);
  if (check_errors) {
    check_infos(lu.infos, Failure::solve, "torch.linalg.solve_ex");
  }
  const Tensor solution = solve_with(lu.factors, lu.pivots, right, left, false);
  return {is_vector ? contiguous(squeeze(solution, -1)) : solution, lu.factors, lu.pivots,
          lu.infos};
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

std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& a, bool check_errors) {
  check_is_square(a, "linalg.inv");
  check_floating_or_complex(a, "linalg.inv", false);
  const Tensor result = empty_by_columns_like(a);
  const Lu lu = factorise(a);
  if (a.is_cpu() && result.numel() != 0) {
    invert(lu, result);
  }
  if (check_errors) {
    check_infos(lu.infos, Failure::inverse, "linalg.inv_ex");
  }
  return {result, lu.infos};
}

Tensor linalg_inv(const Tensor& a) {
  auto [result, infos] = tsc::linalg_inv_ex(a, false);
  tsc::_linalg_check_errors(infos, "linalg.inv", infos.dim() == 0);
  return result;
}
Tensor inverse(const Tensor& self) { return tsc::linalg_inv(self); }

std::tuple<Tensor, Tensor, Tensor> _linalg_det(const Tensor& a) {
  check_is_square(a, "linalg.det");
  check_floating_or_complex(a, "linalg.det");
  const Lu lu = factorise_for_determinant(a);
  return {determinants_of(lu), lu.factors, lu.pivots};
}
Tensor linalg_det(const Tensor& a) { return std::get<0>(tsc::_linalg_det(a)); }
Tensor det(const Tensor& self) { return tsc::linalg_det(self); }

std::tuple<Tensor, Tensor, Tensor, Tensor> _linalg_slogdet(const Tensor& a) {
  check_is_square(a, "linalg.slogdet");
  check_floating_or_complex(a, "linalg.slogdet", false);
  const Lu lu = factorise_for_determinant(a);
  const Tensor diagonal = tsc::diagonal(lu.factors, 0, -2, -1);
  return {mul(prod(sgn(diagonal), -1), signs_of(lu.pivots, a.dtype())),
          sum(log(abs(diagonal)), IntArrayRef(-1)), lu.factors, lu.pivots};
}
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

}  // namespace tsc::native
