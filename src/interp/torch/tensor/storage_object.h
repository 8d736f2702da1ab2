// tensor.untyped_storage(): the memory behind a tensor, as bytes.
#pragma once

#include "core/storage.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

IValue make_storage_object(Storage storage);
// Null where `value` is something else.
Storage storage_of_value(const IValue& value);

}  // namespace tsc::interp
