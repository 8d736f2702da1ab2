// When to look for garbage cycles.
#pragma once

#include "dispatch/heap_object.h"

namespace tsc::interp {

// Runs the cycle collector where twice as many containers live as after its last run. The VM calls
// it where it makes containers; values that only C++ holds are counted, so it is safe anywhere.
TSC_API void collect_if_due();
// gc.collect(): how many objects were freed.
TSC_API size_t collect_now();

// Lets malloc keep what lists and dicts give back: a list that grows passes through sizes that
// would be mapped and unmapped each time, which costs more than filling them.
TSC_API void prepare_heap();

}  // namespace tsc::interp
