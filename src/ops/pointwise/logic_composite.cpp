// Overloads of the bitwise operators that call others: with a number, and Python's & | ^.
#include "core/tensor_factory.h"
#include "gen/ops/logic.h"
#include "gen/ops/logic_native.h"
#include "ops/pointwise/second_name.h"

namespace tsc::native {
namespace {

Tensor wrap(const Scalar& number) { return wrapped_number_tensor(number); }

}  // namespace

#define TSC_SCALAR_FORMS(name)                                            \
  Tensor name##_Scalar(const Tensor& self, const Scalar& other) {         \
    return name(self, wrap(other));                                       \
  }                                                                       \
  Tensor name##_Scalar_Tensor(const Scalar& self, const Tensor& other) {  \
    return name(wrap(self), other);                                       \
  }                                                                       \
  const Tensor& name##__Scalar(const Tensor& self, const Scalar& other) { \
    return name##_(self, wrap(other));                                    \
  }
TSC_SCALAR_FORMS(bitwise_and)
TSC_SCALAR_FORMS(bitwise_or)
TSC_SCALAR_FORMS(bitwise_xor)
#undef TSC_SCALAR_FORMS

#define TSC_SHIFT_FORMS(name)                                                    \
  Tensor name##_Tensor_Scalar(const Tensor& self, const Scalar& other) {         \
    return name(self, wrap(other));                                              \
  }                                                                              \
  Tensor name##_Scalar_Tensor(const Scalar& self, const Tensor& other) {         \
    return name(wrap(self), other);                                              \
  }                                                                              \
  const Tensor& name##__Tensor_Scalar(const Tensor& self, const Scalar& other) { \
    return name##_(self, wrap(other));                                           \
  }
TSC_SHIFT_FORMS(bitwise_left_shift)
TSC_SHIFT_FORMS(bitwise_right_shift)
#undef TSC_SHIFT_FORMS

TSC_SECOND_NAME(__and__, __iand__, bitwise_and)
TSC_SECOND_NAME(__or__, __ior__, bitwise_or)
TSC_SECOND_NAME(__xor__, __ixor__, bitwise_xor)
TSC_SECOND_NAME(__lshift__, __ilshift__, bitwise_left_shift)
TSC_SECOND_NAME(__rshift__, __irshift__, bitwise_right_shift)

}  // namespace tsc::native
