// The Meta column's fallback, for operators without a meta function.
#pragma once

#include "dispatch/kernel_function.h"

namespace tsc::keys {

// NotImplementedError that says how to give the operator a meta function.
void meta_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::keys
