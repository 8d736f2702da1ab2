// Sums, products and quotients with tensors of zeros, of which only the other operand is read.
#include <cmath>

#include "core/tensor_factory.h"
#include "gen/ops/binary.h"
#include "gen/ops/copy.h"
#include "gen/ops/factory.h"
#include "gen/ops/math_bits.h"
#include "gen/ops/shape.h"
#include "gen/ops/unary.h"
#include "gen/ops/view.h"
#include "keys/math_bits.h"
#include "ops/static_kernel.h"

namespace tsc::keys {

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

Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const Tensor result = tsc::add(on_meta(self), on_meta(other), alpha);
  if (!self.is_zero_tensor()) {
    return as_result(self, result);
  }
  return other.is_zero_tensor() ? zeros_like_result(result, self.device())
                                : as_result(tsc::mul(other, alpha), result);
}

Tensor sub(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const Tensor result = tsc::sub(on_meta(self), on_meta(other), alpha);
  if (!self.is_zero_tensor()) {
    return as_result(self, result);
  }
  return other.is_zero_tensor() ? zeros_like_result(result, self.device())
                                : as_result(tsc::mul(neg(other), alpha), result);
}

Tensor mul(const Tensor& self, const Tensor& other) {
  return zeros_like_result(tsc::mul(on_meta(self), on_meta(other)), self.device());
}

Tensor div(const Tensor& self, const Tensor& other) {
  const Tensor result = tsc::div(on_meta(self), on_meta(other));
  if (!other.is_zero_tensor()) {
    return zeros_like_result(result, self.device());
  }
  // PyTorch looks at neither the signs nor the zeros of what is divided.
  return full(result.sizes(), self.is_zero_tensor() ? NAN : INFINITY,
              result.options().device(self.device()));
}

Tensor linalg_cross(const Tensor& self, const Tensor& other, int64_t dim) {
  return zeros_like_result(tsc::linalg_cross(on_meta(self), on_meta(other), dim), self.device());
}

const ColumnKernel kKernels[] = {
    {"add.Tensor", TSC_STATIC_KERNEL(ops::add_Tensor::Signature, add, __FILE__, __LINE__)},
    {"div.Tensor", TSC_STATIC_KERNEL(ops::div_Tensor::Signature, div, __FILE__, __LINE__)},
    {"linalg_cross",
     TSC_STATIC_KERNEL(ops::linalg_cross::Signature, linalg_cross, __FILE__, __LINE__)},
    {"mul.Tensor", TSC_STATIC_KERNEL(ops::mul_Tensor::Signature, mul, __FILE__, __LINE__)},
    {"sub.Tensor", TSC_STATIC_KERNEL(ops::sub_Tensor::Signature, sub, __FILE__, __LINE__)},
};

}  // namespace

ArrayRef<ColumnKernel> zero_tensor_kernels() { return kKernels; }

}  // namespace tsc::keys
