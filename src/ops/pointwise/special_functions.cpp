// Structured special functions whose elements take long.
#include "core/dispatch_types.h"
#include "gen/ops/special.h"
#include "gen/ops/special_native.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/pointwise/ordering_list.h"
#include "ops/cpu/pointwise/special_list.h"
#include "ops/structured/elementwise.h"

namespace tsc {
namespace {

// PyTorch has some kernels for float32 and float64 only.
void refuse_reduced(const TensorIteratorBase& iterator, const char* name) {
  if (is_reduced_floating_point(iterator.common_dtype())) {
    throw_dtype_not_implemented(name, iterator.common_dtype());
  }
}

}  // namespace

#define TSC_SPECIAL_FUNCTION(name)                                                  \
  TSC_META_FUNC(special_##name)(const Tensor& self) { build_unary_float_op(self); } \
  TSC_IMPL_FUNC(special_##name##_cpu)(const Tensor&, const Tensor&) {               \
    refuse_reduced(*this, #name "_cpu");                                            \
    run_costly(*this, cpu::ufuncs::name, #name "_cpu");                             \
  }

TSC_SPECIAL_FUNCTION(erfcx)
TSC_SPECIAL_FUNCTION(log_ndtr)
TSC_SPECIAL_FUNCTION(ndtri)

#undef TSC_SPECIAL_FUNCTION

TSC_META_FUNC(polygamma)(int64_t n, const Tensor& self) {
  TSC_CHECK(n >= 0, "polygamma(n, x) does not support negative n.");
  build_unary_float_op(self);
}
TSC_IMPL_FUNC(polygamma_cpu)(int64_t n, const Tensor&, const Tensor&) {
  if (n <= 1) {
    run_costly(*this, n == 0 ? cpu::ufuncs::digamma : cpu::ufuncs::trigamma, "polygamma");
  } else {
    run_costly(*this, cpu::ufuncs::polygamma, "polygamma", {Scalar(n)});
  }
}

TSC_META_FUNC(special_zeta)(const Tensor& self, const Tensor& other) {
  build_binary_float_op(self, other);
}
TSC_IMPL_FUNC(special_zeta_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  refuse_reduced(*this, "zeta_cpu");
  run_costly(*this, cpu::ufuncs::zeta, "zeta_cpu");
}

TSC_META_FUNC(gcd)(const Tensor& self, const Tensor& other) { build_binary_op(self, other); }
TSC_IMPL_FUNC(gcd_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_costly(*this, cpu::ufuncs::gcd, "gcd_cpu");
}

TSC_META_FUNC(lcm)(const Tensor& self, const Tensor& other) { build_binary_op(self, other); }
TSC_IMPL_FUNC(lcm_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_costly(*this, cpu::ufuncs::lcm, "lcm_cpu");
}

// With out=, the output takes part in the checks: it is never converted to.
TSC_META_FUNC(heaviside)(const Tensor& self, const Tensor& values) {
  const bool is_given = output_mode() != OutputMode::Functional;
  TSC_CHECK_NOT_IMPLEMENTED(
      !self.is_complex() && !values.is_complex() && !(is_given && output().is_complex()),
      "heaviside is not yet implemented for complex tensors.");
  TSC_CHECK(self.dtype() == values.dtype() && (!is_given || output().dtype() == self.dtype()),
            "heaviside is not yet implemented for tensors with different dtypes.");
  build_binary_op(self, values);
}
TSC_IMPL_FUNC(heaviside_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, cpu::ufuncs::heaviside, "heaviside_cpu");
}

namespace native {

Tensor special_gammainc(const Tensor& self, const Tensor& other) { return igamma(self, other); }
const Tensor& special_gammainc_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return igamma_out(self, other, out);
}
Tensor special_gammaincc(const Tensor& self, const Tensor& other) { return igammac(self, other); }
const Tensor& special_gammaincc_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return igammac_out(self, other, out);
}

}  // namespace native
}  // namespace tsc
