// torch._C.FunctionSchema and torch._C.Argument as values.
#pragma once

#include "dispatch/function_schema.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kFunctionSchemaType;
extern const Type kArgumentType;
extern const Type kAliasInfoType;

// The schema lives as long as the process.
IValue make_schema(const FunctionSchema& schema);
// torch._C.parse_schema(text)
IValue parse_schema_value(std::string_view text);

}  // namespace tsc::interp
