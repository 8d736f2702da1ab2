// Which elements of an axis make an element of the resized axis, and with which weights.
#pragma once

#include <optional>

#include "ops/cpu/nn/upsample.h"

namespace tsc {

// Linear takes 2 elements, cubic 4 and Lanczos 6.
enum class UpsampleFilter : uint8_t { linear, cubic, lanczos };

// An axis of `in` elements that gets `out`. `scale` is the caller's, out / in without it.
struct ResizedAxis {
  int64_t in;
  int64_t out;
  bool align_corners = false;
  std::optional<double> scale;
};

// Outputs of an axis from `first` to before `last`.
struct OutputRange {
  int64_t first;
  int64_t last;
};

// Interpolation between the elements around a point, in the arithmetic of elements of `type`, for a
// part of the outputs. fused: the point is computed with one rounding.
cpu::UpsampleTaps linear_taps(const ResizedAxis& axis, OutputRange part, ScalarType type,
                              bool fused);
cpu::UpsampleTaps cubic_taps(const ResizedAxis& axis, ScalarType type);

// A filter that widens where the axis gets shorter, so that every element counts.
cpu::UpsampleTaps filter_taps(const ResizedAxis& axis, ScalarType type, UpsampleFilter filter);

// Fixed-point weights for bytes. widens: as filter_taps, or between the elements around a point.
cpu::UpsampleTaps byte_taps(const ResizedAxis& axis, UpsampleFilter filter, bool widens);

// The element that each one is a copy of: the one at or before its point, or (exact) the one whose
// centre is nearest.
std::vector<int64_t> nearest_sources(const ResizedAxis& axis, ScalarType type, bool exact);

}  // namespace tsc
