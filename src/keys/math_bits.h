// The columns Conjugate, Negative and ZeroTensor. A kernel reads memory; where an argument's bits
// say that its elements are other than that, these columns' fallbacks run it on copies. Operators
// that look at sizes only, make views or can do with the bits fall through: `fallthrough` in their
// rows.
#pragma once

#include "dispatch/stack.h"

namespace tsc::keys {

TSC_API void conjugate_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
TSC_API void negative_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
TSC_API void zero_tensor_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::keys
