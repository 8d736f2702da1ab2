// Records for every autograd node the script line of its call, while anomaly detection, which shows
// the lines, is on.
#pragma once

#include "core/macros.h"

namespace tsc::observe {

// For this thread.
TSC_API void keep_forward_lines(bool on);

}  // namespace tsc::observe
