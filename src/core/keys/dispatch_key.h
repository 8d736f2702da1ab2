// Dispatch keys: the columns of the table.
//
// A key is a pair: a functionality (what the column does) and, for some functionalities, a backend
// (on which device). Written out, `AutogradCPU` is the functionality Autograd on the backend CPU.
// Backends are declared in core/device.h and functionalities in core/keys/dispatch_keys.def, a record
// each, and nowhere else. Their order, lowest first, is the order in which a call meets them from
// the last to the first, and for the keys that PyTorch has it is PyTorch's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/device.h"
#include "core/keys/key_record.h"
#include "core/macros.h"
#include "core/text/text_formatter.h"

namespace tsc {

// Lowest priority first.
enum class Functionality : uint8_t {
#define TSC_COLUMN(name, ...) name,
#define TSC_BACKEND_COLUMN(name, ...) name,
#include "core/keys/dispatch_keys.def"
};
inline constexpr int kNumFunctionalities = 0
#define TSC_COLUMN(...) +1
#define TSC_BACKEND_COLUMN(...) +1
#include "core/keys/dispatch_keys.def"
    ;

// Every runtime key (one for each cell of an operator's row, in priority order, 0 is Undefined),
// then the alias keys, which stand for several runtime keys at once and exist only at registration.
enum class DispatchKey : uint8_t {
  Undefined,
#define TSC_COLUMN(name, ...) name,
#define TSC_KEY_OF_BACKEND(prefix, name, ...) prefix##name,
#define TSC_BACKEND_COLUMN(name, prefix, ...) TSC_FORALL_BACKENDS(TSC_KEY_OF_BACKEND, prefix)
#include "core/keys/dispatch_keys.def"
  EndOfRuntimeKeys,
  LastRuntimeKey = EndOfRuntimeKeys - 1,
#define TSC_ALIAS(name, ...) name,
#define TSC_BACKEND_ALIAS(prefix, ...) TSC_FORALL_BACKENDS(TSC_KEY_OF_BACKEND, prefix)
#include "core/keys/dispatch_keys.def"
#undef TSC_KEY_OF_BACKEND
  EndOfKeys,
};

inline constexpr int kNumRuntimeKeys = static_cast<int>(DispatchKey::EndOfRuntimeKeys);

constexpr bool is_alias_key(DispatchKey key) { return key >= DispatchKey::EndOfRuntimeKeys; }

// A bit for each of the functionalities.
template <class... Functionalities>
constexpr uint64_t column_bits(Functionalities... functionalities) {
  return (uint64_t{0} | ... | (uint64_t{1} << static_cast<int>(functionalities)));
}

constexpr bool is_per_backend(Functionality functionality) {
  constexpr uint64_t kPerBackend = 0
#define TSC_BACKEND_COLUMN(name, ...) | column_bits(Functionality::name)
#include "core/keys/dispatch_keys.def"
      ;
  return (kPerBackend & column_bits(functionality)) != 0;
}

struct AliasRecord {
  std::string_view name;
  uint64_t stands_for = 0;  // column_bits()
  int torch_number = 0;     // 0 where PyTorch has none
  std::string_view purpose;
  std::optional<Backend> backend = std::nullopt;  // the only one, where it is not for all
};

namespace detail {

// The facts that the aliases of all backends share.
#define TSC_BACKEND_ALIAS(prefix, ...) \
  inline constexpr AliasRecord k##prefix##OfBackend = {.name = #prefix, __VA_ARGS__};
#include "core/keys/dispatch_keys.def"

constexpr AliasRecord of_backend(AliasRecord record, std::string_view name, Backend backend) {
  record.name = name;
  record.backend = backend;
  return record;
}

}  // namespace detail

// By Functionality, and by alias key from the first one on.
inline constexpr KeyRecord kColumnRecords[] = {
#define TSC_COLUMN(name_, fallback, ...) {.name = #name_, __VA_ARGS__},
#define TSC_BACKEND_COLUMN(name_, prefix_, fallback, ...) \
  {.name = #name_, .prefix = #prefix_, __VA_ARGS__},
#include "core/keys/dispatch_keys.def"
};
inline constexpr AliasRecord kAliasRecords[] = {
#define TSC_ALIAS(name_, ...) {.name = #name_, __VA_ARGS__},
#define TSC_RECORD_OF_BACKEND(prefix, name_, ...) \
  detail::of_backend(detail::k##prefix##OfBackend, #prefix #name_, Backend::name_),
#define TSC_BACKEND_ALIAS(prefix, ...) TSC_FORALL_BACKENDS(TSC_RECORD_OF_BACKEND, prefix)
#include "core/keys/dispatch_keys.def"
#undef TSC_RECORD_OF_BACKEND
};

constexpr const KeyRecord& column_record(Functionality functionality) {
  return kColumnRecords[static_cast<size_t>(functionality)];
}
constexpr const AliasRecord& alias_record(DispatchKey alias) {
  return kAliasRecords[static_cast<size_t>(alias) - kNumRuntimeKeys];
}

namespace detail {

constexpr bool names_fallback(std::string_view text) {
  return text.starts_with("RUNS(") || text == "FALLS_THROUGH" || text == "NO_FALLBACK";
}
#define TSC_CHECK_RECORD(name, fallback)                                                       \
  static_assert(names_fallback(#fallback), "the column " #name                                 \
                                           " names no fallback: RUNS(...), "                   \
                                           "FALLS_THROUGH or NO_FALLBACK");                    \
  static_assert(!names_fallback(#fallback) || is_complete(column_record(Functionality::name)), \
                "the record of the column " #name                                              \
                " lacks its presence, its role, its purpose, "                                 \
                "or its switch or why there is none");
#define TSC_COLUMN(name, fallback, ...) TSC_CHECK_RECORD(name, fallback)
#define TSC_BACKEND_COLUMN(name, prefix, fallback, ...) TSC_CHECK_RECORD(name, fallback)
#define TSC_ALIAS(name, ...)                                         \
  static_assert(!alias_record(DispatchKey::name).purpose.empty() &&  \
                    alias_record(DispatchKey::name).stands_for != 0, \
                "the record of the alias " #name " lacks its purpose, or what it stands for");
#include "core/keys/dispatch_keys.def"
#undef TSC_CHECK_RECORD

struct FunctionalityRow {
  uint8_t first_key;     // the runtime key, or the CPU's
  uint8_t backend_mask;  // all ones where the key depends on the backend, so that `first_key +
                         // (backend & mask)` is the key
};

constexpr std::array<FunctionalityRow, kNumFunctionalities> make_functionality_rows() {
  std::array<FunctionalityRow, kNumFunctionalities> rows{};
  uint8_t key = 1;
  for (int i = 0; i < kNumFunctionalities; i++) {
    const bool per_backend = is_per_backend(static_cast<Functionality>(i));
    rows[static_cast<size_t>(i)] = {key, static_cast<uint8_t>(per_backend ? 0xff : 0)};
    key = static_cast<uint8_t>(key + (per_backend ? kNumBackends : 1));
  }
  return rows;
}
inline constexpr auto kFunctionalityRows = make_functionality_rows();

struct KeyParts {
  Functionality functionality;
  int8_t backend;  // -1 where the key has none
};

constexpr std::array<KeyParts, kNumRuntimeKeys> make_key_parts() {
  std::array<KeyParts, kNumRuntimeKeys> parts{};
  parts[0] = {Functionality::Dense, -1};
  size_t key = 1;
  for (int i = 0; i < kNumFunctionalities; i++) {
    const auto functionality = static_cast<Functionality>(i);
    const int count = is_per_backend(functionality) ? kNumBackends : 1;
    for (int b = 0; b < count; b++) {
      parts[key++] = {functionality, static_cast<int8_t>(is_per_backend(functionality) ? b : -1)};
    }
  }
  return parts;
}
inline constexpr auto kKeyParts = make_key_parts();

}  // namespace detail

// Both take a runtime key other than Undefined; backend_of is nullopt for a key that has none.
constexpr Functionality functionality_of(DispatchKey key) {
  return detail::kKeyParts[static_cast<size_t>(key)].functionality;
}
constexpr std::optional<Backend> backend_of(DispatchKey key) {
  const int8_t backend = detail::kKeyParts[static_cast<size_t>(key)].backend;
  return backend < 0 ? std::nullopt : std::optional<Backend>(static_cast<Backend>(backend));
}
constexpr DispatchKey runtime_key(Functionality functionality, Backend backend) {
  const auto row = detail::kFunctionalityRows[static_cast<size_t>(functionality)];
  return static_cast<DispatchKey>(row.first_key +
                                  (static_cast<uint8_t>(backend) & row.backend_mask));
}
constexpr Backend backend_of(DeviceType type) { return static_cast<Backend>(type); }
// CommonCPU of CPU and QuantizedCPU. The key has a backend.
constexpr DispatchKey common_key_of(DispatchKey key) {
  return static_cast<DispatchKey>(static_cast<size_t>(DispatchKey::CommonCPU) +
                                  static_cast<size_t>(*backend_of(key)));
}
// What keys of the functionality are called without a backend: "Autograd", "Sparse", "Dense".
constexpr std::string_view short_name(Functionality functionality) {
  const KeyRecord& record = column_record(functionality);
  return record.prefix.empty() ? record.name : record.prefix;
}

TSC_API std::string_view to_string(DispatchKey key);
// The record of a runtime key other than Undefined; of a plug-in's key the plug-in's.
TSC_API const KeyRecord& record_of(DispatchKey key);
// nullopt for a text that names no key.
TSC_API std::optional<DispatchKey> try_parse_dispatch_key(std::string_view name);
// RuntimeError `could not parse dispatch key: NAME`, and for a key that only PyTorch has a sentence
// that says so (core/keys/pytorch_keys.h).
TSC_API DispatchKey parse_dispatch_key(std::string_view name);

}  // namespace tsc

template <>
struct fmt::formatter<tsc::DispatchKey> : tsc::TextFormatter<tsc::DispatchKey> {};
