// dispatch.load(path), dispatch.unload(path), dispatch.plugins(): shared libraries that register
// operators, kernels and keys (dispatch/plugin.h).
#pragma once

#include "interp/runtime/objects/builtin.h"

namespace tsc::interp {

IValue load_plugin_function(Interpreter& interpreter, Arguments& arguments);
IValue unload_plugin_function(Interpreter& interpreter, Arguments& arguments);
// Absolute paths, in the order in which they were loaded.
IValue plugins_function(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp
