// Sums, products and quotients with tensors of zeros, of which only the other operand is read.
#include <cmath>

#include "core/tensor_factory.h"
#include "gen/calls/_efficientzerotensor.h"
#include "gen/calls/add.h"
#include "gen/calls/clone.h"
#include "gen/calls/div.h"
#include "gen/calls/expand.h"
#include "gen/calls/full.h"
#include "gen/calls/linalg_cross.h"
#include "gen/calls/mul.h"
#include "gen/calls/neg.h"
#include "gen/calls/sub.h"
#include "gen/calls/to.h"
#include "gen/ops/binary_native.h"
#include "gen/ops/shape_native.h"
#include "ops/structured/static_kernel.h"

namespace tsc {

namespace {

// A tensor of the same sizes and dtype, for an operator that is asked for its result's.
Tensor on_meta(const Tensor& tensor) {
  return empty_strided_tensor(tensor.sizes(), tensor.strides(), tensor.dtype(), DeviceType::Meta);
}

Tensor zeros_like_result(const Tensor& result, Device device) {
  return _efficientzerotensor(result.sizes(), TensorOptions(result.dtype(), std::nullopt, device));
}

// The operand that is not zero, as the result.
Tensor as_result(const Tensor& operand, const Tensor& result) {
  return clone(expand(to(operand, result.dtype()), result.sizes()), MemoryFormat::Contiguous);
}

}  // namespace

namespace native {

Tensor zero_tensor_add(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const Tensor result = tsc::add(on_meta(self), on_meta(other), alpha);
  if (!self.is_zero_tensor()) {
    return as_result(self, result);
  }
  return other.is_zero_tensor() ? zeros_like_result(result, self.device())
                                : as_result(tsc::mul(other, alpha), result);
}

Tensor zero_tensor_sub(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const Tensor result = tsc::sub(on_meta(self), on_meta(other), alpha);
  if (!self.is_zero_tensor()) {
    return as_result(self, result);
  }
  return other.is_zero_tensor() ? zeros_like_result(result, self.device())
                                : as_result(tsc::mul(neg(other), alpha), result);
}

Tensor zero_tensor_mul(const Tensor& self, const Tensor& other) {
  return zeros_like_result(tsc::mul(on_meta(self), on_meta(other)), self.device());
}

Tensor zero_tensor_div(const Tensor& self, const Tensor& other) {
  const Tensor result = tsc::div(on_meta(self), on_meta(other));
  if (!other.is_zero_tensor()) {
    return zeros_like_result(result, self.device());
  }
  // PyTorch looks at neither the signs nor the zeros of what is divided.
  return full(result.sizes(), self.is_zero_tensor() ? NAN : INFINITY,
              result.options().device(self.device()));
}

Tensor zero_tensor_linalg_cross(const Tensor& self, const Tensor& other, int64_t dim) {
  return zeros_like_result(tsc::linalg_cross(on_meta(self), on_meta(other), dim), self.device());
}

}  // namespace native
}  // namespace tsc
