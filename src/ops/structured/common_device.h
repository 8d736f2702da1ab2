// The device on which an operator's results live: that of its tensors.
#pragma once

#include "core/device_guard.h"
#include "core/tensor.h"

namespace tsc {

namespace detail {

inline const Tensor* first_defined(const Tensor& tensor) {
  return tensor.defined() ? &tensor : nullptr;
}
inline const Tensor* first_defined(OptionalTensorRef tensor) { return first_defined(*tensor); }
inline const Tensor* first_defined(TensorList tensors) {
  for (const Tensor& tensor : tensors) {
    if (tensor.defined()) {
      return &tensor;
    }
  }
  return nullptr;
}

}  // namespace detail

// The device of the first tensor that has dimensions, since a 0-dim CPU tensor may be combined with
// tensors of another device; where all are 0-dim, of the first that is elsewhere than on the CPU; the CPU
// where there is none.
template <class... Tensors>
Device common_device(const Tensors&... tensors) {
  const Tensor* chosen = nullptr;
  const auto consider = [&](const Tensor* tensor) {
    if (tensor == nullptr) return;
    const bool is_better =
        chosen == nullptr ||
        (chosen->dim() == 0 && (tensor->dim() != 0 || (chosen->is_cpu() && !tensor->is_cpu())));
    if (is_better) chosen = tensor;
  };
  (consider(detail::first_defined(tensors)), ...);
  return chosen == nullptr ? Device(DeviceType::CPU) : chosen->device();
}

}  // namespace tsc
