// Mathematics' functions: one formula each, integers become floats.
#include "gen/ops/math_native.h"
#include "ops/elementwise.h"

namespace tsc {

// The name is the row's and the formula's; the message names the function as PyTorch does.
#define TSC_FLOAT_FUNCTION(name, called)                                  \
  TSC_META_FUNC(name)(const Tensor& self) { build_unary_float_op(self); } \
  TSC_IMPL_FUNC(name##_cpu)(const Tensor&, const Tensor&) {               \
    run_elementwise(*this, cpu::Ufunc::name, called);                     \
  }

TSC_FLOAT_FUNCTION(exp, "exp_vml_cpu")
TSC_FLOAT_FUNCTION(exp2, "exp2_cpu")
TSC_FLOAT_FUNCTION(expm1, "expm1_vml_cpu")
TSC_FLOAT_FUNCTION(log, "log_vml_cpu")
TSC_FLOAT_FUNCTION(log2, "log2_vml_cpu")
TSC_FLOAT_FUNCTION(log10, "log10_vml_cpu")
TSC_FLOAT_FUNCTION(log1p, "log1p_vml_cpu")
TSC_FLOAT_FUNCTION(sqrt, "sqrt_vml_cpu")
TSC_FLOAT_FUNCTION(rsqrt, "rsqrt_vml_cpu")
TSC_FLOAT_FUNCTION(reciprocal, "reciprocal_cpu")
TSC_FLOAT_FUNCTION(sin, "sin_vml_cpu")
TSC_FLOAT_FUNCTION(cos, "cos_vml_cpu")
TSC_FLOAT_FUNCTION(tan, "tan_vml_cpu")
TSC_FLOAT_FUNCTION(asin, "asin_vml_cpu")
TSC_FLOAT_FUNCTION(acos, "acos_vml_cpu")
TSC_FLOAT_FUNCTION(atan, "atan_vml_cpu")
TSC_FLOAT_FUNCTION(sinh, "sinh_vml_cpu")
TSC_FLOAT_FUNCTION(cosh, "cosh_vml_cpu")
TSC_FLOAT_FUNCTION(tanh, "tanh_vml_cpu")
TSC_FLOAT_FUNCTION(asinh, "asinh_cpu")
TSC_FLOAT_FUNCTION(acosh, "acosh_cpu")
TSC_FLOAT_FUNCTION(atanh, "atanh_cpu")
TSC_FLOAT_FUNCTION(sigmoid, "sigmoid_cpu")
TSC_FLOAT_FUNCTION(erf, "erf_vml_cpu")
TSC_FLOAT_FUNCTION(erfc, "erfc_vml_cpu")
TSC_FLOAT_FUNCTION(lgamma, "lgamma_vml_cpu")

#undef TSC_FLOAT_FUNCTION

}  // namespace tsc
