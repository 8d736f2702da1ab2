// Functions of two numbers that keep their value where the plain formula has none; layer_norm.
#include "gen/ops/special.h"
#include "core/dispatch_types.h"
#include "core/tensor_factory.h"
#include "gen/ops/binary.h"
#include "gen/ops/compare.h"
#include "gen/ops/copy.h"
#include "gen/ops/logic.h"
#include "gen/ops/math.h"
#include "gen/ops/reduce.h"
#include "gen/ops/special_native.h"
#include "gen/ops/unary.h"
#include "gen/ops/view.h"

namespace tsc::native {

Tensor true_divide_Tensor(const Tensor& self, const Tensor& other) { return div(self, other); }
Tensor true_divide_Scalar(const Tensor& self, const Scalar& other) { return div(self, other); }

Tensor logaddexp(const Tensor& self, const Tensor& other) {
  for (const Tensor& operand : {self, other}) {
    if (is_integral(operand.dtype(), true)) {
      throw_dtype_not_implemented("logaddexp_cpu", operand.dtype());
    }
  }
  if (self.is_complex() && other.is_complex()) {
    const Tensor is_self = ge(real(self), real(other));
    const Tensor larger = where(is_self, self, other);
    return add(larger, log1p(exp(sub(where(is_self, other, self), larger))));
  }
  const Tensor sum = add(maximum(self, other), log1p(exp(neg(abs(sub(self, other))))));
  // The difference of equal infinities is no number.
  return where(logical_and(eq(self, other), isinf(self)), self, sum);
}

Tensor xlogy_Tensor(const Tensor& self, const Tensor& other) {
  // Where self is 0, no logarithm that is infinite is read: its gradient would be no number.
  const Tensor infinite = logical_or(le(other, 0), isinf(other));
  const Tensor read = where(logical_and(eq(self, 0), infinite), Scalar(1), other);
  return mul(self, log(read));
}
Tensor xlogy_Scalar_Self(const Scalar& self, const Tensor& other) {
  return tsc::xlogy(wrapped_number_tensor(self), other);
}
Tensor xlogy_Scalar_Other(const Tensor& self, const Scalar& other) {
  return tsc::xlogy(self, wrapped_number_tensor(other));
}

Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, OptionalTensorRef weight,
                  OptionalTensorRef bias, double eps, bool) {
  const size_t dims = normalized_shape.size();
  TSC_CHECK(dims >= 1,
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
            "element, but got normalized_shape = {}",
            normalized_shape);
  const bool fits = input.sizes().size() >= dims &&
                    input.sizes().slice(input.sizes().size() - dims) == normalized_shape;
  TSC_CHECK(fits,
            "Given normalized_shape={}, expected input with shape [*, {}], but got input of size{}",
            normalized_shape, fmt::join(normalized_shape, ", "), input.sizes());
  DimVector last;
  for (size_t i = 0; i < dims; i++) {
    last.push_back(-static_cast<int64_t>(dims) + static_cast<int64_t>(i));
  }
  const bool reduced = element_size(input.dtype()) == 2;
  const Tensor values = reduced ? to(input, ScalarType::Float) : input;
  const Tensor centred = sub(values, mean(values, last, true));
  const Tensor variance = mean(mul(centred, centred), last, true);
  Tensor result = mul(centred, rsqrt(add(variance, eps)));
  if (weight.has_value()) {
    result = mul(result, *weight);
  }
  if (bias.has_value()) {
    result = add(result, *bias);
  }
  return reduced ? to(result, input.dtype()) : result;
}

}  // namespace tsc::native
