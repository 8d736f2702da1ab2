// Contiguous memory as lines of elements: element p of line (o, i) has the number (o * size + p) *
// inner + i.
#pragma once

#include <cstdint>

namespace tsc::cpu {

struct LineShape {
  int64_t outer;
  int64_t size;
  int64_t inner;

  int64_t numel() const { return outer * size * inner; }
};

// Lines in memory of any strides, which are counted in elements: element p of line (o, i) is
// o * outer + p * size + i * inner behind the first.
struct LineStrides {
  int64_t outer;
  int64_t size;
  int64_t inner;
};

}  // namespace tsc::cpu
