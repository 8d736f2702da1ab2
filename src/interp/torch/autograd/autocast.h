// torch.autocast, and the functions that read and set its state.
#pragma once

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kAutocastType;

// "cpu" of a `device_type` argument. ValueError for anything but a string.
std::string autocast_device_name(const IValue& value);

// torch.NAME for is_autocast_enabled, set_autocast_dtype, ...; null where it is none of them.
const BuiltinDef* find_autocast_function(std::string_view name);
void list_autocast_functions(std::vector<std::string>& names);

}  // namespace tsc::interp
