// The values of an input at given points, of which a vector's lanes take one each. (The formulas are
// those of ops/nn/grid_sampler.cpp, which has the other interpolations and paddings.)
#pragma once

#include <cstdint>

#include "ops/cpu/cpu_level.h"

namespace tsc::cpu {

struct GridPoints {
  int dims;            // 2 or 3
  int64_t sizes[3];    // of the input's dimensions
  int64_t strides[3];  // of the same, in elements
  int64_t channels;
  int64_t channel_stride;
  int64_t points;
  bool align_corners;
  bool is_clipped;  // to the input's borders; elements outside are 0 otherwise
  bool is_nearest;  // the nearest element's value in place of a mean of those around
};

struct GridKernels {
  // The points [begin, end) of an example. Null where the processor has no fused multiply-add, which
  // the coordinates in two dimensions take.
  void (*floats)(const GridPoints& shape, const float* input, const float* grid, float* out,
                 int64_t begin, int64_t end);
  void (*doubles)(const GridPoints& shape, const double* input, const double* grid, double* out,
                  int64_t begin, int64_t end);
};

}  // namespace tsc::cpu

TSC_IN_CPU_LEVELS(tsc::cpu, extern const GridKernels kGridKernels;)

namespace tsc::cpu {
inline constexpr AtCpuLevels<const GridKernels> grid_kernels = {
    {TSC_AT_CPU_LEVELS(&::tsc::cpu, kGridKernels)}};
}  // namespace tsc::cpu
