// Tensors of the CPU in page-locked memory, which CUDA devices copy from and to while the host goes on.
#pragma once

#include <optional>
#include <utility>

#include "core/tensor.h"

namespace tsc {

// A copy in such memory, dense in the order of self's dimensions. RuntimeError where self is not a
// strided tensor of the CPU, or where there is no CUDA device.
TSC_API Tensor copy_to_pinned(const Tensor& self);
// Of a factory's result; the error is worded for one.
TSC_API Tensor pinned_result(const Tensor& result);
// That, where the factory's argument asks for it.
inline Tensor pinned_if(std::optional<bool> pin_memory, const Tensor& result) {
  return TSC_LIKELY(!pin_memory.value_or(false)) ? result : pinned_result(result);
}
inline Tensor pinned_if(std::optional<bool> pin_memory, Tensor&& result) {
  return TSC_LIKELY(!pin_memory.value_or(false)) ? std::move(result) : pinned_result(result);
}

}  // namespace tsc
