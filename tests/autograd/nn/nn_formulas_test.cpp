#include "autograd/formula_cases.h"
#include "core/tensor_factory.h"
#include "gen/calls/cross_entropy_loss.h"
#include "gen/calls/log_softmax.h"
#include "gen/calls/mse_loss.h"
#include "gen/calls/nll_loss.h"
#include "gen/calls/relu.h"
#include "gen/calls/softmax.h"
#include "gen/calls/square.h"

using namespace tsc;
using testing::check_formulas;
using testing::integers;
using testing::leaf;

TEST_CASE("formulas: losses and activations") {
  const std::vector<Tensor> inputs = {leaf({3, 4})};
  const std::vector<Tensor> two = {leaf({3, 4}), leaf({3, 4})};
  const Tensor classes = integers({1, 3, 0});
  check_formulas({
      {"softmax", inputs, TSC_OF(square(softmax(x[0], 1)), softmax(x[0], 0))},
      {"log_softmax", inputs, TSC_OF(square(log_softmax(x[0], -1)))},
      {"nll_loss", inputs,
       [=](const auto& x) -> std::vector<Tensor> {
         return {square(nll_loss(x[0], classes)), nll_loss(x[0], classes, {}, 2)};
       }},
      {"cross_entropy", inputs,
       [=](const auto& x) -> std::vector<Tensor> {
         return {cross_entropy_loss(x[0], classes), cross_entropy_loss(x[0], classes, {}, 0)};
       }},
      {"mse_loss", two, TSC_OF(mse_loss(x[0], x[1]), mse_loss(x[0], x[1], 0))},
      {"relu", inputs, TSC_OF(square(relu(x[0])))},
  });
}
