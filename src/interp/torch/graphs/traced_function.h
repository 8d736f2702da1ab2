// torch.jit.trace: a function as the graph of its operator calls.
#pragma once

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// trace(func, example_inputs=None, optimize=None, check_trace=True, check_inputs=None,
//       check_tolerance=1e-5, strict=True)
IValue trace_function(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp
