// The record of a dispatch key: all that is true of it (core/keys/dispatch_keys.def). A plug-in's key
// has one, too (core/keys/custom_key.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/device.h"

namespace tsc {

// Backends are the device types, in their order: the lowest bits of a key set.
enum class Backend : uint8_t {
#define TSC_DEFINE(prefix, name, ...) name,
  TSC_FORALL_BACKENDS(TSC_DEFINE, )
#undef TSC_DEFINE
};
inline constexpr int kNumBackends = kNumDeviceTypes;

// How a column's key comes into the set of a call.
enum class KeyPresence : uint8_t {
  Unsaid,
  Always,     // every call has it; switched off by exclusion
  OfTensors,  // arguments have it; switched off by exclusion
  Excluded,   // arguments have it, and the thread excludes it until it is switched on
  Included,   // nobody has it until it is switched on, by inclusion
};

// What a column's kernels do to a call.
enum class KeyRole : uint8_t {
  Unsaid,
  Acts,   // they have a part in its results
  Looks,  // they only look: what the call returns is the same without them
};

struct KeyRecord {
  std::string_view name;
  // Of a column with a key for each backend: what stands before the backend's name in the key's.
  std::string_view prefix = {};
  KeyPresence presence = KeyPresence::Unsaid;
  // The one backend whose tensors bring the key, of a column that has only this one.
  std::optional<Backend> of_backend = std::nullopt;
  KeyRole role = KeyRole::Unsaid;
  // What `:on` and `:off` call the column. Columns with the same name here are one switch.
  std::string_view switched_as = {};
  // Why there is no switch, as "NAME is not switched: ..." says it.
  std::string_view not_switched = {};
  // PyTorch's number of the functionality, which is that of the key where there is one only; 0
  // where PyTorch has none.
  int torch_number = 0;
  // PyTorch's number of the CPU's key, where there is a key for each backend.
  int torch_first_key = 0;
  // Whether torch.DispatchKey has it as an attribute.
  bool is_in_torch_class = true;
  // What the column does, in words that follow its name.
  std::string_view purpose;

  friend constexpr bool operator==(const KeyRecord&, const KeyRecord&) = default;
};

// Whether a record says all that it has to: how the key comes into a call, whether it looks or
// acts, its purpose, and its switch or why there is none.
constexpr bool is_complete(const KeyRecord& record) {
  return !record.name.empty() && !record.purpose.empty() &&
         record.presence != KeyPresence::Unsaid && record.role != KeyRole::Unsaid &&
         record.switched_as.empty() != record.not_switched.empty();
}

}  // namespace tsc
