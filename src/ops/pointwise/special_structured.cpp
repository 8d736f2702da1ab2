// Special functions whose kernels are more than a formula.
#include "gen/ops/special_native.h"
#include "ops/cpu/pointwise/exponential_list.h"
#include "ops/cpu/pointwise/special_list.h"
#include "ops/structured/elementwise.h"

namespace tsc {
namespace {

// Half types round the logarithm before it is multiplied. The factor takes the bits of a float that
// they have not (rounded() in ops/cpu/pointwise/exponential.cpp).
Scalar rounding_factor(ScalarType dtype) {
  return Scalar(dtype == ScalarType::BFloat16 ? (1 << 16) + 1
                : dtype == ScalarType::Half   ? (1 << 13) + 1
                                              : 0);
}

}  // namespace

TSC_META_FUNC(nextafter)(const Tensor& self, const Tensor& other) { build_binary_op(self, other); }
TSC_IMPL_FUNC(nextafter_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  const ScalarType type = common_dtype();
  const int step = type == ScalarType::BFloat16 ? 1 << 16 : type == ScalarType::Half ? 1 << 13 : 1;
  run_elementwise(*this, cpu::ufuncs::nextafter, "nextafter_cpu", Scalar(step));
}

TSC_META_FUNC(special_entr)(const Tensor& self) { build_unary_float_op(self); }
TSC_IMPL_FUNC(special_entr_cpu)(const Tensor&, const Tensor&) {
  run_elementwise(*this, cpu::ufuncs::entr, "entr_cpu", rounding_factor(common_dtype()));
}

TSC_META_FUNC(xlogy_Tensor)(const Tensor& self, const Tensor& other) {
  build_binary_float_op(self, other);
}
TSC_IMPL_FUNC(xlogy_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, cpu::ufuncs::xlogy, "xlogy_cpu", rounding_factor(common_dtype()));
}

TSC_META_FUNC(special_xlog1py)(const Tensor& self, const Tensor& other) {
  build_binary_float_op(self, other);
}
TSC_IMPL_FUNC(special_xlog1py_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, cpu::ufuncs::xlog1py, "xlog1py_cpu", rounding_factor(common_dtype()));
}

}  // namespace tsc
