// The channels of a contiguous tensor as rows of a device's kernels of normalization.
#pragma once

#include "ops/structured/device_kernels.h"
#include "ops/structured/fill.h"

namespace tsc {

// Whether there is such a kernel for the tensor.
inline bool has_channel_rows(const Tensor& input) {
  return is_on_device(input) && is_floating_point(input.dtype()) && input.dim() >= 2 &&
         input.numel() != 0 && input.suggest_memory_format() == MemoryFormat::Contiguous;
}

inline NormalizeCall channel_rows(NormalizeCall::Step step, const Tensor& input, double eps,
                                  ArrayRef<MapMemory> memory, double momentum = 0) {
  const int64_t batch = input.size(0);
  const int64_t channels = input.size(1);
  const int64_t chunk = input.numel() / (batch * channels);
  const ScalarType type =
      is_reduced_floating_point(input.dtype()) ? ScalarType::Float : input.dtype();
  return {.step = step,
          .device = input.device(),
          .compute = type,
          .rows = channels,
          .chunks = batch,
          .chunk = chunk,
          .apart = channels * chunk,
          .run = batch * chunk,
          .sets = channels,
          .eps = eps,
          .memory = memory,
          .momentum = momentum};
}

}  // namespace tsc
