// Type promotion with its three categories: tensors with dimensions, 0-dim tensors, and wrapped
// Python numbers. A category decides only where the ones before it leave the kind (bool, integer,
// float, complex) open.
#pragma once

#include "core/scalar.h"
#include "core/scalar_type.h"
#include "core/tensor.h"

namespace tsc {

// The promoted type of each category so far; Undefined where there was none.
struct ResultTypeState {
  ScalarType dimensioned = ScalarType::Undefined;
  ScalarType zero_dim = ScalarType::Undefined;
  ScalarType wrapped = ScalarType::Undefined;

  void add(const Tensor& tensor);
  void add(const Scalar& number);
  ScalarType result() const;
};

// The dtype of an elementwise result of these operands.
TSC_API ScalarType promoted_type(const Tensor& a, const Tensor& b);
TSC_API ScalarType promoted_type(const Tensor& a, const Scalar& b);
TSC_API ScalarType promoted_type(const Scalar& a, const Tensor& b);
TSC_API ScalarType promoted_type(const Scalar& a, const Scalar& b);
TSC_API ScalarType promoted_type(TensorList tensors);

// RuntimeError where elements of one type cannot be stored as the other.
TSC_API void check_result_cast(ScalarType result, ScalarType output);

}  // namespace tsc
