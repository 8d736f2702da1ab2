// Keys of a plug-in's own. Eight places in the order are kept free for them (core/dispatch_key.h):
// a plug-in claims the one that it needs, under a name of its own, and gives it back when it goes.
#pragma once

#include <string>
#include <vector>

#include "core/dispatch_key_set.h"

namespace tsc {

inline constexpr DispatchKey kCustomKeys[] = {
    DispatchKey::Custom1, DispatchKey::Custom2, DispatchKey::Custom3, DispatchKey::Custom4,
    DispatchKey::Custom5, DispatchKey::Custom6, DispatchKey::Custom7, DispatchKey::Custom8};

inline constexpr DispatchKeySet kCustomKeySet = [] {
  DispatchKeySet keys;
  for (const DispatchKey key : kCustomKeys) {
    keys = keys | DispatchKeySet(key);
  }
  return keys;
}();

enum class KeyPlace : uint8_t { Above, Below };

// The free key nearest to `anchor` on its side, which has the name from now on. RuntimeError for a
// name that a key has, and where no key is free on that side.
TSC_API DispatchKey claim_custom_key(std::string_view name, KeyPlace place, DispatchKey anchor);
TSC_API void release_custom_key(DispatchKey key);
// Lowest priority first.
TSC_API std::vector<DispatchKey> claimed_custom_keys();
// Whether the key is one of those, and nobody's.
TSC_API bool is_unclaimed(DispatchKey key);

}  // namespace tsc
