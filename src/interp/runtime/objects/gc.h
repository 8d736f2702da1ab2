// When to look for garbage cycles.
#pragma once

#include "dispatch/heap_object.h"

namespace tsc::interp {

// Runs the cycle collector where twice as many containers live as after its last run. The VM calls
// it where it makes containers; values that only C++ holds are counted, so it is safe anywhere.
TSC_API void collect_if_due();
// gc.collect(): how many objects were freed.
TSC_API size_t collect_now();

}  // namespace tsc::interp
