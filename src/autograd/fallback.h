// The Autograd column's fallback: what happens to operators that have no formula.
#pragma once

#include "dispatch/kernel_function.h"

namespace tsc::autograd {

// An in-tree operator's results get a node that cannot be differentiated: NotImplemented. An
// out-of-tree operator's kernel may be made of operators that are recorded; results that are not
// get a node that warns and passes nothing on.
TSC_API void autograd_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
// The first of the two for every operator.
TSC_API void not_implemented_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::autograd
