// The NaNCheck column: while the key is on, a call that makes nan or an infinity from finite
// operands is an error that names the operator, the line and the operands' values, in the forward
// pass and in the backward pass. It lies below Autograd, so it checks kernels, not composites.
#pragma once

#include "dispatch/kernel_function.h"

namespace tsc::keys {

void nan_check_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::keys
