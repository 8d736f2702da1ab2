// Work that cannot look at the interrupt flag, since it is LAPACK's.
//
// It runs on a thread of its own while the caller waits. After Ctrl-C the caller throws
// KeyboardInterrupt at once, and the work goes on behind its back until it is done, on the copy of
// the library that it began with: calls that come after it use another (ops/cpu/openblas.h). So it
// must own all that it reads and writes. When the program ends, work that still runs ends with it.
#pragma once

#include <functional>

#include "core/macros.h"

namespace tsc::cpu {

// Starting a thread takes some 50 microseconds: for work that may take 20 ms and longer. What the
// work throws, this throws.
TSC_API void run_in_background(std::function<void()> work);

}  // namespace tsc::cpu
