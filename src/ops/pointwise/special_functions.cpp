// Structured special functions whose elements take long. Some are computed a number at a time, in
// double precision, and rounded to the dtype.
#include <concepts>
#include <numeric>

#include "core/dispatch_types.h"
#include "gen/ops/special.h"
#include "gen/ops/special_native.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/pointwise/ordering_list.h"
#include "ops/cpu/pointwise/special_list.h"
#include "ops/pointwise/special_in_double.h"
#include "ops/structured/elementwise.h"
#include "ops/structured/value_loop.h"

namespace tsc {
namespace {

using Function = double (*)(double);

// PyTorch has some kernels for float32 and float64 only.
void refuse_reduced(const TensorIteratorBase& iterator, const char* name) {
  if (is_reduced_floating_point(iterator.common_dtype())) {
    throw_dtype_not_implemented(name, iterator.common_dtype());
  }
}

template <class F>
void run_in_double(const TensorIteratorBase& iterator, const char* name, F function) {
  dispatch_floating_types(iterator.common_dtype(), name, [&]<class T>() {
    fill_with_unary<T>(iterator,
                       [=](T x) { return static_cast<T>(function(static_cast<double>(x))); });
  });
}

template <class T>
T least_common_multiple(T a, T b) {
  const T divisor = std::gcd(a, b);
  const auto multiple =
      divisor == 0 ? 0 : static_cast<int64_t>(a / divisor) * static_cast<int64_t>(b);
  return static_cast<T>(multiple < 0 ? -multiple : multiple);
}

}  // namespace

#define TSC_SPECIAL_FUNCTION(name, message, function)                     \
  TSC_META_FUNC(name)(const Tensor& self) { build_unary_float_op(self); } \
  TSC_IMPL_FUNC(name##_cpu)(const Tensor&, const Tensor&) {               \
    refuse_reduced(*this, message);                                       \
    run_in_double(*this, message, Function(&special::function));          \
  }

TSC_SPECIAL_FUNCTION(special_erfcx, "erfcx_cpu", erfc_scaled)
TSC_SPECIAL_FUNCTION(special_log_ndtr, "log_ndtr_cpu", log_ndtr)

#undef TSC_SPECIAL_FUNCTION

TSC_META_FUNC(special_ndtri)(const Tensor& self) { build_unary_float_op(self); }
TSC_IMPL_FUNC(special_ndtri_cpu)(const Tensor&, const Tensor&) {
  refuse_reduced(*this, "ndtri_cpu");
  run_costly(*this, cpu::ufuncs::ndtri, "ndtri_cpu");
}

TSC_META_FUNC(polygamma)(int64_t n, const Tensor& self) {
  TSC_CHECK(n >= 0, "polygamma(n, x) does not support negative n.");
  build_unary_float_op(self);
}
TSC_IMPL_FUNC(polygamma_cpu)(int64_t n, const Tensor&, const Tensor&) {
  if (n <= 1) {
    run_costly(*this, n == 0 ? cpu::ufuncs::digamma : cpu::ufuncs::trigamma, "polygamma");
  } else {
    run_in_double(*this, "polygamma", [n](double x) { return special::polygamma(n, x); });
  }
}

TSC_META_FUNC(special_zeta)(const Tensor& self, const Tensor& other) {
  build_binary_float_op(self, other);
}
TSC_IMPL_FUNC(special_zeta_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  refuse_reduced(*this, "zeta_cpu");
  dispatch_floating_types(common_dtype(), "zeta_cpu", [&]<class T>() {
    fill_with_binary<T>(*this, [](T x, T q) {
      return static_cast<T>(special::zeta(static_cast<double>(x), static_cast<double>(q)));
    });
  });
}

TSC_META_FUNC(gcd)(const Tensor& self, const Tensor& other) { build_binary_op(self, other); }
TSC_IMPL_FUNC(gcd_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  dispatch_integral_types(common_dtype(), "gcd_cpu", [&]<class T>() {
    if constexpr (std::integral<T>) {
      fill_with_binary<T>(*this, [](T a, T b) { return static_cast<T>(std::gcd(a, b)); });
    }
  });
}

TSC_META_FUNC(lcm)(const Tensor& self, const Tensor& other) { build_binary_op(self, other); }
TSC_IMPL_FUNC(lcm_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  dispatch_integral_types(common_dtype(), "lcm_cpu", [&]<class T>() {
    if constexpr (std::integral<T>) {
      fill_with_binary<T>(*this, [](T a, T b) { return least_common_multiple(a, b); });
    }
  });
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
