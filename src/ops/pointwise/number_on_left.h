// A number less, or divided by, a tensor. What a dispatch mode sees of it is a tensor full of the
// number that the result is written to; nobody else pays for that.
#pragma once

#include "core/scalar.h"
#include "core/tensor.h"

namespace tsc {

TSC_API Tensor number_minus(const Scalar& number, const Tensor& tensor);
TSC_API Tensor number_over(const Scalar& number, const Tensor& tensor);

}  // namespace tsc
