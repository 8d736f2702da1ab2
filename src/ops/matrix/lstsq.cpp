// Least squares.
#include "core/tensor_factory.h"
#include "gen/calls/abs.h"
#include "gen/calls/all.h"
#include "gen/calls/copy.h"
#include "gen/calls/eq.h"
#include "gen/calls/narrow.h"
#include "gen/calls/square.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/sum.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/zero.h"
#include "gen/ops/factorizations.h"
#include "gen/ops/factorizations_native.h"
#include "ops/matrix/matrix_batches.h"
#include "ops/structured/autogen.h"
#include "ops/structured/broadcast.h"

namespace tsc::native {
namespace {

namespace lapack = cpu::lapack;

// LAPACK's names of the drivers.
enum class Driver : uint8_t { gels, gelsy, gelsd, gelss };

Driver parse_driver(std::optional<std::string_view> name) {
  constexpr std::string_view kNames[] = {"gels", "gelsy", "gelsd", "gelss"};
  const auto* const found = std::find(std::begin(kNames), std::end(kNames), name.value_or("gelsy"));
  TSC_CHECK(found != std::end(kNames),
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)");
  return static_cast<Driver>(found - std::begin(kNames));
}

bool finds_rank(Driver driver) { return driver != Driver::gels; }
bool finds_singular_values(Driver driver) {
  return driver == Driver::gelsd || driver == Driver::gelss;
}

void check_input(const Tensor& a, const Tensor& b) {
  TSC_CHECK(a.dim() >= 2, "torch.linalg.lstsq: input must have at least 2 dimensions.");
  TSC_CHECK(b.dim() >= 1, "torch.linalg.lstsq: other must have at least 1 dimension.");
  const int64_t missing = a.dim() - b.dim();
  TSC_CHECK(missing == 0 || missing == 1,
            "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and "
            "(input.dim() - other.dim()) <= 1");
  TSC_CHECK(a.dtype() == b.dtype(),
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's "
            "dtype {} and other's dtype {}",
            a.dtype(), b.dtype());
  const int64_t rows_of_b = is_vector_of_system(a, b) ? -1 : -2;
  TSC_CHECK(a.size(-2) == b.size(rows_of_b),
            "torch.linalg.lstsq: input.size(-2) should match other.size({})", rows_of_b);
}

double default_rcond(const Tensor& a) {
  return epsilon_of(a.dtype()) * static_cast<double>(std::max(a.size(-2), a.size(-1)));
}

struct LeastSquares {
  Driver driver;
  double rcond;
  Tensor a;         // by columns; LAPACK writes over it
  Tensor solution;  // max(m, n) rows, of which the first m hold b
  Tensor rank;
  Tensor singular_values;
};

template <class T>
lapack::Int solve_one(const LeastSquares& task, int64_t i, std::vector<lapack::Int>& pivots,
                      lapack::Workspace<T>& space) {
  const Matrices<T> a(task.a);
  const Matrices<T> b(task.solution);
  if (task.driver == Driver::gels) {
    return lapack::gels(a.rows, a.columns, b.columns, a[i], a.distance, b[i], b.distance, space);
  }
  const auto rcond = static_cast<lapack::Real<T>>(task.rcond);
  lapack::Int rank = 0;
  lapack::Int info = 0;
  if (task.driver == Driver::gelsy) {
    pivots.assign(static_cast<size_t>(a.columns), 0);
    info = lapack::gelsy(a.rows, a.columns, b.columns, a[i], a.distance, b[i], b.distance,
                         pivots.data(), rcond, &rank, space);
  } else {
    auto* const values =
        task.singular_values.data_ptr<lapack::Real<T>>() + i * std::min(a.rows, a.columns);
    const auto solve = task.driver == Driver::gelsd ? &lapack::gelsd<T> : &lapack::gelss<T>;
    info = solve(a.rows, a.columns, b.columns, a[i], a.distance, b[i], b.distance, values, rcond,
                 &rank, space);
  }
  task.rank.data_ptr<int64_t>()[i] = rank;
  return info;
}

void solve_all(const LeastSquares& task) {
  FirstFailure failure;
  dispatch_lapack_types(task.a.dtype(), "linalg_lstsq_cpu", [&]<class T>() {
    const auto solve = [=, space = lapack::Workspace<T>(), pivots = std::vector<lapack::Int>()](
                           int64_t i) mutable { return solve_one(task, i, pivots, space); };
    failure = visit_matrices(task.a, lapack::kRotations, solve);
  });
  failure.check(Failure::lstsq, "torch.linalg.lstsq", task.a.dim() > 2);
}

// A matrix with b in its first rows; below the dispatcher.
Tensor with_room_for_solution(const Tensor& b, int64_t rows) {
  Tensor result =
      empty_by_columns(batch_of(b), std::max(rows, b.size(-2)), b.size(-1), b.dtype(), b.device());
  if (b.is_cpu()) {
    zero_(result);
    copy_(narrow(result, -2, 0, b.size(-2)), b);
  }
  return result;
}

// Below the solution LAPACK leaves numbers whose squares sum up to the residuals.
Tensor residuals_of(const LeastSquares& task, int64_t rows, int64_t columns) {
  const ScalarType dtype = to_real_value_type(task.a.dtype());
  const bool has_any = rows > columns && task.driver != Driver::gelsy &&
                       (!finds_singular_values(task.driver) || task.a.is_meta() ||
                        read_scalar(all(eq(task.rank, columns))).to_bool());
  if (!has_any) {
    return empty_tensor({0}, dtype, task.a.device());
  }
  const Tensor rest = narrow(task.solution, -2, columns, rows - columns);
  return sum(square(abs(rest)), IntArrayRef(-2));
}

using Solved = std::tuple<Tensor, Tensor, Tensor, Tensor>;

Solved solve(const Tensor& self, const Tensor& b, std::optional<double> rcond,
             std::optional<std::string_view> driver) {
  check_input(self, b);
  const bool is_vector = is_vector_of_system(self, b);
  const Tensor right = is_vector ? unsqueeze(b, -1) : b;
  const DimVector batch = broadcast_sizes(batch_of(self), batch_of(right));
  const int64_t rows = self.size(-2);
  const int64_t columns = self.size(-1);
  DimVector value_sizes = batch_of(self);
  value_sizes.push_back(std::min(rows, columns));
  LeastSquares task{
      .driver = parse_driver(driver),
      .rcond = rcond.value_or(default_rcond(self)),
      .a = copy_by_columns(expand_matrices(self, batch)),
      .solution = with_room_for_solution(expand_matrices(right, batch), columns),
      .rank = {},
      .singular_values = {},
  };
  task.rank = empty_tensor(finds_rank(task.driver) ? batch : DimVector({0}), ScalarType::Long,
                           self.device());
  task.singular_values =
      empty_tensor(finds_singular_values(task.driver) ? value_sizes : DimVector({0}),
                   to_real_value_type(self.dtype()), self.device());
  if (self.is_cpu()) {
    if (self.numel() != 0) {
      solve_all(task);
    } else {
      zero_(task.rank);
      zero_(task.solution);
    }
  }
  const Tensor solution = narrow(task.solution, -2, 0, columns);
  return {is_vector ? squeeze(solution, -1) : solution, residuals_of(task, rows, columns),
          task.rank, task.singular_values};
}

}  // namespace

std::tuple<const Tensor&, const Tensor&, const Tensor&, const Tensor&> linalg_lstsq_out(
    const Tensor& self, const Tensor& b, std::optional<double> rcond,
    std::optional<std::string_view> driver, const Tensor& solution, const Tensor& residuals,
    const Tensor& rank, const Tensor& singular_values) {
  const Solved solved = solve(self, b, rcond, driver);
  store_result(std::get<0>(solved), solution, OutStrides::Resized);
  store_result(std::get<1>(solved), residuals, OutStrides::Resized);
  store_result(std::get<2>(solved), rank, OutStrides::Resized);
  store_result(std::get<3>(solved), singular_values, OutStrides::Resized);
  return {solution, residuals, rank, singular_values};
}

Solved linalg_lstsq(const Tensor& self, const Tensor& b, std::optional<double> rcond,
                    std::optional<std::string_view> driver) {
  const auto nothing = [&](ScalarType dtype) { return empty_tensor({0}, dtype, self.device()); };
  const ScalarType real = to_real_value_type(self.dtype());
  Solved room{nothing(self.dtype()), nothing(real), nothing(ScalarType::Long), nothing(real)};
  ops::linalg_lstsq_out::call(self, b, rcond, driver, std::get<0>(room), std::get<1>(room),
                              std::get<2>(room), std::get<3>(room));
  return room;
}

}  // namespace tsc::native
