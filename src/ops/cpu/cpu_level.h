// The instruction sets that kernels are compiled for, and the one that runs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tsc::cpu {

enum class CpuLevel : uint8_t { baseline, avx2, avx512 };

// The instruction set in use: the processor's best, or, if the processor has it, the one named by
// the environment variable TSC_CPU_LEVEL (baseline, avx2, avx512). Found at the first call.
CpuLevel cpu_level();
const char* to_string(CpuLevel level);

// How many bytes ahead a loop prefetches: 1 KiB where the processor's own prefetching ends at each
// page, so that the loop would wait for data outside of the core's cache; elsewhere that costs a
// fifth of the time, and 0 costs nothing. cpu_level() sets it, before any kernel runs.
extern ptrdiff_t prefetch_distance;

// Declarations in the namespace of each instruction set within `scope`, and what has that name in
// each, separated by commas.
#if defined(__x86_64__)
inline constexpr int kCpuLevels = 3;
#define TSC_IN_CPU_LEVELS(scope, ...) \
  namespace scope::baseline {         \
  __VA_ARGS__                         \
  }                                   \
  namespace scope::avx2 {             \
  __VA_ARGS__                         \
  }                                   \
  namespace scope::avx512 {           \
  __VA_ARGS__                         \
  }
#define TSC_AT_CPU_LEVELS(scope, name) scope::baseline::name, scope::avx2::name, scope::avx512::name
#else
inline constexpr int kCpuLevels = 1;
#define TSC_IN_CPU_LEVELS(scope, ...) \
  namespace scope::baseline {         \
  __VA_ARGS__                         \
  }
#define TSC_AT_CPU_LEVELS(scope, name) scope::baseline::name
#endif

// The copies of a function or an object: called, or followed, it is that of the instruction set in
// use.
template <class T>
struct AtCpuLevels {
  T* copies[kCpuLevels];

  T* at(CpuLevel level) const { return copies[static_cast<size_t>(level)]; }
  T* operator->() const { return at(cpu_level()); }
  template <class... A>
  auto operator()(A... arguments) const {
    return at(cpu_level())(arguments...);
  }
};

}  // namespace tsc::cpu
