// Special functions made of other operators, and float_power.
#include <cmath>
#include <numbers>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/tensor_factory.h"
#include "gen/calls/add.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/erf.h"
#include "gen/calls/is_complex.h"
#include "gen/calls/lgamma.h"
#include "gen/calls/mul.h"
#include "gen/calls/pow.h"
#include "gen/calls/to.h"
#include "gen/ops/special.h"
#include "gen/ops/special_native.h"
#include "ops/pointwise/float_operand.h"
#include "ops/structured/result_type.h"

namespace tsc::native {
Tensor special_ndtr(const Tensor& self) {
  const Tensor x = to(self, float_type(self.dtype()));
  return mul(add(erf(mul(x, Scalar(std::numbers::sqrt2 / 2))), Scalar(1)), Scalar(0.5));
}

Tensor special_zeta_self_scalar(const Scalar& self, const Tensor& other) {
  return tsc::special_zeta(wrapped_number_tensor(self), other);
}
Tensor special_zeta_other_scalar(const Tensor& self, const Scalar& other) {
  return tsc::special_zeta(self, wrapped_number_tensor(other));
}

Tensor special_xlog1py_self_scalar(const Scalar& self, const Tensor& other) {
  return tsc::special_xlog1py(float_operand(self, other), other);
}
Tensor special_xlog1py_other_scalar(const Tensor& self, const Scalar& other) {
  return tsc::special_xlog1py(self, float_operand(other, self));
}

Tensor mvlgamma(const Tensor& self, int64_t p) {
  TSC_CHECK(p >= 1, "p has to be greater than or equal to 1");
  TSC_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "\"mvlgamma_cpu\" not implemented for '{}'",
                            self.dtype());
  const Tensor x = contiguous(to(self, float_type(self.dtype())));
  const auto dimension = static_cast<double>(p);
  const double constant = dimension * (dimension - 1) / 4 * std::log(std::numbers::pi);
  const Tensor sum = lgamma(x);
  for (int64_t i = 1; i < p; i++) {
    throw_if_interrupted();
    add_(sum, lgamma(add(x, Scalar(-static_cast<double>(i) / 2))));
  }
  return p == 1 ? sum : add_(sum, Scalar(constant));
}

// --- float_power

static ScalarType power_type(bool is_complex) {
  return is_complex ? ScalarType::ComplexDouble : ScalarType::Double;
}
static Scalar power_number(const Scalar& number, ScalarType dtype) {
  return is_complex(dtype) ? Scalar(number.to_complex()) : Scalar(number.to_double());
}

Tensor float_power_Tensor_Tensor(const Tensor& self, const Tensor& exponent) {
  const ScalarType dtype = power_type(self.is_complex() || exponent.is_complex());
  return pow(to(self, dtype), to(exponent, dtype));
}
Tensor float_power_Scalar(const Scalar& self, const Tensor& exponent) {
  const ScalarType dtype = power_type(self.is_complex() || exponent.is_complex());
  return pow(power_number(self, dtype), to(exponent, dtype));
}
Tensor float_power_Tensor_Scalar(const Tensor& self, const Scalar& exponent) {
  const ScalarType dtype = power_type(self.is_complex() || exponent.is_complex());
  return pow(to(self, dtype), power_number(exponent, dtype));
}

static void check_power_out(const Tensor& out, ScalarType dtype) {
  TSC_CHECK(out.dtype() == dtype,
            "the output given to float_power has dtype {} but the operation's result requires "
            "dtype {}",
            out.dtype(), dtype);
}
const Tensor& float_power_Tensor_Tensor_out(const Tensor& self, const Tensor& exponent,
                                            const Tensor& out) {
  const ScalarType dtype = power_type(self.is_complex() || exponent.is_complex());
  check_power_out(out, dtype);
  return pow_out(out, to(self, dtype), to(exponent, dtype));
}
const Tensor& float_power_Scalar_out(const Scalar& self, const Tensor& exponent,
                                     const Tensor& out) {
  const ScalarType dtype = power_type(self.is_complex() || exponent.is_complex());
  check_power_out(out, dtype);
  return pow_out(out, power_number(self, dtype), to(exponent, dtype));
}
const Tensor& float_power_Tensor_Scalar_out(const Tensor& self, const Scalar& exponent,
                                            const Tensor& out) {
  const ScalarType dtype = power_type(self.is_complex() || exponent.is_complex());
  check_power_out(out, dtype);
  return pow_out(out, to(self, dtype), power_number(exponent, dtype));
}

static void check_power_base(const Tensor& self, bool is_complex_exponent) {
  const ScalarType dtype = power_type(self.is_complex() || is_complex_exponent);
  TSC_CHECK(self.dtype() == dtype,
            "the base given to float_power_ has dtype {} but the operation's result requires dtype "
            "{}",
            self.dtype(), dtype);
}
const Tensor& float_power__Scalar(const Tensor& self, const Scalar& exponent) {
  check_power_base(self, exponent.is_complex());
  return pow_(self, power_number(exponent, self.dtype()));
}
const Tensor& float_power__Tensor(const Tensor& self, const Tensor& exponent) {
  check_power_base(self, exponent.is_complex());
  return pow_(self, to(exponent, self.dtype()));
}

}  // namespace tsc::native
