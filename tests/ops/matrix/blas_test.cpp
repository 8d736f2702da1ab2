// Matrix products of all layouts, types and sizes against plain loops.
#include "ops/cpu/matrix/blas.h"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <vector>

#include "core/dispatch_types.h"

using namespace tsc;
using namespace tsc::cpu;

namespace {

template <class T>
T make_number(std::mt19937& random) {
  const auto number = static_cast<int>(random() % 9) - 4;
  if constexpr (requires(T value) { value.real(); }) {
    using R = decltype(T().real());
    return T(static_cast<R>(number), static_cast<R>(static_cast<int>(random() % 5) - 2));
  } else {
    return static_cast<T>(number);
  }
}

// Small whole numbers: every order of summation gives the same.
template <class T>
void check(int64_t m, int64_t n, int64_t k, int layout, int64_t beta) {
  std::mt19937 random(static_cast<unsigned>(layout));
  const auto make = [&](int64_t rows, int64_t columns, int how, std::vector<T>& memory) {
    memory.resize(static_cast<size_t>(rows * columns * 2 + 2));
    for (T& value : memory) value = make_number<T>(random);
    Matrix matrix{reinterpret_cast<char*>(memory.data()), columns, 1};
    if (how == 1) matrix = {matrix.data, 1, rows};
    if (how == 2) matrix = {matrix.data, 2 * columns, 2};
    return matrix;
  };
  std::vector<T> a_memory, b_memory, c_memory;
  const Matrix a = make(m, k, layout % 3, a_memory);
  const Matrix b = make(k, n, layout / 3 % 3, b_memory);
  const Matrix c = make(m, n, layout / 9 % 3, c_memory);
  const std::vector<T> before = c_memory;
  gemm(scalar_type_of<T>, m, n, k, 2, a, b, beta, c);
  const auto at = [](const Matrix& matrix, const std::vector<T>& memory, int64_t i, int64_t j) {
    return memory[static_cast<size_t>(i * matrix.row_stride + j * matrix.column_stride)];
  };
  int wrong = 0;
  for (int64_t i = 0; i < m; i++) {
    for (int64_t j = 0; j < n; j++) {
      T sum = T(0);
      for (int64_t p = 0; p < k; p++) {
        sum = static_cast<T>(sum + at(a, a_memory, i, p) * at(b, b_memory, p, j));
      }
      const T expected = static_cast<T>(
          static_cast<T>(2) * sum + static_cast<T>(static_cast<float>(beta)) * at(c, before, i, j));
      wrong += at(c, c_memory, i, j) != expected;
    }
  }
  CHECK_MESSAGE(wrong == 0, fmt::format("{} {}x{}x{} layout {} beta {}",
                                        to_string(scalar_type_of<T>), m, n, k, layout, beta));
}

}  // namespace

TEST_CASE("products of every layout") {
  const std::array<std::array<int64_t, 3>, 9> sizes = {{{1, 1, 1},
                                                        {1, 1, 70},
                                                        {5, 1, 7},
                                                        {1, 5, 7},
                                                        {3, 4, 5},
                                                        {19, 35, 3},
                                                        {9, 70, 33},
                                                        {4, 3, 1},
                                                        {2, 129, 2}}};
  for (const auto& [m, n, k] : sizes) {
    for (int layout = 0; layout < 27; layout++) {
      for (const int64_t beta : {0, 3}) {
        check<float>(m, n, k, layout, beta);
        check<double>(m, n, k, layout, beta);
        check<std::complex<float>>(m, n, k, layout, beta);
        check<std::complex<double>>(m, n, k, layout, beta);
        check<int64_t>(m, n, k, layout, beta);
        check<int32_t>(m, n, k, layout, beta);
        check<int16_t>(m, n, k, layout, beta);
        check<int8_t>(m, n, k, layout, beta);
        check<uint8_t>(m, n, k, layout, beta);
      }
    }
  }
}

TEST_CASE("large products go to the library, with every layout") {
  for (int layout = 0; layout < 27; layout++) {
    check<float>(130, 150, 140, layout, layout % 2);
    check<double>(130, 150, 140, layout, 1);
  }
  for (const int layout : {0, 4, 13, 26}) {
    check<std::complex<float>>(130, 110, 120, layout, 2);
    check<std::complex<double>>(130, 110, 120, layout, 0);
  }
  // Vectors of some length.
  check<float>(3000, 1, 500, 0, 1);
  check<float>(1, 3000, 500, 0, 1);
  check<double>(1, 1, 1 << 20, 0, 1);
}

TEST_CASE("half precision is multiplied as float and rounded once") {
  std::vector<Half> a(6, Half(0.1f)), b(6, Half(3.0f)), c(4);
  gemm(ScalarType::Half, 2, 2, 3, 1, {reinterpret_cast<char*>(a.data()), 3, 1},
       {reinterpret_cast<char*>(b.data()), 2, 1}, 0, {reinterpret_cast<char*>(c.data()), 2, 1});
  const float tenth = static_cast<float>(Half(0.1f));
  for (const Half value : c) CHECK(value.bits == Half(tenth * 3 + tenth * 3 + tenth * 3).bits);
}

TEST_CASE("what is in the result does not matter when beta is 0") {
  std::vector<float> a(4, 1), b(4, 1), c(4, NAN);
  gemm(ScalarType::Float, 2, 2, 2, 1, {reinterpret_cast<char*>(a.data()), 2, 1},
       {reinterpret_cast<char*>(b.data()), 2, 1}, 0, {reinterpret_cast<char*>(c.data()), 2, 1});
  for (const float value : c) CHECK(value == 2);
  gemm(ScalarType::Float, 2, 2, 0, 1, {nullptr, 0, 1}, {nullptr, 2, 1}, 0,
       {reinterpret_cast<char*>(c.data()), 2, 1});
  for (const float value : c) CHECK(value == 0);
}
