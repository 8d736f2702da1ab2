#include "autograd/autograd.h"
#include "autograd/formula_cases.h"
#include "autograd/variable.h"
#include "core/tensor_factory.h"
#include "gen/ops/binary.h"
#include "gen/ops/compare.h"
#include "gen/ops/copy.h"
#include "gen/ops/indexing.h"
#include "gen/ops/math.h"
#include "gen/ops/order.h"
#include "gen/ops/reduce.h"
#include "gen/ops/sort.h"
#include "gen/ops/view.h"

using namespace tsc;
using testing::check_formulas;
using testing::integers;
using testing::leaf;

namespace {

Tensor rows() { return integers({2, 0, 2}); }
Tensor places() { return view(integers({2, 0, 1, 0, 2, 2, 1, 1, 0, 1, 0, 2}), {3, 4}); }

std::vector<Tensor> values_of(const std::tuple<Tensor, Tensor>& results) {
  return {square(std::get<0>(results))};
}

}  // namespace

TEST_CASE("formulas: indexing") {
  const std::vector<Tensor> inputs = {leaf({3, 4}), leaf({3, 4})};
  check_formulas({
      {"index", inputs, TSC_OF(square(index(x[0], {rows()})), x[1])},
      {"index by two", inputs, TSC_OF(square(index(x[0], {rows(), integers({1, 1, 1})})), x[1])},
      {"index by a mask", inputs, TSC_OF(square(index(x[0], {gt(x[0], 0)})), x[1])},
      {"index in the second dimension", inputs,
       TSC_OF(square(index(x[0], {Tensor(), rows()})), x[1])},
      {"index_put", inputs, TSC_OF(square(index_put(x[0], {integers({2, 0, 1})}, x[1])))},
      {"index_put, accumulated", inputs, TSC_OF(square(index_put(x[0], {rows()}, x[1], true)))},
      {"index_put_", inputs, TSC_OF(square(index_put_(mul(x[0], 1), {integers({2, 0, 1})}, x[1])))},
      {"index_select", inputs, TSC_OF(square(index_select(x[0], 0, rows())), x[1])},
      {"gather", inputs, TSC_OF(square(gather(x[0], 0, places())), x[1])},
      {"scatter_add", inputs, TSC_OF(square(scatter_add(x[0], 0, places(), x[1])))},
      {"masked_fill", inputs, TSC_OF(square(masked_fill(x[0], gt(x[1], 0), 2)), x[1])},
      {"masked_fill.Tensor",
       {leaf({3, 4}), leaf({})},
       TSC_OF(square(masked_fill(x[0], gt(x[0], 0), x[1])))},
      {"masked_select", inputs, TSC_OF(square(masked_select(x[0], gt(x[0], 0))), x[1])},
      {"masked_select of a number",
       {leaf({}, 1, 2)},
       TSC_OF(square(masked_select(x[0], gt(x[0], 0))), masked_select(x[0], lt(x[0], 0)))},
      {"sort", inputs, [](const auto& x) { return values_of(sort(x[0], 1, true)); }, 1},
      {"topk", inputs, [](const auto& x) { return values_of(topk(x[0], 2)); }, 1},
  });
}

TEST_CASE("formulas: elements selected by their order") {
  const std::vector<Tensor> inputs = {leaf({3, 5})};
  check_formulas({
      {"kthvalue", inputs, [](const auto& x) { return values_of(kthvalue(x[0], 2, 0)); }},
      {"kthvalue, kept", inputs,
       [](const auto& x) { return values_of(kthvalue(x[0], 3, 1, true)); }},
      {"kthvalue of a number",
       {leaf({})},
       [](const auto& x) { return values_of(kthvalue(x[0], 1)); }},
      {"median", inputs, TSC_OF(square(median(x[0])))},
      {"median.dim", inputs, [](const auto& x) { return values_of(median(x[0], 1)); }},
      {"nanmedian", inputs, TSC_OF(square(nanmedian(x[0])))},
      {"nanmedian.dim", inputs, [](const auto& x) { return values_of(nanmedian(x[0], 0, true)); }},
      {"mode", inputs, [](const auto& x) { return values_of(mode(x[0], 1)); }},
      {"quantile", inputs, TSC_OF(square(quantile(x[0], 0.3, 1)))},
  });
}

TEST_CASE("formulas: elements that are equal to the median share its gradient") {
  const Tensor x = leaf({4});
  std::fill_n(x.data_ptr<double>(), 4, 3.0);
  autograd::backward({median(x)});
  CHECK(autograd::grad(x).data_ptr<double>()[0] == 0.25);
  CHECK(autograd::grad(x).data_ptr<double>()[3] == 0.25);
}

TEST_CASE("formulas: what is selected but cannot be differentiated says so") {
  const Tensor x = leaf({4});
  const auto [different, places, counts] = unique_consecutive(x);
  CHECK(autograd::grad_fn(different)->name() == "UniqueConsecutiveBackward0");
  CHECK_FALSE(histc(x).requires_grad());
  CHECK_THROWS_WITH_AS(autograd::backward({sum(different)}),
                       "the derivative for 'unique_consecutive' is not implemented.", Error);
}
