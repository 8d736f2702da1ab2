// tensor.untyped_storage(): the memory behind a tensor, as bytes.
#pragma once

#include "core/storage.h"
#include "interp/runtime/type.h"

namespace tsc::interp {

IValue make_storage_object(Storage storage);

}  // namespace tsc::interp
