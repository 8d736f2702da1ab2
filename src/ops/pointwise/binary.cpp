// Elementwise operators of two and three tensors.
#include "gen/ops/binary.h"

#include <optional>

#include "core/tensor_factory.h"
#include "gen/calls/copy.h"
#include "gen/calls/fill.h"
#include "gen/calls/is_complex.h"
#include "gen/calls/is_floating_point.h"
#include "gen/calls/to.h"
#include "gen/ops/binary_native.h"
#include "ops/cpu/pointwise/arithmetic_list.h"
#include "ops/cpu/pointwise/division_list.h"
#include "ops/cpu/pointwise/exponential_list.h"
#include "ops/cpu/pointwise/ordering_list.h"
#include "ops/cpu/pointwise/trigonometric_list.h"
#include "ops/structured/elementwise.h"
#include "ops/structured/fill.h"
#include "ops/structured/result_type.h"
#include "ops/structured/type_names.h"

namespace tsc {
namespace {

using cpu::Ufunc;
namespace ufuncs = cpu::ufuncs;

TSC_NOINLINE void check_other_alpha(ScalarType type, const Scalar& alpha) {
  TSC_CHECK(!alpha.is_bool() || type == ScalarType::Bool,
            "Boolean alpha only supported for Boolean results.");
  TSC_CHECK(is_floating_point(type) || is_complex(type) || is_integral(alpha.type(), true),
            "For integral input tensors, argument alpha must not be a floating point number.");
  TSC_CHECK(is_complex(type) || !alpha.is_complex(),
            "For non-complex input tensors, argument alpha must not be a complex number.");
}

TSC_ALWAYS_INLINE void build_scaled(TensorIteratorBase& iterator, const Tensor& self,
                                    const Tensor& other, const Scalar& alpha) {
  // alpha = 1, the default, is valid for all dtypes, as other ints are.
  if (TSC_LIKELY(alpha.is_int())) {
    return iterator.build_binary_op(self, other);
  }
  iterator.build_binary_op(self, other);
  check_other_alpha(iterator.common_dtype(), alpha);
}

void check_subtraction(ScalarType a, ScalarType b) {
  TSC_CHECK_NOT_IMPLEMENTED(
      a != ScalarType::Bool || b != ScalarType::Bool,
      "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
      "`logical_xor()` operator instead.");
  TSC_CHECK_NOT_IMPLEMENTED(
      a != ScalarType::Bool && b != ScalarType::Bool,
      "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
      "invert a mask, use the `~` or `logical_not()` operator instead.");
}

// float16 and bfloat16 round the factor to their own precision.
Scalar rounded(const Scalar& alpha, ScalarType type) {
  return type == ScalarType::Half ? Scalar(static_cast<double>(alpha.to<Half>()))
                                  : Scalar(static_cast<double>(alpha.to<BFloat16>()));
}

TSC_NOINLINE void run_other_scaled(const TensorIteratorBase& iterator, Ufunc formula,
                                   const char* name, const Scalar& alpha) {
  const ScalarType type = iterator.common_dtype();
  run_elementwise(iterator, formula, name,
                  is_reduced_floating_point(type) ? rounded(alpha, type) : alpha);
}

TSC_ALWAYS_INLINE void run_scaled(const TensorIteratorBase& iterator, Ufunc formula,
                                  const char* name, const Scalar& alpha) {
  if (TSC_LIKELY(iterator.common_dtype() == ScalarType::Float)) {
    return run_elementwise(iterator, formula, name, alpha);
  }
  run_other_scaled(iterator, formula, name, alpha);
}

enum class Rounding { None, Trunc, Floor };

Rounding parse_rounding(std::optional<std::string_view> mode) {
  if (!mode.has_value()) {
    return Rounding::None;
  }
  TSC_CHECK(*mode == "trunc" || *mode == "floor",
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'",
            *mode);
  return *mode == "trunc" ? Rounding::Trunc : Rounding::Floor;
}

// The formula of a power that is a product, a quotient or a root: faster, and closer to the exact
// result. Roots of float16 are powers, as in PyTorch: the two differ at minus infinity and -0.
std::optional<Ufunc> plain_power(ScalarType type, const Scalar& exponent) {
  if (exponent.is_complex()) {
    return std::nullopt;
  }
  const double value = exponent.to_double();
  if (value == 2.0) {
    return ufuncs::square;
  }
  if (value == 3.0 && type != ScalarType::Bool) {
    return ufuncs::cube;
  }
  if (is_integral(type, true)) {
    return std::nullopt;
  }
  if (value == -2.0 || value == -1.0) {
    return value == -2.0 ? ufuncs::inverse_square : ufuncs::reciprocal;
  }
  if ((value == 0.5 || value == -0.5) && type != ScalarType::Half) {
    return value == 0.5 ? ufuncs::sqrt : ufuncs::rsqrt;
  }
  return std::nullopt;
}

void check_real(const Tensor& a, const Tensor& b, const char* name) {
  TSC_CHECK_TYPE(!a.is_complex() && !b.is_complex(), "{} not implemented for complex tensors.",
                 name);
}

}  // namespace

TSC_META_FUNC(add_Tensor)(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  build_scaled(*this, self, other, alpha);
}
TSC_IMPL_FUNC(add_cpu)(const Tensor&, const Tensor&, const Scalar& alpha, const Tensor&) {
  run_scaled(*this, ufuncs::add, "add_stub", alpha);
}

TSC_META_FUNC(sub_Tensor)(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  check_subtraction(self.dtype(), other.dtype());
  build_scaled(*this, self, other, alpha);
}
TSC_IMPL_FUNC(sub_cpu)(const Tensor&, const Tensor&, const Scalar& alpha, const Tensor&) {
  run_scaled(*this, ufuncs::sub, "sub_stub", alpha);
}

TSC_META_FUNC(mul_Tensor)(const Tensor& self, const Tensor& other) { build_binary_op(self, other); }
TSC_IMPL_FUNC(mul_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_arithmetic(*this, ufuncs::mul, "mul_cpu");
}

TSC_META_FUNC(div_Tensor)(const Tensor& self, const Tensor& other) {
  build_binary_float_op(self, other);
}
TSC_IMPL_FUNC(div_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_arithmetic(*this, ufuncs::div, "div_cpu");
}

// float16 and bfloat16 truncate the rounded quotient.
static void run_truncated_division(const TensorIteratorBase& iterator, const Tensor& out) {
  const ScalarType dtype = iterator.common_dtype();
  if (dtype != ScalarType::Half && dtype != ScalarType::BFloat16) {
    run_division(iterator, ufuncs::div_trunc, "div_trunc_cpu");
    return;
  }
  run_arithmetic(iterator, ufuncs::div, "div_trunc_cpu");
  TensorIterator truncation(out);
  truncation.build_unary_op(out);
  run_elementwise(truncation, ufuncs::trunc, "div_trunc_cpu");
}

TSC_META_FUNC(div_Tensor_mode)
(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode) {
  if (parse_rounding(rounding_mode) == Rounding::None) {
    build_binary_float_op(self, other);
  } else {
    build_binary_op(self, other);
  }
}
TSC_IMPL_FUNC(div_mode_cpu)
(const Tensor&, const Tensor&, std::optional<std::string_view> rounding_mode, const Tensor& out) {
  switch (parse_rounding(rounding_mode)) {
    case Rounding::None: run_arithmetic(*this, ufuncs::div, "div_cpu"); break;
    case Rounding::Trunc: run_truncated_division(*this, out); break;
    case Rounding::Floor: run_division(*this, ufuncs::div_floor, "div_floor_cpu"); break;
  }
}

TSC_META_FUNC(floor_divide)(const Tensor& self, const Tensor& other) {
  build_binary_op(self, other);
}
TSC_IMPL_FUNC(floor_divide_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_division(*this, ufuncs::div_floor, "div_floor_cpu");
}

TSC_META_FUNC(remainder_Tensor)(const Tensor& self, const Tensor& other) {
  build_binary_op(self, other);
}
TSC_IMPL_FUNC(remainder_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_division(*this, ufuncs::remainder, "remainder_cpu");
}

TSC_META_FUNC(fmod_Tensor)(const Tensor& self, const Tensor& other) {
  build_binary_op(self, other);
}
TSC_IMPL_FUNC(fmod_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_division(*this, ufuncs::fmod, "fmod_cpu");
}

// Powers that need no computation: x ** 0 and x ** 1.
static bool run_trivial_power(const Tensor& self, const Scalar& exponent, const Tensor& out) {
  const std::complex<double> value = exponent.to_complex();
  if (value == 0.0) {
    fill_elements(out, 1);
  } else if (value == 1.0) {
    copy_elements(out, self);
  }
  return value == 0.0 || value == 1.0;
}

TSC_META_FUNC(pow_Tensor_Tensor)(const Tensor& self, const Tensor& exponent) {
  build_binary_op(self, exponent);
}
TSC_IMPL_FUNC(pow_Tensor_Tensor_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::pow, "pow");
}

TSC_META_FUNC(pow_Tensor_Scalar)(const Tensor& self, const Scalar& exponent) {
  TSC_CHECK(!is_integral(self.dtype(), true) || !is_integral(exponent.type(), true) ||
                exponent.to_int() >= 0,
            "Integers to negative integer powers are not allowed.");
  const ScalarType type = promoted_type(self, exponent);
  if (plain_power(type, exponent)) {
    build({.common_dtype = type, .cast_outputs = true}, {&self});
  } else {
    build_binary_op(self, keep(wrapped_number_tensor(exponent)));
  }
}
TSC_IMPL_FUNC(pow_Tensor_Scalar_cpu)
(const Tensor& self, const Scalar& exponent, const Tensor& out) {
  if (run_trivial_power(self, exponent, out)) {
    return;
  }
  run_elementwise(*this, plain_power(common_dtype(), exponent).value_or(ufuncs::pow), "pow");
}

TSC_META_FUNC(pow_Scalar)(const Scalar& self, const Tensor& exponent) {
  build_binary_op(keep(wrapped_number_tensor(self)), exponent);
}
TSC_IMPL_FUNC(pow_Scalar_cpu)(const Scalar&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::pow, "pow");
}

TSC_META_FUNC(maximum)(const Tensor& self, const Tensor& other) {
  check_real(self, other, "maximum");
  build_binary_op(self, other);
}
TSC_IMPL_FUNC(maximum_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::maximum, "maximum_cpu");
}

TSC_META_FUNC(minimum)(const Tensor& self, const Tensor& other) {
  check_real(self, other, "minimum");
  build_binary_op(self, other);
}
TSC_IMPL_FUNC(minimum_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::minimum, "minimum_cpu");
}

TSC_META_FUNC(fmax)(const Tensor& self, const Tensor& other) {
  check_real(self, other, "fmax");
  build_binary_op(self, other);
}
TSC_IMPL_FUNC(fmax_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::fmax, "fmax_cpu");
}

TSC_META_FUNC(fmin)(const Tensor& self, const Tensor& other) {
  check_real(self, other, "fmin");
  build_binary_op(self, other);
}
TSC_IMPL_FUNC(fmin_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::fmin, "fmin_cpu");
}

TSC_META_FUNC(atan2)(const Tensor& self, const Tensor& other) {
  build_binary_float_op(self, other);
}
TSC_IMPL_FUNC(atan2_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::atan2, "atan2_cpu");
}

TSC_META_FUNC(hypot)(const Tensor& self, const Tensor& other) { build_binary_op(self, other); }
TSC_IMPL_FUNC(hypot_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::hypot, "hypot_cpu");
}

TSC_META_FUNC(copysign_Tensor)(const Tensor& self, const Tensor& other) {
  build_binary_float_op(self, other);
}
TSC_IMPL_FUNC(copysign_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::copysign, "copysign_cpu");
}

TSC_META_FUNC(addcmul)
(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, const Scalar&) {
  build_ternary_op(self, tensor1, tensor2);
}
TSC_IMPL_FUNC(addcmul_cpu)
(const Tensor&, const Tensor&, const Tensor&, const Scalar& value, const Tensor&) {
  run_elementwise(*this, ufuncs::addcmul, "addcmul_cpu_out", value);
}

TSC_META_FUNC(addcdiv)
(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, const Scalar&) {
  TSC_CHECK(!is_integral(tensor1.dtype(), true) || !is_integral(tensor2.dtype(), true),
            "Integer division with addcdiv is no longer supported, and in a future  release "
            "addcdiv will perform a true division of tensor1 and tensor2. The historic addcdiv "
            "behavior can be implemented as (input + value * torch.trunc(tensor1 / "
            "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
            "tensor2) for float inputs. The future addcdiv behavior is just the latter "
            "implementation: (input + value * tensor1 / tensor2), for all dtypes.");
  build_ternary_op(self, tensor1, tensor2);
}
TSC_IMPL_FUNC(addcdiv_cpu)
(const Tensor&, const Tensor&, const Tensor&, const Scalar& value, const Tensor&) {
  run_elementwise(*this, ufuncs::addcdiv, "addcdiv_cpu_out", value);
}

TSC_META_FUNC(lerp_Scalar)(const Tensor& self, const Tensor& end, const Scalar&) {
  TSC_CHECK(self.dtype() == end.dtype(), "expected dtype {} for `end` but got dtype {}",
            cpp_type_name(self.dtype()), cpp_type_name(end.dtype()));
  build_binary_op(self, end);
}
TSC_IMPL_FUNC(lerp_Scalar_cpu)(const Tensor&, const Tensor&, const Scalar& weight, const Tensor&) {
  run_elementwise(*this, ufuncs::lerp_scalar, "lerp_kernel_scalar", weight);
}

TSC_META_FUNC(lerp_Tensor)(const Tensor& self, const Tensor& end, const Tensor& weight) {
  TSC_CHECK(self.dtype() == end.dtype(), "expected dtype {} for `end` but got dtype {}",
            cpp_type_name(self.dtype()), cpp_type_name(end.dtype()));
  TSC_CHECK(self.dtype() == weight.dtype() || weight.dim() == 0,
            "expected dtype {} for `weight` but got dtype {}", cpp_type_name(self.dtype()),
            cpp_type_name(weight.dtype()));
  if (output().defined()) {
    check_found_dtype(output().dtype(), self.dtype());
  }
  build({.common_dtype = self.dtype(), .cast_outputs = true}, {&self, &end, &weight});
}
TSC_IMPL_FUNC(lerp_Tensor_cpu)(const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::lerp, "lerp_kernel_tensor");
}

TSC_META_FUNC(where_self)(const Tensor& condition, const Tensor& self, const Tensor& other) {
  if (condition.dtype() == ScalarType::Byte) {
    warn(
        "where received a uint8 condition tensor. This behavior is deprecated and will be removed "
        "in a future version of PyTorch. Use a boolean condition instead.");
  } else {
    TSC_CHECK(condition.dtype() == ScalarType::Bool,
              "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
              condition.dtype());
  }
  const ScalarType dtype = promoted_type(self, other);
  TSC_CHECK(output_mode() != OutputMode::Out || output().dtype() == dtype,
            "Expected out type to be {} but got {}", dtype, output().dtype());
  build({.common_dtype = dtype}, {&condition, &self, &other});
}
TSC_IMPL_FUNC(where_cpu)(const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::where, "where_cpu");
}

// Bounds take part in promotion, but never change the dtype of a tensor that is limited in place.
static ScalarType clamped_dtype(const Tensor& self, const std::optional<Scalar>& min,
                                const std::optional<Scalar>& max, const Tensor& out) {
  TSC_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "clamp is not supported for complex types");
  ResultTypeState state;
  state.add(self);
  for (const std::optional<Scalar>* bound : {&min, &max}) {
    if (bound->has_value()) {
      state.add(**bound);
    }
  }
  const ScalarType dtype = state.result();
  TSC_CHECK(dtype == self.dtype() || !out.is_same(self),
            "result type {} can't be cast to the desired output type {}", dtype,
            cpp_type_name(self.dtype()));
  if (out.defined() && !out.is_same(self)) {
    check_found_dtype(out.dtype(), dtype);
  }
  return dtype;
}

// A bound as a number of the dtype. One that no integer of the dtype reaches limits nothing, one that
// each is beyond has no elements to give.
static Scalar bound_of(const Scalar& bound, ScalarType dtype, bool is_min) {
  if (dtype == ScalarType::Half) {
    (void)bound.to<Half>();
  }
  if (!is_integral(dtype, false) || dtype == ScalarType::Long) {
    return bound;
  }
  const size_t bits = 8 * element_size(dtype) - (is_signed(dtype) ? 1 : 0);
  const int64_t highest = (int64_t{1} << bits) - 1;
  const int64_t lowest = is_signed(dtype) ? -highest - 1 : 0;
  const int64_t value = bound.to_int();
  TSC_CHECK(is_min ? value <= highest : value >= lowest,
            "Clamp {} value {} is outside the representable range of {}", is_min ? "min" : "max",
            value, dtype);
  return Scalar(std::clamp(value, lowest, highest));
}

TSC_META_FUNC(clamp)
(const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
  TSC_CHECK(min.has_value() || max.has_value(),
            "torch.clamp: At least one of 'min' or 'max' must not be None");
  const ScalarType common = clamped_dtype(self, min, max, output());
  build({.common_dtype = common, .cast_outputs = true}, {&self});
}
TSC_IMPL_FUNC(clamp_cpu)
(const Tensor&, const std::optional<Scalar>& min, const std::optional<Scalar>& max, const Tensor&) {
  if (min.has_value() && max.has_value()) {
    run_elementwise(*this, ufuncs::clamp, "clamp_scalar_cpu",
                    {bound_of(*min, common_dtype(), true), bound_of(*max, common_dtype(), false)});
  } else if (min.has_value()) {
    run_elementwise(*this, ufuncs::clamp_min, "clamp_min_scalar_cpu",
                    bound_of(*min, common_dtype(), true));
  } else {
    run_elementwise(*this, ufuncs::clamp_max, "clamp_max_scalar_cpu",
                    bound_of(*max, common_dtype(), false));
  }
}

TSC_META_FUNC(clamp_min)(const Tensor& self, const Scalar& min) {
  build({.common_dtype = clamped_dtype(self, min, std::nullopt, output()), .cast_outputs = true},
        {&self});
}
TSC_IMPL_FUNC(clamp_min_cpu)(const Tensor&, const Scalar& min, const Tensor&) {
  run_elementwise(*this, ufuncs::clamp_min, "clamp_min_scalar_cpu",
                  bound_of(min, common_dtype(), true));
}

TSC_META_FUNC(clamp_max)(const Tensor& self, const Scalar& max) {
  build({.common_dtype = clamped_dtype(self, std::nullopt, max, output()), .cast_outputs = true},
        {&self});
}
TSC_IMPL_FUNC(clamp_max_cpu)(const Tensor&, const Scalar& max, const Tensor&) {
  run_elementwise(*this, ufuncs::clamp_max, "clamp_max_scalar_cpu",
                  bound_of(max, common_dtype(), false));
}

TSC_META_FUNC(clamp_Tensor)(const Tensor& self, OptionalTensorRef min, OptionalTensorRef max) {
  TSC_CHECK(min.has_value() || max.has_value(),
            "torch.clamp: At least one of 'min' or 'max' must not be None");
  TSC_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "clamp is not supported for complex types");
  if (min.has_value() && max.has_value()) {
    build_ternary_op(self, *min, *max);
  } else {
    build_binary_op(self, min.has_value() ? *min : *max);
  }
}
TSC_IMPL_FUNC(clamp_Tensor_cpu)
(const Tensor&, OptionalTensorRef min, OptionalTensorRef max, const Tensor&) {
  if (min.has_value() && max.has_value()) {
    run_elementwise(*this, ufuncs::clamp_tensor, "clamp_cpu");
  } else if (min.has_value()) {
    run_elementwise(*this, ufuncs::maximum, "maximum_cpu");
  } else {
    run_elementwise(*this, ufuncs::minimum, "minimum_cpu");
  }
}

TSC_META_FUNC(clamp_min_Tensor)(const Tensor& self, const Tensor& min) {
  build_binary_op(self, min);
}
TSC_IMPL_FUNC(clamp_min_Tensor_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::maximum, "maximum_cpu");
}

TSC_META_FUNC(clamp_max_Tensor)(const Tensor& self, const Tensor& max) {
  build_binary_op(self, max);
}
TSC_IMPL_FUNC(clamp_max_Tensor_cpu)(const Tensor&, const Tensor&, const Tensor&) {
  run_elementwise(*this, ufuncs::minimum, "minimum_cpu");
}

}  // namespace tsc
