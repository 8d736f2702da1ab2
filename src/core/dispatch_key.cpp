#include "core/dispatch_key.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include "core/custom_key.h"

namespace tsc {

namespace {

constexpr std::string_view kKeyNames[] = {
    "Undefined",
#define TSC_NAME(name) #name,
#define TSC_NAME_B(name, prefix)                                               \
#prefix "CPU", #prefix "CUDA", #prefix "PrivateUse1", #prefix "PrivateUse2", \
      #prefix "PrivateUse3", #prefix "Meta",
    TSC_FORALL_FUNCTIONALITIES(TSC_NAME, TSC_NAME_B) TSC_FORALL_ALIAS_KEYS(TSC_NAME)
#undef TSC_NAME
#undef TSC_NAME_B
};
static_assert(std::size(kKeyNames) == static_cast<size_t>(DispatchKey::EndOfKeys));

constexpr size_t kNumCustomKeys = std::size(kCustomKeys);

// Who holds the custom keys. A name stays where it is when its key is released, since whoever asked
// for it may still read it.
struct CustomNames {
  std::mutex mutex;
  std::set<std::string> texts;
  std::atomic<const std::string*> held[kNumCustomKeys] = {};
};

CustomNames& custom_names() {
  static auto* names = new CustomNames;
  return *names;
}

size_t custom_index(DispatchKey key) {
  return static_cast<size_t>(std::find(std::begin(kCustomKeys), std::end(kCustomKeys), key) -
                             std::begin(kCustomKeys));
}

const std::string* custom_name(DispatchKey key) {
  const size_t index = custom_index(key);
  return index == kNumCustomKeys ? nullptr
                                 : custom_names().held[index].load(std::memory_order_acquire);
}

}  // namespace

DispatchKey claim_custom_key(std::string_view name, KeyPlace place, DispatchKey anchor) {
  CustomNames& names = custom_names();
  const std::lock_guard lock(names.mutex);
  TSC_CHECK(!name.empty() && !try_parse_dispatch_key(name).has_value(),
            "there is a dispatch key '{}' already", name);
  TSC_CHECK(anchor != DispatchKey::Undefined && !is_alias_key(anchor),
            "{} has no place in the order of keys", anchor);
  const bool above = place == KeyPlace::Above;
  for (size_t i = 0; i < kNumCustomKeys; i++) {
    const size_t index = above ? i : kNumCustomKeys - 1 - i;
    const DispatchKey key = kCustomKeys[index];
    if ((above ? key > anchor : key < anchor) && names.held[index].load() == nullptr) {
      names.held[index].store(&*names.texts.emplace(name).first, std::memory_order_release);
      return key;
    }
  }
  throw_error(ErrorKind::RuntimeError, "no dispatch key {} {} is free for '{}'",
              above ? "above" : "below", anchor, name);
}

void release_custom_key(DispatchKey key) {
  CustomNames& names = custom_names();
  const std::lock_guard lock(names.mutex);
  if (const size_t index = custom_index(key); index != kNumCustomKeys) {
    names.held[index].store(nullptr, std::memory_order_release);
  }
}

std::vector<DispatchKey> claimed_custom_keys() {
  std::vector<DispatchKey> claimed;
  std::copy_if(std::begin(kCustomKeys), std::end(kCustomKeys), std::back_inserter(claimed),
               [](DispatchKey key) { return custom_name(key) != nullptr; });
  return claimed;
}

bool is_unclaimed(DispatchKey key) {
  return custom_index(key) != kNumCustomKeys && custom_name(key) == nullptr;
}

std::string_view to_string(DispatchKey key) {
  const std::string* given = custom_name(key);
  return given != nullptr ? std::string_view(*given) : kKeyNames[static_cast<size_t>(key)];
}

std::optional<DispatchKey> try_parse_dispatch_key(std::string_view name) {
  for (const DispatchKey key : kCustomKeys) {
    if (const std::string* given = custom_name(key); given != nullptr && *given == name) {
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
  TSC_CHECK(key.has_value(), "could not parse dispatch key: {}", name);
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
