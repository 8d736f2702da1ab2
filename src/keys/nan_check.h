// The NaNCheck column: while the key is on, a call that makes nan or an infinity from finite
// operands is an error that says which operator it was, on which line, and what the operands were
// like, in the forward pass and in the backward pass. It lies under Autograd: what it sees are
// kernels.
#pragma once

#include "dispatch/kernel_function.h"

namespace tsc::keys {

void nan_check_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::keys
