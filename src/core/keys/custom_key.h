// Keys of a plug-in's own. Eight places in the order are kept free for them
// (core/keys/dispatch_keys.def): a plug-in claims the one that it needs, with a record as the other keys
// have one, and gives it back when it goes.
#pragma once

#include <string>
#include <vector>

#include "core/keys/dispatch_key_set.h"

namespace tsc {

inline constexpr DispatchKey kCustomKeys[] = {
#define TSC_CUSTOM_COLUMN(name) DispatchKey::name,
#include "core/keys/dispatch_keys.def"
};

inline constexpr DispatchKeySet kCustomKeySet = [] {
  DispatchKeySet keys;
  for (const DispatchKey key : kCustomKeys) {
    keys = keys | DispatchKeySet(key);
  }
  return keys;
}();

enum class KeyPlace : uint8_t { Above, Below };

// The free key nearest to `anchor` on its side, which has the record from now on; without a word on
// its switch, it is switched by its name. RuntimeError for a name that a key has, a record that
// lacks something (core/keys/key_record.h), a presence that is neither Included nor OfTensors, and where
// no key is free on that side.
TSC_API DispatchKey claim_custom_key(const KeyRecord& record, KeyPlace place, DispatchKey anchor);
// Gives the key back, with the thread's switch of it.
TSC_API void release_custom_key(DispatchKey key);
// Lowest priority first.
TSC_API std::vector<DispatchKey> claimed_custom_keys();
// Whether the key is one of those, and nobody's.
TSC_API bool is_unclaimed(DispatchKey key);
// kLookers, and the keys of plug-ins whose columns only look.
TSC_API DispatchKeySet looking_keys();

}  // namespace tsc
