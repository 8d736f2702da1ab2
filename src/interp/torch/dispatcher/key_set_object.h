// torch._C.DispatchKeySet and torch.DispatchKey as values.
#pragma once

#include "core/keys/dispatch_key_set.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kDispatchKeySetType;
extern const Type kDispatchKeyType;

IValue make_key_set(DispatchKeySet keys);
IValue make_key(DispatchKey key);
// From a DispatchKeySet, a DispatchKey or its name. TypeError for anything else.
DispatchKeySet key_set_of_value(const IValue& value);
// From a DispatchKey or its name. RuntimeError for an unknown name.
DispatchKey key_of_value(const IValue& value);
// The same, and RuntimeError for an alias key, which has no cell in an operator's row.
DispatchKey runtime_key_of_value(const IValue& value);

}  // namespace tsc::interp
