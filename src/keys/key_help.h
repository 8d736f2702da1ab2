// What a dispatch key is for, in words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch_key_set.h"

namespace tsc::keys {

// Every key's name: runtime keys, those that are aliases, and the flags that are switched like
// keys.
TSC_API std::vector<std::string> key_names();
// What its column does, whether it is on and how it is switched; nullopt where there is no such
// key.
TSC_API std::optional<std::string> key_help(std::string_view name);

}  // namespace tsc::keys
