// Switching columns on and off for this thread, by the names that a person types.
//
//   switch_on("Profiler")    the key is included in every call's set
//   switch_off("Autograd")   the functionality is excluded from every call's set
//   switch_on("no_grad")     grad mode is off: a flag that the Autograd kernels read; the sets do
//                            not change
//
// A key's record (core/keys/dispatch_keys.def) says what its switch is called, or why there is none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/keys/dispatch_key_set.h"

namespace tsc::observe {
class KeyCounter;
}

namespace tsc::keys {

// ValueError for a name without a switch: why a key has none, what PyTorch has the key for, or the
// nearest name. A key that comes into calls by being switched on needs a fallback first.
TSC_API void switch_on(std::string_view name);
TSC_API void switch_off(std::string_view name);
TSC_API bool is_on(std::string_view name);

// What differs from the default, as the prompt shows it: "Profiler", "-Autograd", "no_grad".
TSC_API std::vector<std::string> differences();

// One row of `:keys`, highest priority first.
struct KeyRow {
  std::string name;
  DispatchKeySet keys;  // empty for a flag
  bool on;
  bool changed;  // from the default
  std::string_view purpose;
};
TSC_API std::vector<KeyRow> key_rows();
// `:keys`, with how often each key ran and was passed where a counter is given.
TSC_API std::string switches_text(const std::vector<KeyRow>& rows,
                                  const observe::KeyCounter* counter);

// Every name that can be switched, for completion.
TSC_API std::vector<std::string> switch_names();

}  // namespace tsc::keys
