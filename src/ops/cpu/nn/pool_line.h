// The largest element of each window of a line, without its place: of one dimension a list of the
// windows (pool_list.h) would take longer than the pooling.
#pragma once

#include <cstdint>

#include "ops/cpu/cpu_level.h"

namespace tsc::cpu {

struct LineWindows {
  int64_t size;  // elements of a line
  int64_t kernel;
  int64_t stride;
  int64_t padding;
  int64_t dilation;
};

// Of contiguous elements, the windows [begin, end) of one line. A NaN is larger than all.
struct LinePool {
  void (*floats)(const LineWindows& windows, const float* in, float* out, int64_t begin,
                 int64_t end);
  void (*doubles)(const LineWindows& windows, const double* in, double* out, int64_t begin,
                  int64_t end);
};

}  // namespace tsc::cpu

TSC_IN_CPU_LEVELS(tsc::cpu, extern const LinePool kLinePool;)

namespace tsc::cpu {
inline constexpr AtCpuLevels<const LinePool> line_pool = {
    {TSC_AT_CPU_LEVELS(&::tsc::cpu, kLinePool)}};
}  // namespace tsc::cpu
