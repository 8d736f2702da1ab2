// What a dispatch key is for, in words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/keys/dispatch_key_set.h"

namespace tsc::keys {

// Every key's name: runtime keys, those that are aliases, and the flags that are switched like
// keys.
TSC_API std::vector<std::string> key_names();
// What its column does, whether it is on and how it is switched; of a key that only PyTorch has,
// why there is none. nullopt where there is no such key.
TSC_API std::optional<std::string> key_help(std::string_view name);

// A column's record, or an alias's, as `:keys all` shows it.
struct ColumnRow {
  std::string key;              // "AutogradBACKEND" where there is one for each backend
  std::string_view calls = {};  // which calls have the key; "" for an alias
  std::string_view role = {};
  std::string_view switched_as = {};  // "" where it is not switched
  std::string fallback = {};
  std::string_view purpose;

  bool is_alias() const { return calls.empty(); }
};
// Every column, highest priority first, then the aliases.
TSC_API std::vector<ColumnRow> column_rows();
TSC_API std::string columns_text(const std::vector<ColumnRow>& rows);

}  // namespace tsc::keys
