#include "autograd/formula_cases.h"
#include "core/tensor_factory.h"
#include "gen/ops/binary.h"
#include "gen/ops/math.h"
#include "gen/ops/reduce.h"
#include "gen/ops/scan.h"

using namespace tsc;
using testing::check_formulas;
using testing::leaf;

namespace {

constexpr ScalarType kComplex = ScalarType::ComplexDouble;

// A leaf with zeros at the given places.
Tensor leaf_with_zeros(IntArrayRef sizes, std::initializer_list<int64_t> places) {
  const Tensor tensor = leaf(sizes, 0.5, 2);
  for (const int64_t place : places) {
    tensor.data_ptr<double>()[place] = 0;
  }
  return tensor;
}

template <class... T>
std::vector<Tensor> list(const std::tuple<T...>& results) {
  return {std::get<0>(results), std::get<1>(results)};
}

}  // namespace

TEST_CASE("formulas: sums and means") {
  const std::vector<Tensor> inputs = {leaf({2, 3, 2})};
  check_formulas({
      {"sum", inputs, TSC_OF(square(sum(x[0])))},
      {"sum.dim", inputs,
       TSC_OF(square(sum(x[0], IntArrayRef({1}))), square(sum(x[0], IntArrayRef({0, -1}), true)))},
      {"sum of everything by an empty list", inputs, TSC_OF(square(sum(x[0], IntArrayRef())))},
      {"nansum", inputs, TSC_OF(square(nansum(x[0], IntArrayRef({1}))))},
      {"mean", inputs, TSC_OF(square(mean(x[0])))},
      {"mean.dim", inputs,
       TSC_OF(square(mean(x[0], IntArrayRef({1}))), square(mean(x[0], IntArrayRef({0, 2}), true)))},
      {"sum, complex",
       {leaf({2, 3}, -2, 2, kComplex)},
       TSC_OF(square(sum(x[0], IntArrayRef({1}))))},
  });
}

TEST_CASE("formulas: products") {
  check_formulas({
      {"prod", {leaf({2, 3}, 0.5, 2)}, TSC_OF(prod(x[0]))},
      {"prod, one zero", {leaf_with_zeros({2, 3}, {2})}, TSC_OF(prod(x[0]))},
      {"prod, two zeros", {leaf_with_zeros({2, 3}, {2, 4})}, TSC_OF(prod(x[0])), 1},
      {"prod.dim", {leaf({2, 3}, 0.5, 2)}, TSC_OF(prod(x[0], 1), prod(x[0], 0, true))},
      {"prod.dim, zeros", {leaf_with_zeros({2, 3}, {2, 4, 5})}, TSC_OF(prod(x[0], 1))},
      {"cumprod", {leaf({2, 3}, 0.5, 2)}, TSC_OF(cumprod(x[0], 1), cumprod(x[0], 0))},
      {"cumprod, zeros", {leaf_with_zeros({2, 4}, {1, 5, 7})}, TSC_OF(cumprod(x[0], 1))},
      {"cumsum", {leaf({2, 3})}, TSC_OF(square(cumsum(x[0], 1)))},
      {"logcumsumexp", {leaf({2, 3})}, TSC_OF(logcumsumexp(x[0], 1)), 1},
      {"cummax", {leaf({2, 4})}, [](const auto& x) { return list(cummax(square(x[0]), 1)); }},
      {"cummin", {leaf({2, 4})}, [](const auto& x) { return list(cummin(square(x[0]), 1)); }},
  });
}

TEST_CASE("formulas: variances") {
  const std::vector<Tensor> inputs = {leaf({3, 4})};
  const std::optional<Scalar> none;
  check_formulas({
      {"var", inputs,
       [=](const auto& x) -> std::vector<Tensor> {
         return {var(x[0], std::nullopt, none), var(x[0], IntArrayRef({1}), Scalar(0), true)};
       }},
      {"std", inputs,
       [=](const auto& x) -> std::vector<Tensor> {
         return {stddev(x[0], std::nullopt, none), stddev(x[0], IntArrayRef({0}), Scalar(1))};
       }},
      {"var_mean", inputs,
       [=](const auto& x) { return list(var_mean(x[0], IntArrayRef({1}), none)); }},
      {"std_mean", inputs,
       [=](const auto& x) { return list(std_mean(x[0], IntArrayRef({1}), none, true)); }},
  });
}

TEST_CASE("formulas: extremes") {
  const std::vector<Tensor> inputs = {leaf({3, 4})};
  check_formulas({
      {"max", inputs, TSC_OF(max(square(x[0])))},
      {"min", inputs, TSC_OF(min(square(x[0])))},
      {"max.dim", inputs, [](const auto& x) { return list(max(square(x[0]), 1)); }},
      {"min.dim", inputs, [](const auto& x) { return list(min(square(x[0]), 0, true)); }},
      {"amax", inputs, TSC_OF(amax(square(x[0]), {1}), amax(x[0]))},
      {"amin", inputs, TSC_OF(amin(square(x[0]), {0, 1}, true))},
      {"aminmax", inputs, [](const auto& x) { return list(aminmax(square(x[0]), 1)); }},
      {"logsumexp", inputs, TSC_OF(logsumexp(x[0], {1}), logsumexp(x[0], {0, 1}, true))},
      {"trace", inputs, TSC_OF(square(trace(x[0])))},
  });
}

TEST_CASE("formulas: norms") {
  const std::vector<Tensor> inputs = {leaf({3, 4}, 0.25, 2)};
  const auto norm_of = [](double order) -> testing::Differentiable {
    return [order](const std::vector<Tensor>& x) -> std::vector<Tensor> {
      return {linalg_vector_norm(x[0], order), linalg_vector_norm(x[0], order, IntArrayRef({1}))};
    };
  };
  check_formulas({
      {"norm 1", inputs, norm_of(1)},
      {"norm 2", inputs, norm_of(2)},
      {"norm 0.5", inputs, norm_of(0.5)},
      {"norm 1.5", inputs, norm_of(1.5)},
      {"norm 3", inputs, norm_of(3)},
      {"norm inf", inputs, norm_of(std::numeric_limits<double>::infinity())},
      {"norm.Scalar", inputs, TSC_OF(norm(x[0], 2))},
      {"dist", {leaf({3}), leaf({2, 3})}, TSC_OF(dist(x[0], x[1], 2))},
      {"norm 2, complex", {leaf({3}, 0.5, 2, kComplex)}, TSC_OF(linalg_vector_norm(x[0], 2))},
  });
}
