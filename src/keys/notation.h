// Values as the watch, the tracer and the profiler write them.
#pragma once

#include <string>

#include "dispatch/ivalue.h"

namespace tsc::keys {

// "f32[2, 3]" for a tensor, with its device behind it where that is not the CPU; Python's notation
// for everything else.
TSC_API std::string value_notation(const IValue& value);

}  // namespace tsc::keys
