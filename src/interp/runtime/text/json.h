// Values as JSON.
#pragma once

#include <string>

#include "dispatch/ivalue.h"

namespace tsc::interp {

// JSON of None, bool, int, float, str, and lists, tuples and dicts of those, on one line. A dict's
// keys keep their order. TypeError for other values.
TSC_API std::string json_text(const IValue& value);

}  // namespace tsc::interp
