// The space that is left of this thread's C++ stack. Functions that recurse over a user's data or
// code check it before they go deeper, so that the end of the stack is an error and never a signal,
// whatever `ulimit -s` says.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/macros.h"

namespace tsc {

// The lowest address that a frame that recurses may have: below it is room for a kernel, an error
// and its unwinding. At first above every address, so that the first check measures.
extern TSC_API constinit thread_local uintptr_t stack_floor;

TSC_API TSC_COLD bool measure_stack_is_low(uintptr_t frame);

// True where the caller must not recurse any further.
TSC_ALWAYS_INLINE bool stack_is_low() {
  const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return TSC_UNLIKELY(frame < stack_floor) && measure_stack_is_low(frame);
}

// RecursionError "maximum recursion depth exceeded DOING".
[[noreturn]] TSC_API TSC_COLD void throw_too_deep(std::string_view doing);

TSC_ALWAYS_INLINE void check_stack_space(std::string_view doing) {
  if (stack_is_low()) {
    throw_too_deep(doing);
  }
}

}  // namespace tsc
