// The reduction of the losses of elements: none, mean or sum.
#pragma once

#include "core/tensor_factory.h"
#include "gen/calls/item.h"
#include "gen/calls/mean.h"
#include "gen/calls/sum.h"

namespace tsc {

inline constexpr int64_t kNoReduction = 0;
inline constexpr int64_t kMeanReduction = 1;

inline Tensor reduce_losses(const Tensor& losses, int64_t reduction) {
  return reduction == kNoReduction     ? losses
         : reduction == kMeanReduction ? mean(losses)
                                       : sum(losses);
}

// The truth of one element, for which a device is waited for.
inline bool holds(const Tensor& condition) {
  return (condition.is_cpu() ? read_scalar(condition) : item(condition)).to_bool();
}

// Several targets for one example are refused.
inline void check_single_target(const Tensor& target) {
  TSC_CHECK(target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported");
}

}  // namespace tsc
