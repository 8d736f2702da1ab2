// torch._C.DispatchKeySet and torch.DispatchKey as values.
#pragma once

#include "core/dispatch_key_set.h"
#include "interp/runtime/type.h"

namespace tsc::interp {

extern const Type kDispatchKeySetType;
extern const Type kDispatchKeyType;

IValue make_key_set(DispatchKeySet keys);
IValue make_key(DispatchKey key);
// From a DispatchKeySet, a DispatchKey or its name. TypeError for anything else.
DispatchKeySet key_set_of_value(const IValue& value);
// From a DispatchKey or its name. RuntimeError for a name that is none.
DispatchKey key_of_value(const IValue& value);
// The same, and RuntimeError for an alias key: what has a cell in an operator's row.
DispatchKey runtime_key_of_value(const IValue& value);

}  // namespace tsc::interp
