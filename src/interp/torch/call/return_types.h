// The named tuples that operators with several named returns give:
// torch.return_types.max(values=..., indices=...).
#pragma once

#include "dispatch/function_schema.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// A tuple, with names where the schema names its returns.
IValue make_return_value(const FunctionSchema& schema, std::vector<IValue> items);

}  // namespace tsc::interp
