// Values as the watch, the tracer and the profiler write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/keys/dispatch_key_set.h"
#include "dispatch/ivalue.h"

namespace tsc::observe {

// "f32[2, 3]" for a tensor, with its device behind it where that is not the CPU; Python's notation
// for everything else. A tensor that stands for one of another device (keys/explain.h) is shown as
// that one.
TSC_API std::string value_notation(const IValue& value);
// A set's keys, lowest first. A functionality that has a key for each backend, in a set without
// backends, is called by itself: "Autograd", "Dense".
TSC_API std::vector<std::string_view> key_names(DispatchKeySet keys);
// "CPU, ADInplaceOrView"; "none".
TSC_API std::string key_list(DispatchKeySet keys);
// "src/ops/matrix/matmul.yaml:3": the place of a registration, relative to the project's root where
// it lies inside.
TSC_API std::string place_notation(std::string_view file, int line);

}  // namespace tsc::observe
