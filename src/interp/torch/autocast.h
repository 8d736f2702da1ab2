// torch.autocast, and the functions that read and set its state.
#pragma once

#include "interp/runtime/type.h"

namespace tsc::interp {

extern const Type kAutocastType;

// torch.NAME for is_autocast_enabled, set_autocast_dtype, ...; null where it is none of them.
const BuiltinDef* find_autocast_function(std::string_view name);
void list_autocast_functions(std::vector<std::string>& names);

}  // namespace tsc::interp
