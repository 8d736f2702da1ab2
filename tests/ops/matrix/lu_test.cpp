// Factorisations P L U and what is solved with them, put together again by plain loops.
#include "ops/cpu/matrix/lu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/system/parallel.h"

using namespace tsc;
using namespace tsc::cpu;

namespace {

// By columns, with something between them that nobody may touch.
template <class T>
struct TestMatrix {
  TestMatrix(int64_t m, int64_t n, int64_t gap = 3)
      : rows(m), columns(n), distance(m + gap), values(static_cast<size_t>(distance * n), T(77)) {}

  T* data() { return values.data(); }
  T& operator()(int64_t row, int64_t column) {
    return values[static_cast<size_t>(column * distance + row)];
  }
  T operator()(int64_t row, int64_t column) const {
    return values[static_cast<size_t>(column * distance + row)];
  }
  bool gaps_untouched() const {
    for (int64_t column = 0; column < columns; column++) {
      for (int64_t row = rows; row < distance; row++) {
        if ((*this)(row, column) != T(77)) return false;
      }
    }
    return true;
  }

  int64_t rows;
  int64_t columns;
  int64_t distance;
  std::vector<T> values;
};

template <class T>
TestMatrix<T> random_matrix(int64_t rows, int64_t columns, unsigned seed, T on_diagonal = 0) {
  TestMatrix<T> matrix(rows, columns);
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> number(-1, 1);
  for (int64_t column = 0; column < columns; column++) {
    for (int64_t row = 0; row < rows; row++) {
      matrix(row, column) = number(random) + (row == column ? on_diagonal : 0);
    }
  }
  return matrix;
}

template <class T>
struct Factors {
  TestMatrix<T> lu;
  std::vector<int32_t> pivots;
  int32_t info;
};
template <class T>
Factors<T> factor(const TestMatrix<T>& a) {
  Factors<T> result{
      .lu = a,
      .pivots = std::vector<int32_t>(static_cast<size_t>(std::min(a.rows, a.columns))),
      .info = 0};
  result.info = factor_lu(a.rows, a.columns, result.lu.data(), a.distance, result.pivots.data());
  return result;
}

// The farthest that P L U is from a, in rounding errors of its longest sum.
template <class T>
double distance_to_product(const Factors<T>& factors, const TestMatrix<T>& a) {
  TestMatrix<T> exchanged = a;
  for (size_t k = 0; k < factors.pivots.size(); k++) {
    const int64_t other = factors.pivots[k] - 1;
    REQUIRE(other >= static_cast<int64_t>(k));
    REQUIRE(other < a.rows);
    for (int64_t column = 0; column < a.columns; column++) {
      std::swap(exchanged(static_cast<int64_t>(k), column), exchanged(other, column));
    }
  }
  double worst = 0;
  for (int64_t column = 0; column < a.columns; column++) {
    std::vector<double> sums(static_cast<size_t>(a.rows));
    for (int64_t k = 0; k <= std::min({column, a.rows - 1, a.columns - 1}); k++) {
      const double u = factors.lu(k, column);
      for (int64_t row = k; row < a.rows; row++) {
        sums[static_cast<size_t>(row)] += (row == k ? 1.0 : double(factors.lu(row, k))) * u;
      }
    }
    for (int64_t row = 0; row < a.rows; row++) {
      worst = std::max(worst, std::abs(sums[static_cast<size_t>(row)] - exchanged(row, column)));
    }
  }
  return worst / (std::numeric_limits<T>::epsilon() * static_cast<double>(factors.pivots.size()));
}

template <class T>
void check_factors(int64_t rows, int64_t columns) {
  CAPTURE(rows);
  CAPTURE(columns);
  CAPTURE(sizeof(T));
  const TestMatrix<T> a = random_matrix<T>(rows, columns, unsigned(rows * 1000 + columns));
  const Factors<T> factors = factor(a);
  CHECK(factors.info == 0);
  CHECK(distance_to_product(factors, a) < 4);
  CHECK(factors.lu.gaps_untouched());
  T largest = 0;
  for (int64_t k = 0; k < std::min(rows, columns); k++) {
    for (int64_t row = k + 1; row < rows; row++) {
      largest = std::max(largest, std::abs(factors.lu(row, k)));
    }
  }
  CHECK(largest <= 1);
}

// The farthest that what was solved is from the right-hand side.
template <class T>
double residual(const TestMatrix<T>& a, bool transposed, const TestMatrix<T>& x,
                const TestMatrix<T>& b) {
  double worst = 0;
  for (int64_t column = 0; column < b.columns; column++) {
    for (int64_t row = 0; row < b.rows; row++) {
      double sum = -double(b(row, column));
      for (int64_t k = 0; k < a.rows; k++) {
        sum += double(transposed ? a(k, row) : a(row, k)) * x(k, column);
      }
      worst = std::max(worst, std::abs(sum));
    }
  }
  return worst / std::numeric_limits<T>::epsilon();
}

template <class T>
void check_solutions(int64_t size) {
  CAPTURE(size);
  CAPTURE(sizeof(T));
  const TestMatrix<T> a = random_matrix<T>(size, size, unsigned(size), T(size));
  const Factors<T> factors = factor(a);
  for (const int64_t columns : {1, 7, 8, 19}) {
    const TestMatrix<T> b = random_matrix<T>(size, columns, 5);
    for (const bool transposed : {false, true}) {
      TestMatrix<T> x = b;
      solve_lu(transposed, size, columns, factors.lu.values.data(), factors.lu.distance,
               factors.pivots.data(), x.data(), x.distance);
      CHECK(residual(a, transposed, x, b) < 20);
      CHECK(x.gaps_untouched());
    }
  }
  TestMatrix<T> inverse(size, size, 0);
  invert_lu(size, factors.lu.values.data(), factors.lu.distance, factors.pivots.data(),
            inverse.data());
  TestMatrix<T> identity(size, size, 0);
  std::fill(identity.values.begin(), identity.values.end(), T(0));
  for (int64_t k = 0; k < size; k++) identity(k, k) = 1;
  CHECK(residual(a, false, inverse, identity) < 20);
}

std::vector<int64_t> all_sizes() {
  std::vector<int64_t> sizes = {63, 64, 65, 129, 200};
  for (int64_t size = 1; size <= 40; size++) sizes.push_back(size);
  return sizes;
}

}  // namespace

TEST_CASE("P L U is the matrix") {
  for (const int64_t size : all_sizes()) {
    for (const int64_t columns : {size, size / 2 + 1, size + 5, int64_t(70)}) {
      check_factors<float>(size, columns);
      check_factors<double>(size, columns);
    }
  }
  check_factors<float>(500, 500);
  check_factors<double>(500, 500);
  check_factors<float>(150, 400);
  check_factors<double>(400, 150);
}

TEST_CASE("what is solved with the factors") {
  for (const int64_t size : all_sizes()) {
    check_solutions<float>(size);
    check_solutions<double>(size);
  }
  check_solutions<float>(300);
}

TEST_CASE("the pivot is the first of the largest") {
  for (const int64_t rows : {3, 6, 7, 40, 150}) {
    TestMatrix<float> a(rows, 1);
    for (int64_t row = 0; row < rows; row++) a(row, 0) = row % 2 == 0 ? 1.0f : -2.0f;
    CHECK(factor(a).pivots[0] == 2);
    a(rows - 1, 0) = std::numeric_limits<float>::infinity();
    CHECK(factor(a).pivots[0] == rows);
  }
}

TEST_CASE("the first zero pivot is told") {
  for (const int64_t size : {3, 6, 8, 20, 129, 200}) {
    for (const int64_t zero : {int64_t(0), size / 2, size - 1}) {
      TestMatrix<double> a = random_matrix<double>(size, size, 3);
      for (int64_t row = 0; row < size; row++) a(row, zero) = 0;
      const Factors<double> factors = factor(a);
      CHECK(factors.info == zero + 1);
      CHECK(distance_to_product(factors, a) < 4);
    }
  }
  TestMatrix<float> twice(2, 2);
  for (int64_t i = 0; i < 4; i++) twice(i / 2, i % 2) = 49;
  CHECK(factor(twice).info == 2);
}

TEST_CASE("numbers whose inverse is infinite are pivots") {
  for (const int64_t size : {4, 9}) {
    TestMatrix<float> a(size, size);
    for (int64_t i = 0; i < size * size; i++) a(i / size, i % size) = 0;
    for (int64_t row = 0; row < size; row++) a(row, 0) = 1e-39f;
    a(0, 0) = 2e-39f;
    CHECK(factor(a).lu(1, 0) == doctest::Approx(0.5));
  }
}

TEST_CASE("NaN passes through") {
  for (const int64_t size : {2, 5, 8, 30, 150}) {
    for (const int64_t row : {int64_t(0), size - 1}) {
      TestMatrix<float> a = random_matrix<float>(size, size, 9);
      a(row, 0) = std::numeric_limits<float>::quiet_NaN();
      const Factors<float> factors = factor(a);
      CHECK(factors.info == 0);
      CHECK(std::isnan(factors.lu(size - 1, size - 1)));
      if (row == 0) CHECK(factors.pivots[0] == 1);
      if (row != 0) CHECK(factors.pivots[0] != row + 1);
    }
  }
}

TEST_CASE("the number of threads does not matter") {
  const int threads = num_threads();
  const TestMatrix<float> a = random_matrix<float>(333, 400, 1);
  const TestMatrix<float> b = random_matrix<float>(300, 500, 2);
  const TestMatrix<float> c = random_matrix<float>(300, 300, 3);
  std::vector<std::vector<float>> results;
  for (const int count : {1, 3}) {
    set_num_threads(count);
    const Factors<float> factors = factor(c);
    TestMatrix<float> x = b;
    solve_lu(false, 300, 500, factors.lu.values.data(), factors.lu.distance, factors.pivots.data(),
             x.data(), x.distance);
    TestMatrix<float> inverse(300, 300, 0);
    invert_lu(300, factors.lu.values.data(), factors.lu.distance, factors.pivots.data(),
              inverse.data());
    results.push_back(factor(a).lu.values);
    results.push_back(x.values);
    results.push_back(inverse.values);
  }
  set_num_threads(threads);
  for (size_t i = 0; i < 3; i++) CHECK(results[i] == results[i + 3]);
}
