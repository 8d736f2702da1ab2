#include "autograd/formula_cases.h"
#include "core/tensor_factory.h"
#include "gen/ops/binary.h"
#include "gen/ops/copy.h"
#include "gen/ops/factory.h"
#include "gen/ops/math.h"
#include "gen/ops/shape.h"
#include "gen/ops/view.h"

using namespace tsc;
using testing::check_formulas;
using testing::leaf;

namespace {

std::vector<Tensor> squares(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> result;
  result.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    result.push_back(square(tensor));
  }
  return result;
}

}  // namespace

TEST_CASE("formulas: views") {
  const std::vector<Tensor> inputs = {leaf({2, 3, 4})};
  check_formulas({
      {"view", inputs, TSC_OF(square(view(x[0], {6, 4})))},
      {"reshape of a turned tensor", inputs,
       TSC_OF(square(reshape(transpose(x[0], 0, 1), {6, 4})))},
      {"alias", inputs, TSC_OF(square(alias(x[0])))},
      {"permute", inputs, TSC_OF(square(permute(x[0], {2, 0, 1})))},
      {"transpose", inputs, TSC_OF(square(transpose(x[0], 0, -1)))},
      {"t", {leaf({2, 3})}, TSC_OF(square(t(x[0])))},
      {"squeeze", {leaf({1, 3, 1})}, TSC_OF(square(squeeze(x[0])), square(squeeze(x[0], 0)))},
      {"squeeze.dims", {leaf({1, 3, 1})}, TSC_OF(square(squeeze(x[0], IntArrayRef({0, 1, 2}))))},
      {"unsqueeze", inputs, TSC_OF(square(unsqueeze(x[0], 1)))},
      {"expand", {leaf({3, 1})}, TSC_OF(mul(expand(x[0], {2, 3, 4}), square(x[0])))},
      {"select", inputs, TSC_OF(square(select(x[0], 1, -1)))},
      {"slice", inputs, TSC_OF(square(slice(x[0], 2, 1, 4, 2)), slice(x[0], 0, -1))},
      {"narrow", inputs, TSC_OF(square(narrow(x[0], 1, 1, 2)))},
      {"diagonal", inputs, TSC_OF(square(diagonal(x[0], 1, 1, 2)))},
      {"unfold", inputs, TSC_OF(square(unfold(x[0], 2, 2, 1)))},
      {"unbind", inputs, [](const auto& x) { return squares(unbind(x[0], 1)); }},
      {"unbind, one used", inputs, TSC_OF(square(unbind(x[0], 1)[1]))},
      {"split", inputs, [](const auto& x) { return squares(split(x[0], 3, 2)); }},
      {"split, one used", inputs, TSC_OF(square(split(x[0], 3, 2)[1]))},
      {"split_with_sizes", inputs,
       [](const auto& x) {
         return squares(split_with_sizes(x[0], {1, 3}, 2));
       }},
      {"chunk", inputs, [](const auto& x) { return squares(chunk(x[0], 2, 2)); }},
      {"flatten", inputs, TSC_OF(square(flatten(x[0], 1)))},
      {"real and imag",
       {leaf({3}, -2, 2, ScalarType::ComplexDouble)},
       TSC_OF(square(real(x[0])), square(imag(x[0])))},
      {"view_as_complex", {leaf({3, 2})}, TSC_OF(square(view_as_complex(x[0])))},
      {"complex", {leaf({3}), leaf({3})}, TSC_OF(square(complex(x[0], x[1])))},
  });
}

TEST_CASE("formulas: as_strided") {
  check_formulas({
      {"a part", {leaf({6})}, TSC_OF(square(as_strided(x[0], {2, 2}, {2, 1}, 1)))},
      {"that overlaps itself", {leaf({6})}, TSC_OF(square(as_strided(x[0], {3, 3}, {1, 1})))},
      {"repeated",
       {leaf({6})},
       TSC_OF(mul(as_strided(x[0], {2, 3}, {0, 1}), narrow(x[0], 0, 0, 3)))},
      {"of a turned tensor", {leaf({2, 3})}, TSC_OF(square(as_strided(t(x[0]), {2, 2}, {1, 3})))},
  });
}

TEST_CASE("formulas: tensors put together") {
  const std::vector<Tensor> two = {leaf({2, 3}), leaf({1, 3})};
  check_formulas({
      {"cat", two, TSC_OF(square(cat({x[0], x[1], x[0]}, 0)))},
      {"cat with an empty one", two,
       TSC_OF(square(cat({x[0], empty_tensor({0}, ScalarType::Double), x[1]}, 0)))},
      {"stack", {leaf({2, 3}), leaf({2, 3})}, TSC_OF(square(stack({x[0], x[1]}, -1)))},
      {"flip", two, TSC_OF(square(flip(x[0], {0, 1})), x[1])},
      {"roll", two, TSC_OF(mul(roll(x[0], {1, 2}, {0, 1}), x[1]), roll(x[0], {2}))},
      {"rot90", two, TSC_OF(square(rot90(x[0])), square(rot90(x[1], 2)))},
      {"select_backward", {leaf({3})}, TSC_OF(square(select_backward(x[0], {2, 3}, 0, 1)))},
      {"slice_backward", {leaf({2})}, TSC_OF(square(slice_backward(x[0], {5}, 0, 1, 5, 2)))},
      {"diagonal_backward", {leaf({3})}, TSC_OF(square(diagonal_backward(x[0], {3, 3}, 0, 0, 1)))},
      {"unfold_backward", {leaf({3, 2})}, TSC_OF(square(unfold_backward(x[0], {4}, 0, 2, 1)))},
      {"repeat", two, TSC_OF(square(repeat(x[0], {2, 1, 3})), x[1])},
      {"tril", two, TSC_OF(square(tril(x[0])), x[1])},
      {"triu", two, TSC_OF(square(triu(x[0], 1)), x[1])},
      {"diag_embed", two, TSC_OF(square(diag_embed(x[0])), x[1])},
  });
}

TEST_CASE("formulas: copies") {
  const std::vector<Tensor> two = {leaf({2, 3}), leaf({3})};
  check_formulas({
      {"clone", two, TSC_OF(square(clone(x[0])), x[1])},
      {"copy_", two, TSC_OF(square(copy_(mul(x[0], 1), x[1])))},
      {"fill_", {leaf({2, 3}), leaf({})}, TSC_OF(mul(fill_(mul(x[0], 1), x[1]), x[0]))},
      {"zero_", two, TSC_OF(add(zero_(mul(x[0], 1)), x[1]))},
      {"copy_ into a part", two,
       [](const std::vector<Tensor>& x) -> std::vector<Tensor> {
         const Tensor whole = mul(x[0], x[0]);
         copy_(select(whole, 0, 1), x[1]);
         return {mul(whole, x[0])};
       }},
      {"to another dtype and back", two,
       TSC_OF(square(to(to(x[0], ScalarType::ComplexDouble), ScalarType::ComplexDouble)), x[1])},
  });
}
