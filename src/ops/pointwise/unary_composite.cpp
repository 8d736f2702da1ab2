// Unary operators that are made of others, and second names.
#include <limits>
#include <numbers>

#include "core/tensor_factory.h"
#include "gen/calls/atan2.h"
#include "gen/calls/clamp_max.h"
#include "gen/calls/div.h"
#include "gen/calls/isnan.h"
#include "gen/calls/lt.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/mul.h"
#include "gen/calls/pow.h"
#include "gen/calls/rsub.h"
#include "gen/calls/select.h"
#include "gen/calls/to.h"
#include "gen/calls/view_as_real.h"
#include "gen/calls/where.h"
#include "gen/calls/zeros_like.h"
#include "gen/ops/math.h"
#include "gen/ops/math_native.h"
#include "gen/ops/unary.h"
#include "gen/ops/unary_native.h"
#include "ops/cpu/pointwise/special_list.h"
#include "ops/pointwise/second_name.h"
#include "ops/structured/autogen.h"
#include "ops/structured/elementwise.h"
#include "ops/structured/tensor_iterator.h"

namespace tsc::native {

TSC_UNARY_SECOND_NAME(negative, neg)
TSC_UNARY_SECOND_NAME(absolute, abs)
TSC_UNARY_SECOND_NAME(fix, trunc)
TSC_UNARY_SECOND_NAME(arcsin, asin)
TSC_UNARY_SECOND_NAME(arccos, acos)
TSC_UNARY_SECOND_NAME(arctan, atan)
TSC_UNARY_SECOND_NAME(arcsinh, asinh)
TSC_UNARY_SECOND_NAME(arccosh, acosh)
TSC_UNARY_SECOND_NAME(arctanh, atanh)

Tensor positive(const Tensor& self) {
  TSC_CHECK_NOT_IMPLEMENTED(self.dtype() != ScalarType::Bool,
                            "The `+` operator, on a bool tensor is not supported.");
  return self;
}
const Tensor& abs_(const Tensor& self) {
  TSC_CHECK(!self.is_complex(), "In-place abs is not supported for complex tensors.");
  return abs_out(self, self);
}

Tensor square(const Tensor& self) { return pow(self, Scalar(2)); }
const Tensor& square_(const Tensor& self) { return pow_(self, Scalar(2)); }
const Tensor& square_out(const Tensor& self, const Tensor& out) {
  return pow_out(out, self, Scalar(2));
}

Tensor deg2rad(const Tensor& self) {
  TSC_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "deg2rad is not supported for complex tensors.");
  return mul(self, wrapped_number_tensor(0.017453292519943295769236907684886));
}
Tensor rad2deg(const Tensor& self) {
  TSC_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "rad2deg is not supported for complex tensors.");
  return mul(self, wrapped_number_tensor(57.295779513082320876798154814105));
}
const Tensor& deg2rad_(const Tensor& self) { return store_in_place(tsc::deg2rad(self), self); }
const Tensor& rad2deg_(const Tensor& self) { return store_in_place(tsc::rad2deg(self), self); }

// Of real numbers on the CPU, in one pass.
static Tensor run_formula(cpu::Ufunc formula, const Tensor& self, const char* name,
                          std::initializer_list<Scalar> parameters = {}) {
  Tensor out;
  TensorIterator iterator;
  iterator.allocate_outputs(self.device().type, out);
  iterator.build_unary_float_op(self);
  run_elementwise(iterator, formula, name, parameters);
  return out;
}

// log(x / (1 - x)).
Tensor logit(const Tensor& self, std::optional<double> eps) {
  TSC_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "\"logit_cpu\" not implemented for '{}'",
                            self.dtype());
  const Tensor given = is_integral(self.dtype(), true) ? to(self, default_dtype()) : self;
  // (float16 and bfloat16 round after each step.)
  if (given.is_cpu() && !is_reduced_floating_point(given.dtype())) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return run_formula(cpu::ufuncs::logit, given, "logit_cpu",
                       {eps.has_value() ? Scalar(*eps) : Scalar(-kInfinity),
                        eps.has_value() ? Scalar(1 - *eps) : Scalar(kInfinity)});
  }
  // An eps above 1/2 turns the bounds round; then, too, the lower one is looked at first.
  const Tensor x = eps.has_value() ? where(lt(given, Scalar(*eps)), Scalar(*eps),
                                           clamp_max(given, Scalar(1 - *eps)))
                                   : given;
  return log(div(x, rsub(x, Scalar(1))));
}

// Of a real number: 0, pi where it is negative, NaN where it is NaN.
Tensor angle(const Tensor& self) {
  if (self.is_complex()) {
    const Tensor parts = view_as_real(self);
    return atan2(select(parts, -1, 1), select(parts, -1, 0));
  }
  if (self.is_cpu() && self.layout() == Layout::Strided) {
    return run_formula(cpu::ufuncs::angle, self, "angle_cpu");
  }
  const ScalarType dtype = self.is_floating_point() ? self.dtype() : default_dtype();
  const Tensor right = zeros_like(self, dtype);
  const Tensor angles = masked_fill(right, lt(self, Scalar(0)), Scalar(std::numbers::pi));
  return self.is_floating_point() ? where(isnan(self), self, angles) : angles;
}

}  // namespace tsc::native
