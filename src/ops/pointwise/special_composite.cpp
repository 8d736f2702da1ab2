// Functions of two numbers that keep their value where the plain formula has none.
#include "gen/ops/special.h"

#include <numbers>

#include "core/dispatch_types.h"
#include "core/tensor_factory.h"
#include "gen/calls/abs.h"
#include "gen/calls/add.h"
#include "gen/calls/div.h"
#include "gen/calls/eq.h"
#include "gen/calls/exp.h"
#include "gen/calls/exp2.h"
#include "gen/calls/ge.h"
#include "gen/calls/isinf.h"
#include "gen/calls/log1p.h"
#include "gen/calls/logical_and.h"
#include "gen/calls/maximum.h"
#include "gen/calls/neg.h"
#include "gen/calls/real.h"
#include "gen/calls/sub.h"
#include "gen/calls/to.h"
#include "gen/calls/where.h"
#include "gen/ops/special_native.h"
#include "ops/pointwise/float_operand.h"
#include "ops/structured/result_type.h"

namespace tsc::native {

Tensor true_divide_Tensor(const Tensor& self, const Tensor& other) { return div(self, other); }
const Tensor& true_divide_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return tsc::div_out(out, self, other);
}
Tensor true_divide_Scalar(const Tensor& self, const Scalar& other) { return div(self, other); }

namespace {

// How a logarithm of a sum is taken: log1p(exp(x)), or the same to base 2.
using LogOfSum = Tensor (*)(const Tensor& x);
Tensor natural(const Tensor& x) { return log1p(exp(x)); }
Tensor binary(const Tensor& x) { return div(log1p(exp2(x)), Scalar(std::numbers::ln2)); }

Tensor log_of_sum(const Tensor& self, const Tensor& other, LogOfSum logarithm, const char* name) {
  for (const Tensor& operand : {self, other}) {
    if (is_integral(operand.dtype(), true)) {
      throw_dtype_not_implemented(name, operand.dtype());
    }
  }
  if (self.is_complex() && other.is_complex()) {
    const Tensor is_self = ge(real(self), real(other));
    const Tensor larger = where(is_self, self, other);
    return add(larger, logarithm(sub(where(is_self, other, self), larger)));
  }
  const ScalarType dtype = promoted_type(self, other);
  if (is_reduced_floating_point(dtype)) {
    return to(
        log_of_sum(to(self, ScalarType::Float), to(other, ScalarType::Float), logarithm, name),
        dtype);
  }
  const Tensor sum = add(maximum(self, other), logarithm(neg(abs(sub(self, other)))));
  // The difference of equal infinities is no number.
  return where(logical_and(eq(self, other), isinf(self)), self, sum);
}

}  // namespace

Tensor logaddexp(const Tensor& self, const Tensor& other) {
  return log_of_sum(self, other, &natural, "logaddexp_cpu");
}
Tensor logaddexp2(const Tensor& self, const Tensor& other) {
  return log_of_sum(self, other, &binary, "logaddexp2_cpu");
}

Tensor xlogy_Scalar_Self(const Scalar& self, const Tensor& other) {
  return tsc::xlogy(float_operand(self, other), other);
}
Tensor xlogy_Scalar_Other(const Tensor& self, const Scalar& other) {
  return tsc::xlogy(self, float_operand(other, self));
}

}  // namespace tsc::native
