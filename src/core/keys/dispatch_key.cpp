#include "core/keys/dispatch_key.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <set>

#include "core/keys/custom_key.h"
#include "core/keys/pytorch_keys.h"
#include "core/keys/thread_local_state.h"

namespace tsc {

namespace {

constexpr std::string_view kKeyNames[] = {
    "Undefined",
#define TSC_COLUMN(name, ...) #name,
#define TSC_NAME_OF_BACKEND(prefix, name, ...) #prefix #name,
#define TSC_BACKEND_COLUMN(name, prefix, ...) TSC_FORALL_BACKENDS(TSC_NAME_OF_BACKEND, prefix)
#include "core/keys/dispatch_keys.def"
#define TSC_ALIAS(name, ...) #name,
#define TSC_BACKEND_ALIAS(prefix, ...) TSC_FORALL_BACKENDS(TSC_NAME_OF_BACKEND, prefix)
#include "core/keys/dispatch_keys.def"
#undef TSC_NAME_OF_BACKEND
};
static_assert(std::size(kKeyNames) == static_cast<size_t>(DispatchKey::EndOfKeys));

constexpr size_t kNumCustomKeys = std::size(kCustomKeys);

// Who holds the custom keys. Records and their texts stay where they are when a key is released,
// since whoever asked for them may still read them; a record that comes again is the same one.
struct CustomRecords {
  std::mutex mutex;
  std::set<std::string> texts;
  std::deque<KeyRecord> records;
  std::atomic<const KeyRecord*> held[kNumCustomKeys] = {};

  const KeyRecord* keep(KeyRecord record) {
    const auto keep_text = [&](std::string_view& text) {
      text = text.empty() ? std::string_view() : *texts.emplace(text).first;
    };
    for (std::string_view* text :
         {&record.name, &record.switched_as, &record.not_switched, &record.purpose}) {
      keep_text(*text);
    }
    const auto found = std::find(records.begin(), records.end(), record);
    return found != records.end() ? &*found : &records.emplace_back(record);
  }
};

CustomRecords& custom_records() {
  static auto* records = new CustomRecords;
  return *records;
}

size_t custom_index(DispatchKey key) {
  return static_cast<size_t>(std::find(std::begin(kCustomKeys), std::end(kCustomKeys), key) -
                             std::begin(kCustomKeys));
}

const KeyRecord* custom_record(DispatchKey key) {
  const size_t index = custom_index(key);
  return index == kNumCustomKeys ? nullptr
                                 : custom_records().held[index].load(std::memory_order_acquire);
}

}  // namespace

DispatchKey claim_custom_key(const KeyRecord& wanted, KeyPlace place, DispatchKey anchor) {
  KeyRecord record = wanted;
  if (record.switched_as.empty() && record.not_switched.empty()) {
    record.switched_as = record.name;
  }
  TSC_CHECK(is_complete(record),
            "the record of the key '{}' lacks its name, its presence, its role or its purpose, or "
            "has a switch and says why there is none",
            record.name);
  TSC_CHECK(record.presence == KeyPresence::Included || record.presence == KeyPresence::OfTensors,
            "the key '{}' of a plug-in comes into calls by KeyPresence::Included or ::OfTensors",
            record.name);
  TSC_CHECK(anchor != DispatchKey::Undefined && !is_alias_key(anchor),
            "{} has no place in the order of keys", anchor);
  CustomRecords& records = custom_records();
  const std::lock_guard lock(records.mutex);
  TSC_CHECK(!try_parse_dispatch_key(record.name).has_value(),
            "there is a dispatch key '{}' already", record.name);
  const bool above = place == KeyPlace::Above;
  for (size_t i = 0; i < kNumCustomKeys; i++) {
    const size_t index = above ? i : kNumCustomKeys - 1 - i;
    const DispatchKey key = kCustomKeys[index];
    if ((above ? key > anchor : key < anchor) && records.held[index].load() == nullptr) {
      records.held[index].store(records.keep(record), std::memory_order_release);
      return key;
    }
  }
  throw_error(ErrorKind::RuntimeError, "no dispatch key {} {} is free for '{}'",
              above ? "above" : "below", anchor, record.name);
}

void release_custom_key(DispatchKey key) {
  // The thread's switch goes with the key: whoever claims it next finds it as it is by default.
  ThreadLocalState& state = tls();
  state.included = state.included.remove(key);
  state.excluded = state.excluded.remove(key);
  CustomRecords& records = custom_records();
  const std::lock_guard lock(records.mutex);
  if (const size_t index = custom_index(key); index != kNumCustomKeys) {
    records.held[index].store(nullptr, std::memory_order_release);
  }
}

std::vector<DispatchKey> claimed_custom_keys() {
  std::vector<DispatchKey> claimed;
  std::copy_if(std::begin(kCustomKeys), std::end(kCustomKeys), std::back_inserter(claimed),
               [](DispatchKey key) { return custom_record(key) != nullptr; });
  return claimed;
}

bool is_unclaimed(DispatchKey key) {
  return custom_index(key) != kNumCustomKeys && custom_record(key) == nullptr;
}

DispatchKeySet looking_keys() {
  DispatchKeySet keys = kLookers;
  for (const DispatchKey key : claimed_custom_keys()) {
    keys = record_of(key).role == KeyRole::Looks ? keys.add(key) : keys;
  }
  return keys;
}

const KeyRecord& record_of(DispatchKey key) {
  const KeyRecord* given = custom_record(key);
  return given != nullptr ? *given : column_record(functionality_of(key));
}

std::string_view to_string(DispatchKey key) {
  const KeyRecord* given = custom_record(key);
  return given != nullptr ? given->name : kKeyNames[static_cast<size_t>(key)];
}

std::optional<DispatchKey> try_parse_dispatch_key(std::string_view name) {
  for (const DispatchKey key : kCustomKeys) {
    if (const KeyRecord* given = custom_record(key); given != nullptr && given->name == name) {
      return key;
    }
  }
  for (size_t i = 0; i < std::size(kKeyNames); i++) {
    if (kKeyNames[i] == name) {
      return static_cast<DispatchKey>(i);
    }
  }
  return std::nullopt;
}

DispatchKey parse_dispatch_key(std::string_view name) {
  const auto key = try_parse_dispatch_key(name);
  if (!key.has_value()) {
    const std::optional<std::string> reason = absent_key_reason(name);
    if (reason.has_value()) {
      throw_error(ErrorKind::RuntimeError, "{}", *reason);
    }
    throw_error(ErrorKind::RuntimeError, "could not parse dispatch key: {}", name);
  }
  return *key;
}

std::string to_string(DispatchKeySet set) {
  std::string text = "DispatchKeySet(";
  bool first = true;
  set.for_each([&](DispatchKey key) {
    if (is_unclaimed(key)) {
      return;
    }
    text += first ? "" : ", ";
    text += to_string(key);
    first = false;
  });
  text += ')';
  return text;
}

}  // namespace tsc
