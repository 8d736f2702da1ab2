// torch.jit.Plan: a traced function that runs without the dispatcher.
#pragma once

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// plan(*inputs), a method of torch.jit.ScriptFunction: for the inputs' shapes, or for those that
// were traced.
IValue plan_traced(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp
