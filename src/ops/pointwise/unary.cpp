// Signs, roundings and other operators of one tensor that keep its dtype.
#include <limits>

#include "core/dispatch_types.h"
#include "core/tensor_factory.h"
#include "gen/ops/unary_native.h"
#include "ops/cpu/pointwise/activation_list.h"
#include "ops/cpu/pointwise/arithmetic_list.h"
#include "ops/cpu/pointwise/comparison_list.h"
#include "ops/cpu/pointwise/division_list.h"
#include "ops/cpu/pointwise/ordering_list.h"
#include "ops/shape/strided_views.h"
#include "ops/structured/elementwise.h"
#include "ops/structured/result_type.h"

namespace tsc {
namespace {

using cpu::Ufunc;
namespace ufuncs = cpu::ufuncs;

// An integer rounds to itself.
void round_elements(const TensorIteratorBase& iterator, Ufunc formula, const char* name) {
  if (is_integral(iterator.common_dtype(), false)) {
    copy_elements(iterator);
  } else {
    run_elementwise(iterator, formula, name);
  }
}

double largest_value(ScalarType type) {
  return dispatch_floating_types(type, "nan_to_num", []<class T>() -> double {
    if constexpr (std::is_same_v<T, Half>) {
      return 65504.0;
    } else if constexpr (std::is_same_v<T, BFloat16>) {
      return 0x1.fep127;
    } else {
      return std::numeric_limits<T>::max();
    }
  });
}

void check_not_complex(const Tensor& self, const char* name) {
  TSC_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "{} is not supported for complex inputs", name);
}

}  // namespace

TSC_META_FUNC(neg)(const Tensor& self) {
  TSC_CHECK_NOT_IMPLEMENTED(
      self.dtype() != ScalarType::Bool,
      "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert "
      "a mask, use the `~` or `logical_not()` operator instead.");
  build_unary_op(self);
}
TSC_IMPL_FUNC(neg_cpu)(const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::neg, "neg_cpu");
}

// The magnitude of a complex number is real.
TSC_META_FUNC(abs)(const Tensor& self) {
  const ScalarType dtype = to_real_value_type(self.dtype());
  if (!self.is_complex()) {
    build({.same_dtype = true}, {&self});
    return;
  }
  if (output(0).defined()) {
    check_result_cast(dtype, output(0).dtype());
  }
  build({.output_dtype = dtype}, {&self});
}
TSC_IMPL_FUNC(abs_cpu)(const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::abs, "abs_cpu");
}

TSC_META_FUNC(sign)(const Tensor& self) {
  TSC_CHECK_NOT_IMPLEMENTED(
      !self.is_complex(),
      "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn "
      "instead.");
  build_unary_op(self);
}
TSC_IMPL_FUNC(sign_cpu)(const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::sign, "sign_cpu");
}

TSC_META_FUNC(sgn)(const Tensor& self) { build_unary_op(self); }
TSC_IMPL_FUNC(sgn_cpu)(const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::sign, "sgn_cpu");
}

TSC_META_FUNC(signbit)(const Tensor& self) {
  TSC_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "signbit is not implemented for complex tensors.");
  TSC_CHECK(!output(0).defined() || output(0).dtype() == ScalarType::Bool,
            "signbit does not support non-boolean outputs.");
  build_unary_bool_op(self);
}
TSC_IMPL_FUNC(signbit_cpu)(const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::signbit, "signbit_cpu");
}

TSC_META_FUNC(floor)(const Tensor& self) {
  check_not_complex(self, "floor");
  build_unary_op(self);
}
TSC_IMPL_FUNC(floor_cpu)(const Tensor&, const Tensor&) {
  round_elements(*this, ufuncs::floor, "floor_vml_cpu");
}

TSC_META_FUNC(ceil)(const Tensor& self) {
  check_not_complex(self, "ceil");
  build_unary_op(self);
}
TSC_IMPL_FUNC(ceil_cpu)(const Tensor&, const Tensor&) {
  round_elements(*this, ufuncs::ceil, "ceil_vml_cpu");
}

TSC_META_FUNC(trunc)(const Tensor& self) {
  check_not_complex(self, "trunc");
  build_unary_op(self);
}
TSC_IMPL_FUNC(trunc_cpu)(const Tensor&, const Tensor&) {
  round_elements(*this, ufuncs::trunc, "trunc_vml_cpu");
}

TSC_META_FUNC(round)(const Tensor& self) { build_unary_op(self); }
TSC_IMPL_FUNC(round_cpu)(const Tensor&, const Tensor&) {
  round_elements(*this, ufuncs::round, "round_vml_cpu");
}

TSC_META_FUNC(round_decimals)(const Tensor& self, int64_t) { build_unary_op(self); }
TSC_IMPL_FUNC(round_decimals_cpu)(const Tensor&, int64_t decimals, const Tensor&) {
  if (decimals == 0) {
    round_elements(*this, ufuncs::round, "round_cpu");
    return;
  }
  if (!is_floating_point(common_dtype())) {
    throw_dtype_not_implemented("round_cpu", common_dtype());
  }
  // Powers of ten are exact in double up to 10 ** 22; in float they end at 10 ** 38.
  double power = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  if (common_dtype() != ScalarType::Double && power > std::numeric_limits<float>::max()) {
    power = std::numeric_limits<double>::infinity();
  }
  run_elementwise(*this, decimals > 0 ? ufuncs::round_product : ufuncs::round_quotient, "round_cpu",
                  Scalar(power));
}

TSC_META_FUNC(frac)(const Tensor& self) { build_unary_op(self); }
TSC_IMPL_FUNC(frac_cpu)(const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::frac, "frac_cpu");
}

TSC_META_FUNC(nan_to_num)
(const Tensor& self, std::optional<double>, std::optional<double>, std::optional<double>) {
  // An integer stays as it is, so elements may share a place.
  const bool keeps_all = output_mode() == OutputMode::InPlace && is_integral(self.dtype(), true);
  build({.check_memory_overlap = !keeps_all, .same_dtype = true}, {&self});
}
TSC_IMPL_FUNC(nan_to_num_cpu)
(const Tensor& self, std::optional<double> nan, std::optional<double> posinf,
 std::optional<double> neginf, const Tensor& out) {
  if (is_integral(common_dtype(), true)) {
    copy_elements(*this);
    return;
  }
  const double limit = largest_value(to_real_value_type(common_dtype()));
  const std::initializer_list<Scalar> values = {nan.value_or(0), posinf.value_or(limit),
                                                neginf.value_or(-limit)};
  if (!is_complex(common_dtype())) {
    run_elementwise(*this, ufuncs::nan_to_num, "nan_to_num", values);
    return;
  }
  // Part by part.
  const Tensor parts_in = view_as_real_parts(self);
  const Tensor parts_out = view_as_real_parts(out);
  TensorIterator parts(parts_out);
  parts.build_unary_op(parts_in);
  run_elementwise(parts, ufuncs::nan_to_num, "nan_to_num", values);
}

TSC_META_FUNC(logit_backward)
(const Tensor& grad_output, const Tensor& self, std::optional<double>) {
  build_binary_op(grad_output, self);
}
TSC_IMPL_FUNC(logit_backward_cpu)
(const Tensor&, const Tensor&, std::optional<double> eps, const Tensor&) {
  const double low = eps.value_or(0.0);
  const double outside = eps.has_value() ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  run_elementwise(*this, ufuncs::logit_backward, "logit_backward_cpu", {low, outside, 1.0 - low});
}

}  // namespace tsc
