// torch.func.functionalize(f, remove="mutations"): f without writes, or without views as well.
#pragma once

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

IValue functionalize_function(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp
