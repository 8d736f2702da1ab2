// The SchemaCheck column: while the key is on, every call that reaches a kernel is checked against
// its schema: arguments that it writes are marked `(a!)`, and results share memory only with
// arguments of the same alias set.
#pragma once

#include "dispatch/function_schema.h"
#include "dispatch/kernel_function.h"

namespace tsc::keys {

// RuntimeErrors that name the argument; the schema's "self" is Python's "input".
[[noreturn]] TSC_API void throw_undeclared_write(const Argument& argument);
[[noreturn]] TSC_API void throw_undeclared_alias(const Argument& argument);

void schema_check_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::keys
