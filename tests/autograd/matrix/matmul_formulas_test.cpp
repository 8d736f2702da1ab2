#include "autograd/formula_cases.h"
#include "core/tensor_factory.h"
#include "gen/calls/addbmm.h"
#include "gen/calls/addmm.h"
#include "gen/calls/addmv.h"
#include "gen/calls/addr.h"
#include "gen/calls/baddbmm.h"
#include "gen/calls/bmm.h"
#include "gen/calls/dot.h"
#include "gen/calls/linear.h"
#include "gen/calls/matmul.h"
#include "gen/calls/mm.h"
#include "gen/calls/mv.h"
#include "gen/calls/outer.h"
#include "gen/calls/t.h"

using namespace tsc;
using testing::check_formulas;
using testing::leaf;

TEST_CASE("formulas: products of matrices") {
  constexpr ScalarType kComplex = ScalarType::ComplexDouble;
  const std::vector<Tensor> two = {leaf({2, 3}), leaf({3, 4})};
  const std::vector<Tensor> three = {leaf({4}), leaf({2, 3}), leaf({3, 4})};
  check_formulas({
      {"mm", two, TSC_OF(mm(x[0], x[1]))},
      {"mm by columns", {leaf({3, 2}), leaf({4, 3})}, TSC_OF(mm(t(x[0]), t(x[1])))},
      {"mm, complex",
       {leaf({2, 3}, -1, 1, kComplex), leaf({3, 2}, -1, 1, kComplex)},
       TSC_OF(mm(x[0], x[1]))},
      {"addmm", three, TSC_OF(addmm(x[0], x[1], x[2], 0.5, 2))},
      {"addmv", {leaf({2}), leaf({2, 3}), leaf({3})}, TSC_OF(addmv(x[0], x[1], x[2], 0.5, 2))},
      {"addmv, complex",
       {leaf({2}, -1, 1, kComplex), leaf({2, 3}, -1, 1, kComplex), leaf({3}, -1, 1, kComplex)},
       TSC_OF(addmv(x[0], x[1], x[2], Scalar(std::complex<double>(1, 2)), 2))},
      {"addr", {leaf({2, 3}), leaf({2}), leaf({3})}, TSC_OF(addr(x[0], x[1], x[2], 0.5, 2))},
      {"baddbmm",
       {leaf({3, 2}), leaf({2, 3, 2}), leaf({2, 2, 2})},
       TSC_OF(baddbmm(x[0], x[1], x[2], 0.5, 2))},
      {"addbmm",
       {leaf({3, 2}), leaf({2, 3, 2}), leaf({2, 2, 2})},
       TSC_OF(addbmm(x[0], x[1], x[2], 0.5, 2))},
      {"bmm", {leaf({2, 2, 3}), leaf({2, 3, 2})}, TSC_OF(bmm(x[0], x[1]))},
      {"mv", {leaf({2, 3}), leaf({3})}, TSC_OF(mv(x[0], x[1]))},
      {"dot", {leaf({3}), leaf({3})}, TSC_OF(dot(x[0], x[1]))},
      {"matmul", {leaf({2, 3, 2}), leaf({2, 4})}, TSC_OF(matmul(x[0], x[1]))},
      {"outer", {leaf({3}), leaf({2})}, TSC_OF(outer(x[0], x[1]))},
      {"linear", {leaf({2, 3}), leaf({4, 3}), leaf({4})}, TSC_OF(linear(x[0], x[1], x[2]))},
  });
}
