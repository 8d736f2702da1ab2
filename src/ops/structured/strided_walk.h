// Loops over several strided operands of one shape, for kernels that move elements one by one.
#pragma once

#include <array>

#include "core/array_ref.h"
#include "core/small_vector.h"
#include "core/system/interrupt.h"

namespace tsc {

// Calls f(offsets, inner_strides, count) for every row, a run along the last dimension, in
// row-major order, until Ctrl-C. `offsets[k]` is operand k's offset of the row's first element, in
// elements; `strides[k]` has a stride for each dimension, in elements.
template <size_t K, class F>
void strided_rows(IntArrayRef sizes, const std::array<IntArrayRef, K>& strides, F f) {
  std::array<int64_t, K> offsets{};
  std::array<int64_t, K> inner_strides{};
  const size_t dims = sizes.size();
  if (dims == 0) {
    f(offsets, inner_strides, int64_t{1});
    return;
  }
  for (const int64_t size : sizes) {
    if (size == 0) {
      return;
    }
  }
  for (size_t k = 0; k < K; k++) {
    inner_strides[k] = strides[k][dims - 1];
  }
  DimVector position(dims);
  for (;;) {
    throw_if_interrupted();
    f(offsets, inner_strides, sizes[dims - 1]);
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

// Calls f(offsets) for every position.
template <size_t K, class F>
void strided_walk(IntArrayRef sizes, const std::array<IntArrayRef, K>& strides, F f) {
  strided_rows<K>(
      sizes, strides,
      [&](std::array<int64_t, K> at, const std::array<int64_t, K>& step, int64_t count) {
        for_pieces(count, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; i++) {
            f(at);
            for (size_t k = 0; k < K; k++) {
              at[k] += step[k];
            }
          }
        });
      });
}

// For elements that are only moved: calls f.template operator()<T>() with a plain type of that
// size.
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
