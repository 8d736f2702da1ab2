// TSC_SECOND_NAME: an operator that only calls another, with a tensor or a number on its right.
#pragma once

#include "core/tensor.h"

// Defines the kernels ALIAS.Tensor, ALIAS.Scalar and those of IN_PLACE, which call NAME and NAME_.
#define TSC_SECOND_NAME(alias, in_place, name)                                                 \
  Tensor alias##_Tensor(const Tensor& self, const Tensor& other) { return name(self, other); } \
  Tensor alias##_Scalar(const Tensor& self, const Scalar& other) { return name(self, other); } \
  const Tensor& in_place##_Tensor(const Tensor& self, const Tensor& other) {                   \
    return name##_(self, other);                                                               \
  }                                                                                            \
  const Tensor& in_place##_Scalar(const Tensor& self, const Scalar& other) {                   \
    return name##_(self, other);                                                               \
  }
