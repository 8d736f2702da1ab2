// Python's builtin names: functions, classes, exceptions and constants.
#pragma once

#include <string>
#include <vector>

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// False where there is no such name. The same value each time.
TSC_API bool find_builtin(std::string_view name, IValue& result);
// A name that is found behind the builtins without an import: torch's, then
// torch.nn.functional's. Defined by interp/torch/.
bool find_torch_name(std::string_view name, IValue& result);
// Sorted, for completion and dir().
TSC_API std::vector<std::string_view> builtin_names();

}  // namespace tsc::interp
