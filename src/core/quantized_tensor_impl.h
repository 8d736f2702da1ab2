// QuantizedTensorImpl: integers that stand for floats.
//
//   value = (integer - zero point) * scale
#pragma once

#include "core/tensor.h"

namespace tsc {

class TSC_API QuantizedTensorImpl final : public TensorImpl {
 public:
  // `dtype` is quantized.
  QuantizedTensorImpl(Storage storage, ScalarType dtype, Device device, double scale,
                      int64_t zero_point)
      : TensorImpl(std::move(storage), dtype, device), scale_(scale), zero_point_(zero_point) {}

  TSC_USE_FREE_LIST(QuantizedTensorImpl)

  intrusive_ptr<TensorImpl> share() const override {
    auto copy =
        make_intrusive<QuantizedTensorImpl>(storage(), dtype(), device(), scale_, zero_point_);
    copy->set_key_set(key_set());
    return copy;
  }

  // One scale and zero point for the whole tensor.
  double scale() const { return scale_; }
  int64_t zero_point() const { return zero_point_; }
  void set_quantizer(double scale, int64_t zero_point) {
    scale_ = scale;
    zero_point_ = zero_point;
  }

 private:
  double scale_;
  int64_t zero_point_;
};

// `tensor` has a quantized dtype. RuntimeError where it has no scale and zero point: operators
// without a kernel for these dtypes may make such tensors.
inline QuantizedTensorImpl& quantized_impl(const Tensor& tensor) {
  auto* const impl = dynamic_cast<QuantizedTensorImpl*>(tensor.impl());
  TSC_CHECK(impl != nullptr, "a tensor of dtype {} without a scale and a zero point",
            tensor.dtype());
  return *impl;
}

}  // namespace tsc
