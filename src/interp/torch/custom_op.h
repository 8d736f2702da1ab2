// Operators made by torch.library's functions: custom_op and its kin, define, impl, register_*.
//
// What they register has no library object that a script holds: it stays until the end.
#pragma once

#include "interp/runtime/type.h"

namespace tsc::interp {

extern const Type kCustomOpType;

// The library of an operator, for what is registered without one: it stays, until custom_op makes
// it anew or it is unregistered. `name` has its namespace.
IValue& kept_library(const std::string& name);

// torch.library.NAME
IValue custom_op_function(Interpreter& interpreter, Arguments& arguments);
IValue define_function(Interpreter& interpreter, Arguments& arguments);
IValue impl_function(Interpreter& interpreter, Arguments& arguments);
IValue infer_schema_function(Interpreter& interpreter, Arguments& arguments);
IValue register_autocast_function(Interpreter& interpreter, Arguments& arguments);
IValue register_autograd_function(Interpreter& interpreter, Arguments& arguments);
IValue register_fake_function(Interpreter& interpreter, Arguments& arguments);
IValue register_kernel_function(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp
