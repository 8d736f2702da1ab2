// Operators that only call another.
#pragma once

#include "core/tensor.h"

// Defines the kernels ALIAS, ALIAS_ and ALIAS.out of a second name of a unary operator.
#define TSC_UNARY_SECOND_NAME(alias, name)                                  \
  Tensor alias(const Tensor& self) { return tsc::name(self); }              \
  const Tensor& alias##_(const Tensor& self) { return tsc::name##_(self); } \
  const Tensor& alias##_out(const Tensor& self, const Tensor& out) {        \
    return tsc::name##_out(out, self);                                      \
  }

// Of an operator with a tensor or a number on its right: the kernels ALIAS.Tensor, ALIAS.Scalar and
// those of IN_PLACE, which call NAME and NAME_.
#define TSC_SECOND_NAME(alias, in_place, name)                                                 \
  Tensor alias##_Tensor(const Tensor& self, const Tensor& other) { return name(self, other); } \
  Tensor alias##_Scalar(const Tensor& self, const Scalar& other) { return name(self, other); } \
  const Tensor& in_place##_Tensor(const Tensor& self, const Tensor& other) {                   \
    return name##_(self, other);                                                               \
  }                                                                                            \
  const Tensor& in_place##_Scalar(const Tensor& self, const Scalar& other) {                   \
    return name##_(self, other);                                                               \
  }
