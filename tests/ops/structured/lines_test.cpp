// Scans, sorts, indexing and losses.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "ops/cpu/indexing/indexing.h"
#include "ops/cpu/nn/nll_loss.h"
#include "ops/cpu/reduce/scan.h"
#include "ops/cpu/reduce/sort.h"

using namespace tsc;
using namespace tsc::cpu;

namespace {

template <class T>
char* bytes(std::vector<T>& values) {
  return reinterpret_cast<char*>(values.data());
}

}  // namespace

TEST_CASE("running sums, products, extremes and log-sums") {
  const LineShape shape{2, 3, 2};
  const LineStrides strides{6, 2, 1};
  std::vector<float> x = {1, 2, 3, 4, 5, 6, -1, 0, 2, NAN, 7, 8}, y(12);
  scan(Scan::sum, shape, ScalarType::Float, bytes(y), nullptr, bytes(x), strides);
  CHECK(std::vector<float>(y.begin(), y.begin() + 7) == std::vector<float>{1, 2, 4, 6, 9, 12, -1});
  CHECK(y[10] == 8);
  CHECK(std::isnan(y[11]));
  scan(Scan::prod, shape, ScalarType::Float, bytes(y), nullptr, bytes(x), strides);
  CHECK(y[4] == 15);
  std::vector<int64_t> indices(12);
  scan(Scan::min, shape, ScalarType::Float, bytes(y), indices.data(), bytes(x), strides);
  CHECK(y[10] == -1);
  CHECK(indices[10] == 0);
  CHECK(std::isnan(y[11]));
  CHECK(indices[11] == 1);
  std::vector<int64_t> equal = {3, 3, 2}, values(3);
  scan(Scan::max, {1, 3, 1}, ScalarType::Long, bytes(values), indices.data(), bytes(equal),
       {3, 1, 1});
  CHECK(values == std::vector<int64_t>{3, 3, 3});
  CHECK(indices[2] == 1);
  std::vector<double> d = {0, 0, -INFINITY, INFINITY}, sums(4);
  scan(Scan::logsumexp, {1, 4, 1}, ScalarType::Double, bytes(sums), nullptr, bytes(d), {4, 1, 1});
  CHECK(sums[1] == doctest::Approx(std::log(2.0)));
  CHECK(sums[2] == doctest::Approx(std::log(2.0)));
  CHECK(sums[3] == INFINITY);
}

TEST_CASE("a scan reads lines of any strides, many rows side by side") {
  // 19 lines of 5 elements, which lie in columns that run backwards.
  constexpr int64_t kLines = 19;
  constexpr int64_t kSize = 5;
  std::vector<int64_t> x(kLines * kSize), y(kLines * kSize);
  for (size_t i = 0; i < x.size(); i++) {
    x[i] = static_cast<int64_t>(i * i);
  }
  const int64_t last = (kSize - 1) * kLines;
  scan(Scan::sum, {kLines, kSize, 1}, ScalarType::Long, bytes(y), nullptr,
       reinterpret_cast<const char*>(x.data() + last), {1, -kLines, 1});
  for (int64_t line = 0; line < kLines; line++) {
    int64_t sum = 0;
    for (int64_t p = 0; p < kSize; p++) {
      sum += x[static_cast<size_t>(last + line - p * kLines)];
      CHECK(y[static_cast<size_t>(line * kSize + p)] == sum);
    }
  }
}

TEST_CASE("sorting is stable, NaN is largest") {
  std::vector<float> x = {2, NAN, 1, 2, -1}, values(5);
  std::vector<int64_t> indices(5);
  sort({1, 5, 1}, ScalarType::Float, false, bytes(values), indices.data(), bytes(x));
  CHECK(indices == std::vector<int64_t>{4, 2, 0, 3, 1});
  sort({1, 5, 1}, ScalarType::Float, true, bytes(values), indices.data(), bytes(x));
  CHECK(indices == std::vector<int64_t>{1, 0, 3, 2, 4});
  topk({1, 5, 1}, ScalarType::Float, 2, false, true, bytes(values), indices.data(), bytes(x));
  CHECK(values[0] == -1);
  CHECK(values[1] == 1);

  std::vector<int32_t> columns = {3, 1, 2, 5, 1, 4}, sorted(6);
  indices.resize(6);
  sort({1, 3, 2}, ScalarType::Int, false, bytes(sorted), indices.data(), bytes(columns));
  CHECK(sorted == std::vector<int32_t>{1, 1, 2, 4, 3, 5});
  CHECK(indices == std::vector<int64_t>{2, 0, 1, 2, 0, 1});
}

TEST_CASE("indices read, write and add; those out of range are reported") {
  std::vector<float> tensor = {0, 1, 2, 3, 4, 5};  // 2 x 3, indexed along its columns
  std::vector<int64_t> columns = {0, 2, 2, 1};     // 2 x 2
  std::vector<float> values(4);
  BadIndex bad;
  char* data[] = {bytes(values), bytes(tensor), bytes(columns)};
  const int64_t strides[] = {4, 0, 8, 8, 12, 16};
  const IndexLoop get(IndexAction::get, ScalarType::Float, 3, 4, bad);
  get(data, strides, 2, 2);
  CHECK(values == std::vector<float>{0, 2, 5, 4});
  columns = {0, 0, 1, 2};
  IndexLoop(IndexAction::add, ScalarType::Float, 3, 4, bad)(data, strides, 2, 2);
  CHECK(tensor == std::vector<float>{2, 1, 2, 3, 9, 9});
  CHECK(!bad.found);
  columns = {0, 3, 1, -1};
  get(data, strides, 2, 2);
  CHECK(bad.found);
  CHECK(bad.index == 3);
}

TEST_CASE("the places of true elements") {
  const std::vector<char> truths = {0, 1, 1, 0, 0, 1};
  const TruePlaces places(truths.data(), 6);
  CHECK(places.count() == 3);
  std::vector<int64_t> coordinates(6);
  places.write_coordinates(std::array<int64_t, 2>{2, 3}, coordinates.data());
  CHECK(coordinates == std::vector<int64_t>{0, 0, 1, 1, 2, 2});
  const std::vector<int16_t> from = {10, 11, 12, 13, 14, 15};
  std::vector<int16_t> chosen(3);
  places.select(from.data(), sizeof(int16_t), chosen.data());
  CHECK(chosen == std::vector<int16_t>{11, 12, 15});
}

TEST_CASE("negative log likelihood with weights and ignored targets") {
  std::vector<double> log = {-1, -2, -3, -4, -5, -6}, weight = {1, 2, 3}, loss(2), total(1);
  std::vector<int64_t> target = {1, 0};
  NllLoss call{{2, 3, 1}, ScalarType::Double, target.data(), bytes(weight),
               -100,      LossReduction::mean};
  BadIndex bad;
  nll_loss(call, bytes(loss), bytes(total), bytes(log), bad);
  CHECK(total[0] == 3);
  CHECK(loss[0] == doctest::Approx((2 * 2.0 + 4.0) / 3));
  std::vector<double> gradient(6, 9), one = {1};
  nll_loss_backward(call, bytes(gradient), bytes(one), bytes(total));
  CHECK(gradient[1] == doctest::Approx(-2.0 / 3));
  CHECK(gradient[3] == doctest::Approx(-1.0 / 3));
  CHECK(gradient[0] == 0);
  call.ignore_index = 1;
  call.reduction = LossReduction::none;
  nll_loss(call, bytes(loss), bytes(total), bytes(log), bad);
  CHECK(loss[0] == 0);
  CHECK(loss[1] == 4);
  CHECK(!bad.found);
  target[1] = 3;
  nll_loss(call, bytes(loss), bytes(total), bytes(log), bad);
  CHECK(bad.found);
}
