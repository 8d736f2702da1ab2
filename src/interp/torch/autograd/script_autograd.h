// Gradients that are functions of a script: torch.library.register_autograd.
#pragma once

#include "dispatch/operator_handle.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kAutogradKernelType;
extern const Type kAutogradContextType;

// A kernel for the Autograd key, to be registered with its key set: redispatches, and records a
// node that calls `backward(ctx, *grads)`. `setup_context(ctx, inputs, output)` may save values for
// it. Either may be None: without `backward` the node is an error when it is reached.
IValue make_autograd_kernel(OperatorHandle op, IValue backward, IValue setup_context);

}  // namespace tsc::interp
