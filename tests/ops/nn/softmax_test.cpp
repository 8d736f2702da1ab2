// softmax, log_softmax and their gradients, over inner and outer dimensions.
#include "ops/cpu/nn/softmax.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/half.h"

using namespace tsc;
using namespace tsc::cpu;

namespace {

char* bytes(auto& values) { return reinterpret_cast<char*>(values.data()); }

}  // namespace

TEST_CASE("softmax of every shape") {
  const LineShape shapes[] = {{1, 1, 1},    {3, 5, 1}, {2, 7, 3},      {1, 1000, 40},
                              {2, 6000, 1}, {1, 1, 9}, {1, 400000, 1}, {5, 3, 17}};
  for (const LineShape& shape : shapes) {
    const auto count = static_cast<size_t>(shape.outer * shape.size * shape.inner);
    std::vector<float> x(count), g(count), y(count), log_y(count), dx(count), log_dx(count);
    std::mt19937 random(1);
    for (size_t i = 0; i < count; i++) {
      x[i] = static_cast<float>(random() % 2000) / 100 - 10;
      g[i] = static_cast<float>(random() % 2000) / 1000 - 1;
    }
    softmax(false, shape, bytes(y), ScalarType::Float, bytes(x), ScalarType::Float);
    softmax(true, shape, bytes(log_y), ScalarType::Float, bytes(x), ScalarType::Float);
    softmax_backward(false, shape, bytes(dx), ScalarType::Float, bytes(g), bytes(y),
                     ScalarType::Float);
    softmax_backward(true, shape, bytes(log_dx), ScalarType::Float, bytes(g), bytes(log_y),
                     ScalarType::Float);
    double worst = 0;
    for (int64_t o = 0; o < shape.outer; o++) {
      for (int64_t i = 0; i < shape.inner; i++) {
        const auto at = [&](int64_t p) {
          return static_cast<size_t>((o * shape.size + p) * shape.inner + i);
        };
        double sum = 0, weighted = 0, total = 0;
        for (int64_t p = 0; p < shape.size; p++) sum += std::exp(static_cast<double>(x[at(p)]));
        for (int64_t p = 0; p < shape.size; p++) {
          const double exact = std::exp(static_cast<double>(x[at(p)])) / sum;
          weighted += exact * static_cast<double>(g[at(p)]);
          total += static_cast<double>(g[at(p)]);
        }
        for (int64_t p = 0; p < shape.size; p++) {
          const double exact = std::exp(static_cast<double>(x[at(p)])) / sum;
          const auto gradient = static_cast<double>(g[at(p)]);
          const auto relative = [&](float actual, double expected, double scale) {
            worst = std::max(worst, std::abs(static_cast<double>(actual) - expected) / scale);
          };
          relative(y[at(p)], exact, exact);
          relative(log_y[at(p)], std::log(exact), 1 - std::log(exact));
          relative(dx[at(p)], (gradient - weighted) * exact, exact);
          relative(log_dx[at(p)], gradient - exact * total, 1 + std::abs(exact * total));
        }
      }
    }
    // exp(log_y) has the error of log_y, which is up to 20 here.
    CHECK(worst < 3e-6);
  }
}

TEST_CASE("softmax of infinities and of half precision") {
  std::vector<float> x = {-INFINITY, 0, -INFINITY, 0}, y(4);
  softmax(false, {1, 4, 1}, bytes(y), ScalarType::Float, bytes(x), ScalarType::Float);
  CHECK(y == std::vector<float>{0, 0.5f, 0, 0.5f});
  x = {INFINITY, 0, 1, 2};
  softmax(false, {1, 4, 1}, bytes(y), ScalarType::Float, bytes(x), ScalarType::Float);
  CHECK(std::isnan(y[0]));

  std::vector<Half> h = {Half(1.0f), Half(2.0f), Half(1.0f), Half(2.0f)}, result(4);
  softmax(false, {1, 2, 2}, bytes(result), ScalarType::Half, bytes(h), ScalarType::Half);
  for (const Half value : result) CHECK(static_cast<float>(value) == 0.5f);
  softmax(false, {2, 2, 1}, bytes(y), ScalarType::Float, bytes(h), ScalarType::Half);
  CHECK(y[0] == doctest::Approx(1 / (1 + std::exp(1.0))));
}
