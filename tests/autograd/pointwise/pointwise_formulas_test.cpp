#include "autograd/formula_cases.h"
#include "core/tensor_factory.h"
#include "gen/ops/binary.h"
#include "gen/ops/compare.h"
#include "gen/ops/math.h"
#include "gen/ops/math_bits.h"
#include "gen/ops/unary.h"

using namespace tsc;
using testing::check_formulas;
using testing::leaf;

namespace {

constexpr ScalarType kComplex = ScalarType::ComplexDouble;

Tensor complex_leaf(IntArrayRef sizes, double low = -2, double high = 2) {
  return leaf(sizes, low, high, kComplex);
}

}  // namespace

TEST_CASE("formulas: arithmetic") {
  const std::vector<Tensor> two = {leaf({2, 3}), leaf({3}, 0.5, 2)};
  check_formulas({
      {"add", two, TSC_OF(add(x[0], x[1], 2))},
      {"add.Scalar", two, TSC_OF(add(x[0], 1), mul(x[1], x[1]))},
      {"sub", two, TSC_OF(sub(x[0], x[1], 3))},
      {"rsub", two, TSC_OF(rsub(x[0], x[1], 3))},
      {"mul", two, TSC_OF(mul(x[0], x[1]))},
      {"mul.Scalar", two, TSC_OF(mul(x[0], -1.5), x[1])},
      {"div", two, TSC_OF(div(x[0], x[1]))},
      {"div.Scalar", two, TSC_OF(div(x[0], 3), x[1])},
      {"fmod", two, TSC_OF(fmod(x[0], x[1]))},
      {"remainder", two, TSC_OF(remainder(x[0], x[1]))},
      {"atan2", two, TSC_OF(atan2(x[0], x[1]))},
      {"hypot", two, TSC_OF(hypot(x[0], x[1]))},
      {"copysign", two, TSC_OF(copysign(x[0], neg(x[1])))},
      {"maximum", two, TSC_OF(maximum(x[0], x[1]))},
      {"minimum", two, TSC_OF(minimum(x[0], x[1]))},
      {"fmax", two, TSC_OF(fmax(x[0], x[1]))},
      {"fmin", two, TSC_OF(fmin(x[0], x[1]))},
      {"lerp.Scalar", two, TSC_OF(lerp(x[0], x[1], 0.3))},
      {"lerp.Tensor", {leaf({3}), leaf({2, 3}), leaf({3})}, TSC_OF(lerp(x[0], x[1], x[2]))},
      {"addcmul", {leaf({3}), leaf({2, 3}), leaf({3})}, TSC_OF(addcmul(x[0], x[1], x[2], 0.5))},
      {"addcdiv",
       {leaf({3}), leaf({2, 3}), leaf({3}, 1, 2)},
       TSC_OF(addcdiv(x[0], x[1], x[2], 0.5))},
      {"where", two, TSC_OF(where(gt(x[0], 0), x[0], x[1]))},
      {"clamp", two, TSC_OF(clamp(x[0], -1, 1), x[1])},
      {"clamp.Tensor",
       {leaf({4}), leaf({4}, -1, 0), leaf({4}, 0, 1)},
       TSC_OF(clamp(x[0], x[1], x[2]))},
      {"clamp_min", two, TSC_OF(clamp_min(x[0], 0.1), x[1])},
      {"clamp_max", two, TSC_OF(clamp_max(x[0], 0.1), x[1])},
      {"clamp_min.Tensor", two, TSC_OF(clamp_min(x[0], sub(x[1], 1)))},
      {"clamp_max.Tensor", two, TSC_OF(clamp_max(x[0], sub(x[1], 1)))},
  });
}

TEST_CASE("formulas: powers") {
  check_formulas({
      {"pow.Tensor_Scalar", {leaf({5})}, TSC_OF(pow(x[0], 3), pow(x[0], 2))},
      {"pow.Tensor_Scalar, fraction", {leaf({5}, 0.5, 2)}, TSC_OF(pow(x[0], 2.5), pow(x[0], -1))},
      {"pow.Tensor_Tensor", {leaf({5}, 0.5, 2), leaf({2, 5})}, TSC_OF(pow(x[0], x[1]))},
      {"pow.Scalar", {leaf({5})}, TSC_OF(pow(Scalar(2.5), x[0]))},
      {"sqrt", {leaf({5}, 0.5, 2)}, TSC_OF(sqrt(x[0]))},
      {"rsqrt", {leaf({5}, 0.5, 2)}, TSC_OF(rsqrt(x[0]))},
      {"square", {leaf({5})}, TSC_OF(square(x[0]))},
      {"reciprocal", {leaf({5}, 0.5, 2)}, TSC_OF(reciprocal(x[0]))},
  });
}

TEST_CASE("formulas: elementary functions") {
  check_formulas({
      {"exp", {leaf({5})}, TSC_OF(exp(x[0]))},
      {"exp2", {leaf({5})}, TSC_OF(exp2(x[0]))},
      {"expm1", {leaf({5})}, TSC_OF(expm1(x[0]))},
      {"log", {leaf({5}, 0.5, 2)}, TSC_OF(log(x[0]))},
      {"log2", {leaf({5}, 0.5, 2)}, TSC_OF(log2(x[0]))},
      {"log10", {leaf({5}, 0.5, 2)}, TSC_OF(log10(x[0]))},
      {"log1p", {leaf({5}, -0.5, 2)}, TSC_OF(log1p(x[0]))},
      {"sin", {leaf({5})}, TSC_OF(sin(x[0]))},
      {"cos", {leaf({5})}, TSC_OF(cos(x[0]))},
      {"tan", {leaf({5}, -1, 1)}, TSC_OF(tan(x[0]))},
      {"asin", {leaf({5}, -0.9, 0.9)}, TSC_OF(asin(x[0]))},
      {"acos", {leaf({5}, -0.9, 0.9)}, TSC_OF(acos(x[0]))},
      {"atan", {leaf({5})}, TSC_OF(atan(x[0]))},
      {"sinh", {leaf({5})}, TSC_OF(sinh(x[0]))},
      {"cosh", {leaf({5})}, TSC_OF(cosh(x[0]))},
      {"tanh", {leaf({5})}, TSC_OF(tanh(x[0]))},
      {"asinh", {leaf({5})}, TSC_OF(asinh(x[0]))},
      {"acosh", {leaf({5}, 1.5, 3)}, TSC_OF(acosh(x[0]))},
      {"atanh", {leaf({5}, -0.9, 0.9)}, TSC_OF(atanh(x[0]))},
      {"sigmoid", {leaf({5})}, TSC_OF(sigmoid(x[0]))},
      {"erf", {leaf({5})}, TSC_OF(erf(x[0]))},
      {"erfc", {leaf({5})}, TSC_OF(erfc(x[0]))},
  });
}

TEST_CASE("formulas: signs and roundings") {
  check_formulas({
      {"neg", {leaf({5})}, TSC_OF(mul(neg(x[0]), x[0]))},
      {"abs", {leaf({5})}, TSC_OF(abs(x[0]))},
      {"sgn", {leaf({5})}, TSC_OF(mul(sgn(x[0]), x[0]))},
      {"sign", {leaf({5})}, TSC_OF(mul(sign(x[0]), x[0]))},
      {"floor", {leaf({5})}, TSC_OF(mul(floor(x[0]), x[0]))},
      {"ceil", {leaf({5})}, TSC_OF(mul(ceil(x[0]), x[0]))},
      {"round", {leaf({5})}, TSC_OF(mul(round(x[0]), x[0]))},
      {"trunc", {leaf({5})}, TSC_OF(mul(trunc(x[0]), x[0]))},
      {"frac", {leaf({5})}, TSC_OF(mul(frac(x[0]), x[0]))},
      {"nan_to_num", {leaf({5})}, TSC_OF(mul(nan_to_num(x[0]), x[0]))},
      {"deg2rad", {leaf({5})}, TSC_OF(mul(deg2rad(x[0]), x[0]))},
      {"rad2deg", {leaf({5})}, TSC_OF(mul(rad2deg(x[0]), x[0]))},
      {"logit", {leaf({5}, 0.1, 0.9)}, TSC_OF(logit(x[0]), logit(x[0], 0.3))},
  });
}

TEST_CASE("formulas: of complex numbers") {
  const std::vector<Tensor> mixed = {complex_leaf({3}), leaf({2, 3}, 0.5, 2)};
  check_formulas({
      {"add", mixed, TSC_OF(add(x[0], x[1], Scalar(std::complex<double>(1, 2))))},
      {"sub", mixed, TSC_OF(sub(x[1], x[0]))},
      {"mul", mixed, TSC_OF(mul(x[0], x[1]))},
      {"div", mixed, TSC_OF(div(x[0], x[1]), div(x[1], x[0]))},
      {"mul, both", {complex_leaf({3}), complex_leaf({3})}, TSC_OF(mul(x[0], x[1]))},
      {"pow", {complex_leaf({3}, 0.5, 2)}, TSC_OF(pow(x[0], 3), pow(x[0], 0.5))},
      {"pow, both",
       {complex_leaf({3}, 0.5, 2), complex_leaf({3}, 0.5, 2)},
       TSC_OF(pow(x[0], x[1]))},
      {"exp", {complex_leaf({3})}, TSC_OF(exp(x[0]))},
      {"log", {complex_leaf({3}, 0.5, 2)}, TSC_OF(log(x[0]))},
      {"sqrt", {complex_leaf({3}, 0.5, 2)}, TSC_OF(sqrt(x[0]))},
      {"sin", {complex_leaf({3})}, TSC_OF(sin(x[0]))},
      {"tanh", {complex_leaf({3}, -0.5, 0.5)}, TSC_OF(tanh(x[0]))},
      {"sigmoid", {complex_leaf({3})}, TSC_OF(sigmoid(x[0]))},
      {"reciprocal", {complex_leaf({3}, 0.5, 2)}, TSC_OF(reciprocal(x[0]))},
      {"abs", {complex_leaf({3}, 0.5, 2)}, TSC_OF(abs(x[0]))},
      {"sgn", {complex_leaf({3}, 0.5, 2)}, TSC_OF(sgn(x[0]))},
      {"angle", {complex_leaf({3}, 0.5, 2)}, TSC_OF(angle(x[0]))},
      {"conj", {complex_leaf({3})}, TSC_OF(mul(conj(x[0]), x[0]))},
  });
}

TEST_CASE("formulas: in place") {
  const std::vector<Tensor> two = {leaf({2, 3}, 0.5, 2), leaf({3}, 0.5, 2)};
  check_formulas({
      {"add_", two, TSC_OF(add_(mul(x[0], 1), x[1], 2))},
      {"sub_", two, TSC_OF(sub_(mul(x[0], 1), x[1], 2))},
      {"mul_", two, TSC_OF(mul_(mul(x[0], 1), x[1]))},
      {"div_", two, TSC_OF(div_(mul(x[0], 1), x[1]))},
      {"pow_.Scalar", two, TSC_OF(pow_(mul(x[0], 1), 3), x[1])},
      {"pow_.Tensor", two, TSC_OF(pow_(mul(x[0], 1), x[1]))},
      {"exp_", two, TSC_OF(exp_(mul(x[0], x[1])))},
      {"log_", two, TSC_OF(log_(mul(x[0], x[1])))},
      {"sin_", two, TSC_OF(sin_(mul(x[0], x[1])))},
      {"tanh_", two, TSC_OF(tanh_(mul(x[0], x[1])))},
      {"sigmoid_", two, TSC_OF(sigmoid_(mul(x[0], x[1])))},
      {"sqrt_", two, TSC_OF(sqrt_(mul(x[0], x[1])))},
      {"neg_", two, TSC_OF(neg_(mul(x[0], x[1])))},
      {"abs_", two, TSC_OF(abs_(neg(mul(x[0], x[1]))))},
      {"clamp_", two, TSC_OF(clamp_(mul(x[0], x[1]), 1, 2))},
      {"addcmul_", two, TSC_OF(addcmul_(mul(x[0], 1), x[0], x[1]))},
      {"lerp_", two, TSC_OF(lerp_(mul(x[0], 1), x[1], 0.25))},
  });
}
