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

}  // namespace tsc::cpu
