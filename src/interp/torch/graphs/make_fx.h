// torch.fx.experimental.proxy_tensor.make_fx(f): f's graph, from running it once with a dispatch
// mode that writes down every call.
#pragma once

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

class FunctionObject;

IValue make_fx_function(Interpreter& interpreter, Arguments& arguments);

// The function of a script behind those that wrap it, as functools.wraps says; null for others.
const FunctionObject* wrapped_function(const IValue& callee);

}  // namespace tsc::interp
