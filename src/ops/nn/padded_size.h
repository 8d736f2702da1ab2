#pragma once
// The size of a padded dimension, for any paddings that a person may write.
#include <cstdint>

#include "core/error.h"

namespace tsc {

// Smaller paddings are refused: their negatives, and what kernels add to them, would not fit.
inline constexpr int64_t kSmallestPadding = -(int64_t{1} << 62);

// size + before + behind. Where that does not fit, a negative number, which is no dimension's size, and
// which every caller refuses. RuntimeError where a padding is below kSmallestPadding.
inline int64_t padded_size(int64_t size, int64_t before, int64_t behind) {
  TSC_CHECK(before >= kSmallestPadding && behind >= kSmallestPadding,
            "padding ({}, {}) is out of range: the smallest is {}", before, behind,
            kSmallestPadding);
  int64_t sum = 0;
  bool overflows = __builtin_add_overflow(before, behind, &sum);
  overflows |= __builtin_add_overflow(sum, size, &sum);
  return overflows && sum >= 0 ? -1 : sum;
}

}  // namespace tsc
