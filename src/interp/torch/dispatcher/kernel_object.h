// torch._C._SafeKernelFunction: one kernel of an operator's, as a value.
#pragma once

#include "dispatch/kernel_function.h"
#include "dispatch/operator_handle.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kKernelType;

// The kernel behind the value. RuntimeError where its registration was removed.
const KernelFunction& kernel_of(const IValue& value);

// The kernel that a call at the key runs. RuntimeError where there is none.
IValue make_kernel_object(OperatorHandle op, DispatchKey key);
// torch.library.get_kernel(op, dispatch_key): the kernel that a call at the key runs.
IValue get_kernel_function(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp
