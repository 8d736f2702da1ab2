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
#include "ops/pointwise/second_name.h"
#include "ops/structured/autogen.h"
#include "ops/structured/result_type.h"

namespace tsc::native {

TSC_SECOND_NAME(true_divide, true_divide_, div)
const Tensor& true_divide_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return tsc::div_out(out, self, other);
}

const Tensor& polygamma_(const Tensor& self, int64_t n) {
  return store_in_place(tsc::polygamma(n, self), self);
}

Tensor xlogy_Scalar_Self(const Scalar& self, const Tensor& other) {
  return tsc::xlogy(float_operand(self, other), other);
}
Tensor xlogy_Scalar_Other(const Tensor& self, const Scalar& other) {
  return tsc::xlogy(self, float_operand(other, self));
}

}  // namespace tsc::native
