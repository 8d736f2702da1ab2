// Operators made by torch.library's functions: custom_op, define, impl, register_*.
//
// Scripts hold no library object for their registrations, which stay until the end.
#pragma once

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kCustomOpType;

// The library of an operator, for registrations without a library object: it stays until custom_op
// makes the operator anew or it is unregistered. `name` has its namespace.
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
