// Moves of elements that take the processor's widest stores, a copy for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/cpu/cpu_level.h"

namespace tsc::cpu {

struct Moves {
  // Writes `lines` copies of 64 bytes.
  void (*fill)(char* to, const char* line, int64_t lines);
  // `count` elements of `size` bytes, 2 to 8, of which `from` is the first, in a run that goes
  // backwards.
  void (*reverse)(char* to, const char* from, int64_t count, size_t size);
};

}  // namespace tsc::cpu

TSC_IN_CPU_LEVELS(tsc::cpu, extern const Moves kMoves;)

namespace tsc::cpu {
inline constexpr AtCpuLevels<const Moves> moves = {{TSC_AT_CPU_LEVELS(&::tsc::cpu, kMoves)}};
}  // namespace tsc::cpu
