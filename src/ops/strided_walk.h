// Loops over several strided operands of one shape, for kernels that move elements one by one.
#pragma once

#include <array>

#include "core/array_ref.h"
#include "core/small_vector.h"

namespace tsc {

// Calls f(offsets) for every position of `sizes`, last dimension fastest, with each operand's
// offset in elements. `strides[k]` has a stride a dimension.
template <size_t K, class F>
void strided_walk(IntArrayRef sizes, const std::array<IntArrayRef, K>& strides, F f) {
  std::array<int64_t, K> offsets{};
  const size_t dims = sizes.size();
  if (dims == 0) {
    f(offsets);
    return;
  }
  for (const int64_t size : sizes) {
    if (size == 0) {
      return;
    }
  }
  const int64_t inner = sizes[dims - 1];
  std::array<int64_t, K> inner_strides;
  for (size_t k = 0; k < K; k++) {
    inner_strides[k] = strides[k][dims - 1];
  }
  DimVector position(dims);
  for (;;) {
    std::array<int64_t, K> at = offsets;
    for (int64_t i = 0; i < inner; i++) {
      f(at);
      for (size_t k = 0; k < K; k++) {
        at[k] += inner_strides[k];
      }
    }
    size_t d = dims - 1;
    for (;;) {
      if (d == 0) {
        return;
      }
      d--;
      for (size_t k = 0; k < K; k++) {
        offsets[k] += strides[k][d];
      }
      if (++position[d] < sizes[d]) {
        break;
      }
      for (size_t k = 0; k < K; k++) {
        offsets[k] -= strides[k][d] * sizes[d];
      }
      position[d] = 0;
    }
  }
}

// Elements that are only moved: calls f.template operator()<T>() with a plain type of that size.
struct Element128 {
  uint64_t low;
  uint64_t high;
};
template <class F>
auto dispatch_item_size(size_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f.template operator()<uint8_t>();
    case 2: return f.template operator()<uint16_t>();
    case 4: return f.template operator()<uint32_t>();
    case 8: return f.template operator()<uint64_t>();
    default: return f.template operator()<Element128>();
  }
}

}  // namespace tsc
