// The interrupt flag of Ctrl-C. A signal handler sets it, and long work checks it about once in a
// millisecond: a loop over elements between two pieces (for_pieces), a parallel loop between two
// chunks (core/system/parallel.h), a loop with many instructions in each iteration at each one. A check
// costs a load and a jump that is not taken.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/macros.h"

namespace tsc {

inline constinit std::atomic<bool> interrupt_flag{false};

inline bool interrupt_requested() { return interrupt_flag.load(std::memory_order_relaxed); }
// Safe in a signal handler.
inline void request_interrupt() { interrupt_flag.store(true, std::memory_order_relaxed); }
inline void clear_interrupt() { interrupt_flag.store(false, std::memory_order_relaxed); }

// Throws KeyboardInterrupt, and clears the flag. Within a parallel loop the flag stays: it stops
// the other threads, too, and the loop clears it at its end.
[[noreturn]] TSC_API TSC_COLD void throw_interrupt();

inline void throw_if_interrupted() {
  if (TSC_UNLIKELY(interrupt_requested())) throw_interrupt();
}

// Elements of simple work that take about 0.1 ms.
inline constexpr int64_t kElementsBetweenPolls = 1 << 16;

// Calls f(begin, end) for piece after piece of [0, count), for loops that are too tight to look at
// the flag themselves.
template <class F>
void for_pieces(int64_t count, F&& f) {
  for (int64_t begin = 0; begin < count; begin += kElementsBetweenPolls) {
    throw_if_interrupted();
    f(begin, std::min(count, begin + kElementsBetweenPolls));
  }
}

}  // namespace tsc
