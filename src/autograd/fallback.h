// The Autograd column's fallback, for operators without a derivative formula.
#pragma once

#include "dispatch/kernel_function.h"

namespace tsc::autograd {

// The results of an in-tree operator get a NotImplemented node, which cannot be differentiated. The
// kernel of an out-of-tree operator may call operators that are recorded; results without a history
// get a node that warns and passes no gradient on.
TSC_API void autograd_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);
// Treats every operator as an in-tree one.
TSC_API void not_implemented_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::autograd
