// The Meta column's fallback: an operator that nobody told how its results are shaped.
#pragma once

#include "dispatch/kernel_function.h"

namespace tsc::keys {

// NotImplementedError, with the mend.
[[noreturn]] void meta_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::keys
