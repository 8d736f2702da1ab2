// Upsampling: resizes the spatial axes of dense memory, [outer][depth][height][width][inner].
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/scalar_type.h"

namespace tsc::cpu {

// The inputs that make an output along one axis: output o is the sum of inputs index[k] times
// weight[k], for k from begin[o] to begin[o + 1].
struct UpsampleTaps {
  int64_t in = 1;
  int64_t out = 1;
  std::vector<int64_t> begin;
  std::vector<int64_t> index;
  std::vector<double> weight;  // exact in the type that is computed in
  int precision = 0;           // bytes: weights are integers, with so many bits behind the point

  // An axis without taps is not resized.
  bool present() const { return !begin.empty(); }
};

// What the inputs of the outputs were: the same weights, by input.
UpsampleTaps transposed(const UpsampleTaps& taps);

// How an element's products are added up, which decides its rounding.
enum class UpsampleSum : uint8_t { interpolate, bilinear, filter, gradient };

struct Upsample {
  ScalarType type;
  UpsampleSum sum;
  int64_t outer;
  std::array<UpsampleTaps, 3> axes;  // depth, height, width
  int64_t inner;
  // Where set, axes[2] has no taps: this makes those of outputs `first` to before `last`, on the
  // thread that needs them. Their indices do not fall.
  std::function<UpsampleTaps(int64_t first, int64_t last)> width_taps;
};

void upsample(Upsample call, char* to, const char* from);

// Copies: output o of an axis is input source[o], and sources grow.
struct UpsampleNearest {
  ScalarType type;
  int64_t outer;
  std::array<int64_t, 3> in;
  std::array<std::vector<int64_t>, 3> source;
  int64_t inner;
};

void upsample_nearest(const UpsampleNearest& call, char* to, const char* from);
// The sums, in the order of memory, of the gradients of the elements that were copied from each.
void upsample_nearest_backward(const UpsampleNearest& call, char* to, const char* gradient);

}  // namespace tsc::cpu
