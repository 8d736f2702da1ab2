// Overloads of the binary operators that call others. A number as an operand becomes a wrapped
// tensor of no dimensions.
#include "core/tensor_factory.h"
#include "gen/calls/scalar_tensor.h"
#include "gen/calls/to.h"
#include "gen/ops/binary.h"
#include "gen/ops/binary_native.h"
#include "ops/structured/result_type.h"

namespace tsc::native {
namespace {

Tensor wrap(const Scalar& number) { return wrapped_number_tensor(number); }

}  // namespace

Tensor add_Scalar(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  return add(self, wrap(other), alpha);
}
const Tensor& add__Scalar(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  return add_(self, wrap(other), alpha);
}
Tensor sub_Scalar(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  return sub(self, wrap(other), alpha);
}
const Tensor& sub__Scalar(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  return sub_(self, wrap(other), alpha);
}
Tensor rsub_Tensor(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  return sub(other, self, alpha);
}
Tensor rsub_Scalar(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  return sub(wrap(other), self, alpha);
}
Tensor div_Scalar_mode(const Tensor& self, const Scalar& other,
                       std::optional<std::string_view> rounding_mode) {
  return div(self, wrap(other), rounding_mode);
}
const Tensor& div__Scalar_mode(const Tensor& self, const Scalar& other,
                               std::optional<std::string_view> rounding_mode) {
  return div_(self, wrap(other), rounding_mode);
}

#define TSC_SCALAR_FORM(name) \
  Tensor name##_Scalar(const Tensor& self, const Scalar& other) { return name(self, wrap(other)); }
#define TSC_SCALAR_FORMS(name)                                            \
  TSC_SCALAR_FORM(name)                                                   \
  const Tensor& name##__Scalar(const Tensor& self, const Scalar& other) { \
    return name##_(self, wrap(other));                                    \
  }
TSC_SCALAR_FORMS(mul)
TSC_SCALAR_FORMS(div)
TSC_SCALAR_FORMS(floor_divide)
TSC_SCALAR_FORMS(remainder)
TSC_SCALAR_FORMS(fmod)
TSC_SCALAR_FORM(copysign)
#undef TSC_SCALAR_FORMS
#undef TSC_SCALAR_FORM

Tensor remainder_Scalar_Tensor(const Scalar& self, const Tensor& other) {
  return remainder(wrap(self), other);
}

Tensor max_other(const Tensor& self, const Tensor& other) { return maximum(self, other); }
const Tensor& max_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return maximum_out(out, self, other);
}
Tensor min_other(const Tensor& self, const Tensor& other) { return minimum(self, other); }
const Tensor& min_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return minimum_out(out, self, other);
}
Tensor arctan2(const Tensor& self, const Tensor& other) { return atan2(self, other); }
const Tensor& arctan2_(const Tensor& self, const Tensor& other) { return atan2_(self, other); }
const Tensor& arctan2_out(const Tensor& self, const Tensor& other, const Tensor& out) {
  return atan2_out(out, self, other);
}

// Two numbers give the default dtype of their kind; with a tensor they promote by their category.
Tensor where_ScalarSelf(const Tensor& condition, const Scalar& self, const Tensor& other) {
  const ScalarType dtype = promoted_type(self, other);
  const Tensor number = scalar_tensor(self, condition.options().dtype(dtype));
  return where(condition, number, to(other, dtype));
}
Tensor where_ScalarOther(const Tensor& condition, const Tensor& self, const Scalar& other) {
  const ScalarType dtype = promoted_type(self, other);
  const Tensor number = scalar_tensor(other, condition.options().dtype(dtype));
  return where(condition, to(self, dtype), number);
}
Tensor where_Scalar(const Tensor& condition, const Scalar& self, const Scalar& other) {
  const ScalarType dtype = promoted_type(self, other);
  return where(condition, scalar_tensor(self, condition.options().dtype(dtype)),
               scalar_tensor(other, condition.options().dtype(dtype)));
}

ScalarType result_type_Tensor(const Tensor& tensor, const Tensor& other) {
  return promoted_type(tensor, other);
}
ScalarType result_type_Scalar(const Tensor& tensor, const Scalar& other) {
  return promoted_type(tensor, other);
}
ScalarType result_type_Scalar_Tensor(const Scalar& scalar, const Tensor& tensor) {
  return promoted_type(scalar, tensor);
}
ScalarType result_type_Scalar_Scalar(const Scalar& scalar1, const Scalar& scalar2) {
  return promoted_type(scalar1, scalar2);
}

Tensor clip(const Tensor& self, const std::optional<Scalar>& min,
            const std::optional<Scalar>& max) {
  return clamp(self, min, max);
}
const Tensor& clip_(const Tensor& self, const std::optional<Scalar>& min,
                    const std::optional<Scalar>& max) {
  return clamp_(self, min, max);
}
Tensor clip_Tensor(const Tensor& self, OptionalTensorRef min, OptionalTensorRef max) {
  return clamp(self, min, max);
}
const Tensor& clip__Tensor(const Tensor& self, OptionalTensorRef min, OptionalTensorRef max) {
  return clamp_(self, min, max);
}

}  // namespace tsc::native
