// The SchemaCheck column: while the key is on, every call that reaches a kernel is held to its
// schema: what it writes is marked `(a!)`, and what it returns shares memory only with what has its
// letter.
#pragma once

#include "dispatch/function_schema.h"
#include "dispatch/kernel_function.h"

namespace tsc::keys {

// RuntimeErrors that name the argument; "self" is what Python calls "input".
[[noreturn]] TSC_API void throw_undeclared_write(const Argument& argument);
[[noreturn]] TSC_API void throw_undeclared_alias(const Argument& argument);

void schema_check_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::keys
