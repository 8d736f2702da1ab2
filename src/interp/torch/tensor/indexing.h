// x[...] and x[...] = value: Python's subscript as operator calls, the way PyTorch's own binding
// takes it apart.
#pragma once

#include "dispatch/ivalue.h"

namespace tsc::interp {

IValue get_tensor_item(const IValue& self, const IValue& key);
void set_tensor_item(const IValue& self, const IValue& key, const IValue& value);

}  // namespace tsc::interp
