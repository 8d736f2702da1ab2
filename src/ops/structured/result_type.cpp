#include "ops/structured/result_type.h"

namespace tsc {
namespace {

ScalarType promote(ScalarType a, ScalarType b) {
  return a == ScalarType::Undefined ? b : b == ScalarType::Undefined ? a : promote_types(a, b);
}

// The kind of a type: 0 bool, 1 integer, 2 floating point, 3 complex.
int kind(ScalarType type) {
  return is_complex(type) ? 3 : is_floating_point(type) ? 2 : type == ScalarType::Bool ? 0 : 1;
}

// `high` determines the type, unless `low` is of a higher kind.
ScalarType combine(ScalarType high, ScalarType low) {
  if (high == ScalarType::Undefined) {
    return low;
  }
  if (low == ScalarType::Undefined || kind(high) >= kind(low)) {
    return high;
  }
  // A float becomes complex of its own width; anything else takes the lower category's type.
  return is_floating_point(high) ? to_complex_type(high) : low;
}

// A Python float has the default dtype, a Python complex its complex type; an int is int64, a bool
// bool.
ScalarType number_type(ScalarType type) {
  return is_complex(type)          ? default_complex_dtype()
         : is_floating_point(type) ? default_dtype()
                                   : type;
}

}  // namespace

void ResultTypeState::add(const Tensor& tensor) {
  if (!tensor.defined()) {
    return;
  }
  const ScalarType type = tensor.dtype();
  if (tensor.is_wrapped_number()) {
    wrapped = promote(wrapped, number_type(type));
  } else if (tensor.dim() == 0) {
    zero_dim = promote(zero_dim, type);
  } else {
    dimensioned = promote(dimensioned, type);
  }
}

void ResultTypeState::add(const Scalar& number) {
  wrapped = promote(wrapped, number_type(number.type()));
}

ScalarType ResultTypeState::result() const {
  return combine(dimensioned, combine(zero_dim, wrapped));
}

ScalarType promoted_type(const Tensor& a, const Tensor& b) {
  ResultTypeState state;
  state.add(a);
  state.add(b);
  return state.result();
}

ScalarType promoted_type(const Tensor& a, const Scalar& b) {
  ResultTypeState state;
  state.add(a);
  state.add(b);
  return state.result();
}

ScalarType promoted_type(const Scalar& a, const Tensor& b) { return promoted_type(b, a); }

ScalarType promoted_type(const Scalar& a, const Scalar& b) {
  ResultTypeState state;
  state.add(a);
  state.add(b);
  return state.result();
}

ScalarType promoted_type(TensorList tensors) {
  ResultTypeState state;
  for (const Tensor& tensor : tensors) {
    state.add(tensor);
  }
  return state.result();
}

void check_result_cast(ScalarType result, ScalarType output) {
  TSC_CHECK(can_cast(result, output), "result type {} can't be cast to the desired output type {}",
            result, output);
}

}  // namespace tsc
