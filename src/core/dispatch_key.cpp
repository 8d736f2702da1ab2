#include "core/dispatch_key.h"

#include "core/dispatch_key_set.h"

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

}  // namespace

std::string_view to_string(DispatchKey key) { return kKeyNames[static_cast<size_t>(key)]; }

std::optional<DispatchKey> try_parse_dispatch_key(std::string_view name) {
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
    text += first ? "" : ", ";
    text += to_string(key);
    first = false;
  });
  text += ')';
  return text;
}

}  // namespace tsc
