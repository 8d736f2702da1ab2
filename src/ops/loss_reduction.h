// How the losses of elements become one.
#pragma once

#include "gen/ops/reduce.h"

namespace tsc {

inline Tensor reduce_losses(const Tensor& losses, int64_t reduction) {
  enum Reduction : int64_t { kNone = 0, kMean = 1 };
  return reduction == kNone ? losses : reduction == kMean ? mean(losses) : sum(losses);
}

// Several targets for one example are refused.
inline void check_single_target(const Tensor& target) {
  TSC_CHECK(target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported");
}

}  // namespace tsc
