// The wish of a user to stop what is running (Ctrl-C). A signal handler sets the flag, parallel
// loops look at it between chunks and leave out the rest, and whoever called them throws.
#pragma once

#include <atomic>

#include "core/macros.h"

namespace tsc {

inline constinit std::atomic<bool> interrupt_flag{false};

inline bool interrupt_requested() { return interrupt_flag.load(std::memory_order_relaxed); }
// Safe in a signal handler.
inline void request_interrupt() { interrupt_flag.store(true, std::memory_order_relaxed); }
inline void clear_interrupt() { interrupt_flag.store(false, std::memory_order_relaxed); }

// Throws KeyboardInterrupt, and clears the flag, where an interrupt was requested.
TSC_API void throw_if_interrupted();

}  // namespace tsc
