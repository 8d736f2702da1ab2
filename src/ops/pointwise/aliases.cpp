// Second names of arithmetic and comparisons, which call the operators that they stand for.
#include "gen/calls/div.h"
#include "gen/calls/ge.h"
#include "gen/calls/gt.h"
#include "gen/calls/le.h"
#include "gen/calls/lt.h"
#include "gen/calls/mul.h"
#include "gen/calls/ne.h"
#include "gen/calls/sub.h"
#include "gen/ops/aliases_native.h"
#include "ops/pointwise/second_name.h"

namespace tsc::native {

// Those of comparisons have out= forms for tensors and for numbers.
#define TSC_COMPARISON_ALIAS(alias, name)                                                        \
  TSC_SECOND_NAME(alias, alias##_, name)                                                         \
  const Tensor& alias##_Tensor_out(const Tensor& self, const Tensor& other, const Tensor& out) { \
    return name##_out(out, self, other);                                                         \
  }                                                                                              \
  const Tensor& alias##_Scalar_out(const Tensor& self, const Scalar& other, const Tensor& out) { \
    return name##_out(out, self, other);                                                         \
  }

TSC_SECOND_NAME(multiply, multiply_, mul)
TSC_SECOND_NAME(divide, divide_, div)
TSC_COMPARISON_ALIAS(greater, gt)
TSC_COMPARISON_ALIAS(greater_equal, ge)
TSC_COMPARISON_ALIAS(less, lt)
TSC_COMPARISON_ALIAS(less_equal, le)
TSC_COMPARISON_ALIAS(not_equal, ne)
#undef TSC_COMPARISON_ALIAS

const Tensor& multiply_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return mul_out(out, self, other);
}

const Tensor& divide_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return div_out(out, self, other);
}
Tensor divide_Tensor_mode(const Tensor& self, const Tensor& other,
                          std::optional<std::string_view> rounding_mode) {
  return div(self, other, rounding_mode);
}
Tensor divide_Scalar_mode(const Tensor& self, const Scalar& other,
                          std::optional<std::string_view> rounding_mode) {
  return div(self, other, rounding_mode);
}
const Tensor& divide__Tensor_mode(const Tensor& self, const Tensor& other,
                                  std::optional<std::string_view> rounding_mode) {
  return div_(self, other, rounding_mode);
}
const Tensor& divide__Scalar_mode(const Tensor& self, const Scalar& other,
                                  std::optional<std::string_view> rounding_mode) {
  return div_(self, other, rounding_mode);
}
const Tensor& divide_out_mode(const Tensor& self, const Tensor& other,
                              std::optional<std::string_view> rounding_mode, const Tensor& out) {
  return div_out(out, self, other, rounding_mode);
}

Tensor subtract_Tensor(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  return sub(self, other, alpha);
}
Tensor subtract_Scalar(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  return sub(self, other, alpha);
}
const Tensor& subtract__Tensor(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  return sub_(self, other, alpha);
}
const Tensor& subtract__Scalar(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  return sub_(self, other, alpha);
}
const Tensor& subtract_out(const Tensor& self, const Tensor& other, const Scalar& alpha,
                           const Tensor& out) {
  return sub_out(out, self, other, alpha);
}

}  // namespace tsc::native
