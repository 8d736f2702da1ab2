// A number as the operand of a function that computes in floats.
#pragma once

#include "core/tensor_factory.h"
#include "gen/calls/to.h"
#include "ops/structured/result_type.h"

namespace tsc {

inline ScalarType float_type(ScalarType type) {
  return is_integral(type, true) ? default_dtype() : type;
}

// The number as a 0-dim tensor, in the dtype of the result.
inline Tensor float_operand(const Scalar& number, const Tensor& tensor) {
  return to(wrapped_number_tensor(number), float_type(promoted_type(tensor, number)));
}

}  // namespace tsc
