// Converts the generator's words to numbers: plain functions over contiguous runs, one set for each
// instruction set.
#pragma once

#include <cstdint>

namespace tsc::cpu {

struct RandomFill {
  // `count` uniform numbers in [from, to), from one word each.
  void (*uniform_float)(float* out, const uint32_t* words, int64_t count, float from, float to);
  // The same from two words each, the upper half first.
  void (*uniform_double)(double* out, const uint32_t* words, int64_t count, double from, double to);
  // In place: blocks of 16 uniform numbers in [0, 1) become 16 normal ones.
  void (*uniform_to_normal)(float* data, int64_t blocks, float mean, float deviation);
};

}  // namespace tsc::cpu
