// torch._C._SafeKernelFunction: one kernel of an operator's, as a value.
#pragma once

#include "dispatch/kernel_function.h"
#include "dispatch/operator_handle.h"
#include "interp/runtime/type.h"

namespace tsc::interp {

extern const Type kKernelType;

// The kernel behind it. RuntimeError where its registration is gone.
const KernelFunction& kernel_of(const IValue& value);

// What a call at the key runs. RuntimeError where there is none.
IValue make_kernel_object(OperatorHandle op, DispatchKey key);
// torch.library.get_kernel(op, dispatch_key): what a call at the key runs.
IValue get_kernel_function(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp
