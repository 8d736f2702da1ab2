// Runs work that cannot check the interrupt flag because it is inside of LAPACK.
//
// The work runs on a thread of its own while the caller waits. After Ctrl-C the caller throws
// KeyboardInterrupt at once, and the work goes on in the background until it is done, on the copy
// of the library that it began with: later calls use another copy (ops/cpu/matrix/openblas.h). So
// it must own all memory that it reads and writes. When the program ends, work that still runs ends
// with it.
#pragma once

#include <functional>

#include "core/macros.h"

namespace tsc::cpu {

// Starting a thread takes some 50 microseconds: for work that may take 20 ms and longer. Rethrows
// the exceptions of the work.
TSC_API void run_in_background(std::function<void()> work);

}  // namespace tsc::cpu
