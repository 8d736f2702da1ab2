// The methods of lists that a run loop may want to know by their address, to do them in line.
#pragma once

#include "interp/runtime/call.h"

namespace tsc::interp {

TSC_API IValue list_append(Interpreter& interpreter, Arguments& arguments);
TSC_API IValue list_pop(Interpreter& interpreter, Arguments& arguments);
IValue reverse_list(const IValue& list);

}  // namespace tsc::interp
