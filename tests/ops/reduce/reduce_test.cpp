// Reductions of all shapes and layouts against plain loops.
#include "ops/cpu/reduce/reduce.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "core/system/parallel.h"

using namespace tsc;
using namespace tsc::cpu;

namespace {

// A float64 input of the given sizes, whose dimensions lie in memory in the given order.
struct Input {
  std::vector<double> memory;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  // in elements

  Input(std::vector<int64_t> input_sizes, const std::vector<int>& order, int64_t step)
      : sizes(std::move(input_sizes)), strides(sizes.size()) {
    int64_t stride = step;
    for (const int dim : order) {
      strides[static_cast<size_t>(dim)] = stride;
      stride *= sizes[static_cast<size_t>(dim)];
    }
    std::mt19937 random(5);
    memory.resize(static_cast<size_t>(stride));
    for (double& value : memory) value = static_cast<double>(random() % 2001) / 1000 - 1;
  }
};

struct Result {
  std::vector<double> values;
  std::vector<int64_t> indices;
};

std::vector<ReduceDim> make_dims(const Input& input, unsigned mask, size_t element,
                                 std::array<int64_t, 2> out_sizes, int64_t* outputs) {
  std::vector<ReduceDim> dims(input.sizes.size());
  *outputs = 1;
  for (size_t i = input.sizes.size(); i-- > 0;) {
    const bool reduced = (mask >> i & 1) != 0;
    dims[i] = {input.sizes[i], input.strides[i] * static_cast<int64_t>(element), {0, 0}, reduced};
    if (!reduced) {
      dims[i].out_stride = {*outputs * out_sizes[0], *outputs * out_sizes[1]};
      *outputs *= input.sizes[i];
    }
  }
  return dims;
}

// Walks over outputs, and for each over its reduced elements in logical order.
template <class F>
void for_each_output(const Input& input, unsigned mask, F f) {
  const size_t rank = input.sizes.size();
  std::vector<int64_t> index(rank, 0);
  int64_t outputs = 1, inputs = 1;
  for (size_t i = 0; i < rank; i++) ((mask >> i & 1) != 0 ? inputs : outputs) *= input.sizes[i];
  for (int64_t o = 0; o < outputs; o++) {
    std::vector<double> sequence;
    for (int64_t r = 0; r < inputs; r++) {
      int64_t offset = 0, rest_o = o, rest_r = r;
      for (size_t i = rank; i-- > 0;) {
        int64_t& rest = (mask >> i & 1) != 0 ? rest_r : rest_o;
        offset += rest % input.sizes[i] * input.strides[i];
        rest /= input.sizes[i];
      }
      sequence.push_back(input.memory[static_cast<size_t>(offset)]);
    }
    f(o, sequence);
  }
}

Result run(Reduction op, const Input& input, unsigned mask, ReduceParameters parameters = {}) {
  int64_t outputs;
  const auto dims = make_dims(input, mask, sizeof(double), {8, 8}, &outputs);
  Result result;
  result.values.resize(static_cast<size_t>(outputs), -77);
  result.indices.resize(static_cast<size_t>(outputs), -77);
  ReduceCall call{.op = op,
                  .compute = reduce_compute_type(op, ScalarType::Double),
                  .in = reinterpret_cast<const char*>(input.memory.data()),
                  .in_type = ScalarType::Double,
                  .out = {},
                  .dims = dims,
                  .parameters = parameters};
  auto* const values = reinterpret_cast<char*>(result.values.data());
  auto* const indices = reinterpret_cast<char*>(result.indices.data());
  call.out = {op == Reduction::argmax || op == Reduction::argmin ? indices : values, indices};
  call.out_type = {
      op == Reduction::argmax || op == Reduction::argmin ? ScalarType::Long : ScalarType::Double,
      ScalarType::Long};
  reduce(call);
  return result;
}

}  // namespace

TEST_CASE("reductions agree with plain loops in every layout") {
  const std::vector<std::pair<std::vector<int64_t>, std::vector<int>>> shapes = {
      {{7}, {0}},
      {{100003}, {0}},
      {{3, 5}, {1, 0}},
      {{5, 3}, {0, 1}},
      {{300, 2}, {1, 0}},
      {{2, 300}, {0, 1}},
      {{70, 501}, {1, 0}},
      {{70, 501}, {0, 1}},
      {{4, 3, 5}, {2, 1, 0}},
      {{4, 3, 5}, {0, 2, 1}},
      {{17, 9, 129}, {1, 0, 2}},
      {{9, 1, 33}, {2, 1, 0}},
      {{2, 60000}, {1, 0}},
      {{60000, 3}, {1, 0}}};
  for (const auto& [sizes, order] : shapes) {
    for (const int64_t step : {1, 2}) {
      const Input input(sizes, order, step);
      for (unsigned mask = 1; mask < 1u << sizes.size(); mask++) {
        const Result sum = run(Reduction::sum, input, mask);
        const Result mean = run(Reduction::mean, input, mask);
        const Result max = run(Reduction::max_index, input, mask);
        const Result min = run(Reduction::min, input, mask);
        const Result argmin = run(Reduction::argmin, input, mask);
        const Result prod = run(Reduction::prod, input, mask);
        const Result norm = run(Reduction::norm, input, mask);
        const Result var = run(Reduction::variance, input, mask);
        int wrong = 0;
        for_each_output(input, mask, [&](int64_t o, const std::vector<double>& sequence) {
          const auto output = static_cast<size_t>(o);
          const auto n = static_cast<double>(sequence.size());
          long double total = 0, squares = 0, product = 1;
          for (const double x : sequence) {
            total += x;
            squares += static_cast<long double>(x) * x;
            product *= x;
          }
          const auto largest = std::max_element(sequence.begin(), sequence.end());
          const auto smallest = std::min_element(sequence.begin(), sequence.end());
          const double average = static_cast<double>(total / n);
          long double distances = 0;
          for (const double x : sequence) distances += (x - average) * (x - average);
          const auto close = [](double a, long double b) {
            return std::abs(a - static_cast<double>(b)) <= 1e-12 * (1 + std::abs(a));
          };
          wrong += !close(sum.values[output], total);
          wrong += !close(mean.values[output], total / n);
          wrong += max.values[output] != *largest;
          wrong += max.indices[output] != largest - sequence.begin();
          wrong += min.values[output] != *smallest;
          wrong += argmin.indices[output] != smallest - sequence.begin();
          wrong += !close(prod.values[output], product);
          wrong += !close(norm.values[output], std::sqrt(squares));
          if (sequence.size() > 1) wrong += !close(var.values[output], distances / (n - 1));
        });
        // A name of a structured binding cannot go into the lambda that CHECK_MESSAGE makes.
        const std::string label =
            fmt::format("[{}], mask {}, step {}", fmt::join(sizes, ", "), mask, step);
        CHECK_MESSAGE(wrong == 0, label);
      }
    }
  }
}

TEST_CASE("reductions do not depend on the number of threads") {
  const Input input({33, 70001}, {1, 0}, 1);
  const int threads = num_threads();
  for (const unsigned mask : {1u, 2u, 3u}) {
    set_num_threads(1);
    const Result alone = run(Reduction::sum, input, mask);
    set_num_threads(3);
    const Result together = run(Reduction::sum, input, mask);
    CHECK(alone.values == together.values);
  }
  set_num_threads(threads);
}

TEST_CASE("float sums are as good as double ones, NaN and infinity go through") {
  const int64_t n = 1 << 20;
  std::vector<float> values(static_cast<size_t>(n));
  std::mt19937 random(3);
  double exact = 0;
  for (float& value : values) {
    value = static_cast<float>(random() % 1000) / 1000.0f;
    exact += static_cast<double>(value);
  }
  float sum = 0;
  const ReduceDim dim{n, 4, {0, 0}, true};
  ReduceCall call{.op = Reduction::sum,
                  .compute = ScalarType::Float,
                  .in = reinterpret_cast<const char*>(values.data()),
                  .in_type = ScalarType::Float,
                  .out = {reinterpret_cast<char*>(&sum), nullptr},
                  .out_type = {ScalarType::Float, ScalarType::Undefined},
                  .dims = {&dim, 1},
                  .parameters = {}};
  reduce(call);
  CHECK(static_cast<double>(sum) == doctest::Approx(exact).epsilon(1e-7));
  values[777] = INFINITY;
  reduce(call);
  CHECK(sum == INFINITY);
  values[778] = NAN;
  reduce(call);
  CHECK(std::isnan(sum));
  call.op = Reduction::max;
  reduce(call);
  CHECK(std::isnan(sum));
  call.op = Reduction::nansum;
  reduce(call);
  CHECK(sum == INFINITY);
}

TEST_CASE("empty sequences give the neutral element") {
  double value = 5;
  const ReduceDim dim{0, 8, {0, 0}, true};
  ReduceCall call{.op = Reduction::sum,
                  .compute = ScalarType::Double,
                  .in = nullptr,
                  .in_type = ScalarType::Float,
                  .out = {reinterpret_cast<char*>(&value), nullptr},
                  .out_type = {ScalarType::Double, ScalarType::Undefined},
                  .dims = {&dim, 1},
                  .parameters = {}};
  reduce(call);
  CHECK(value == 0);
  call.op = Reduction::prod;
  reduce(call);
  CHECK(value == 1);
  call.op = Reduction::mean;
  reduce(call);
  CHECK(std::isnan(value));
}

TEST_CASE("count_nonzero is a sum of bools; any and all") {
  std::vector<float> values = {0, 1.5f, -0.0f, NAN, 0.25f, 0};
  int64_t count = 0;
  const ReduceDim dim{6, 4, {0, 0}, true};
  ReduceCall call{.op = Reduction::sum,
                  .compute = ScalarType::Long,
                  .in = reinterpret_cast<const char*>(values.data()),
                  .in_type = ScalarType::Float,
                  .in_common = ScalarType::Bool,
                  .out = {reinterpret_cast<char*>(&count), nullptr},
                  .out_type = {ScalarType::Long, ScalarType::Undefined},
                  .dims = {&dim, 1},
                  .parameters = {}};
  reduce(call);
  CHECK(count == 3);
  bool truth = false;
  call.out[0] = reinterpret_cast<char*>(&truth);
  call.out_type[0] = ScalarType::Bool;
  call.in_common = ScalarType::Undefined;
  call.compute = ScalarType::Bool;
  call.op = Reduction::any;
  reduce(call);
  CHECK(truth);
  call.op = Reduction::all;
  reduce(call);
  CHECK(!truth);
}
