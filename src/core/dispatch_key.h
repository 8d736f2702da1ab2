// Dispatch keys: the columns of the table.
//
// A key is a pair: a functionality (what the column does) and, for some functionalities, a backend
// (on which device). Written out, `AutogradCPU` is the functionality Autograd on the backend CPU.
// The two lists below are the only place where keys are declared; the order of the functionalities,
// lowest first, is the order in which a call meets them from the last to the first, and for the
// keys that PyTorch has it is PyTorch's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/device.h"
#include "core/macros.h"
#include "core/text_formatter.h"

namespace tsc {

// Backends, lowest bit first.
#define TSC_FORALL_BACKENDS(_) _(CPU) _(CUDA) _(PrivateUse1) _(PrivateUse2) _(PrivateUse3) _(Meta)

// Functionalities, lowest priority first. `_` names one that is a single key, `B` one that has a
// key for each backend; the second column is the prefix of that key's name ("" for Dense: the key
// is called CPU, not DenseCPU). The Custom keys are nobody's until a plug-in claims one for the
// place that it has in the order (core/custom_key.h).
#define TSC_FORALL_FUNCTIONALITIES(_, B) \
  B(Dense, )                             \
  B(Quantized, Quantized)                \
  B(Sparse, Sparse)                      \
  B(SparseCsr, SparseCsr)                \
  _(BackendSelect)                       \
  _(Custom1)                             \
  _(Profiler)                            \
  _(Custom2)                             \
  _(NaNCheck)                            \
  _(SchemaCheck)                         \
  _(Custom3)                             \
  _(Python)                              \
  _(Functionalize)                       \
  _(Custom4)                             \
  _(Named)                               \
  _(Conjugate)                           \
  _(Negative)                            \
  _(ZeroTensor)                          \
  _(ADInplaceOrView)                     \
  _(Custom5)                             \
  _(AutogradOther)                       \
  B(AutogradFunctionality, Autograd)     \
  _(Custom6)                             \
  _(Tracer)                              \
  _(Custom7)                             \
  _(AutocastCPU)                         \
  _(AutocastCUDA)                        \
  _(AutocastPrivateUse1)                 \
  _(Custom8)                             \
  _(FuncTorchBatched)                    \
  _(FuncTorchVmapMode)                   \
  _(FuncTorchGradWrapper)                \
  _(FuncTorchDynamicLayerFrontMode)      \
  _(TESTING_ONLY_GenericMode)

// Alias keys stand for several runtime keys at once and exist only at registration.
#define TSC_FORALL_ALIAS_KEYS(_)            \
  _(Autograd)                               \
  _(CompositeImplicitAutograd)              \
  _(CompositeExplicitAutograd)              \
  _(CompositeExplicitAutogradNonFunctional) \
  _(Common)

enum class Backend : uint8_t {
#define TSC_DEFINE(name) name,
  TSC_FORALL_BACKENDS(TSC_DEFINE)
#undef TSC_DEFINE
};
inline constexpr int kNumBackends = 0
#define TSC_COUNT(name) +1
    TSC_FORALL_BACKENDS(TSC_COUNT)
#undef TSC_COUNT
    ;

enum class Functionality : uint8_t {
#define TSC_DEFINE(name) name,
#define TSC_DEFINE_B(name, prefix) name,
  TSC_FORALL_FUNCTIONALITIES(TSC_DEFINE, TSC_DEFINE_B)
#undef TSC_DEFINE
#undef TSC_DEFINE_B
};
inline constexpr int kNumFunctionalities = 0
#define TSC_COUNT(name) +1
#define TSC_COUNT_B(name, prefix) +1
    TSC_FORALL_FUNCTIONALITIES(TSC_COUNT, TSC_COUNT_B)
#undef TSC_COUNT
#undef TSC_COUNT_B
    ;

// Every runtime key (one for each cell of an operator's row, in priority order, 0 is Undefined),
// then the alias keys.
enum class DispatchKey : uint8_t {
  Undefined,
#define TSC_DEFINE(name) name,
#define TSC_DEFINE_B(name, prefix)                                                          \
  prefix##CPU, prefix##CUDA, prefix##PrivateUse1, prefix##PrivateUse2, prefix##PrivateUse3, \
      prefix##Meta,
  TSC_FORALL_FUNCTIONALITIES(TSC_DEFINE, TSC_DEFINE_B)
#undef TSC_DEFINE
#undef TSC_DEFINE_B
      EndOfRuntimeKeys,
  Autograd = EndOfRuntimeKeys,
  CompositeImplicitAutograd,
  CompositeExplicitAutograd,
  CompositeExplicitAutogradNonFunctional,
  Common,
  EndOfKeys,
};

inline constexpr int kNumRuntimeKeys = static_cast<int>(DispatchKey::EndOfRuntimeKeys);

constexpr bool is_alias_key(DispatchKey key) { return key >= DispatchKey::EndOfRuntimeKeys; }
constexpr bool is_per_backend(Functionality functionality) {
#define TSC_CASE(name)
#define TSC_CASE_B(name, prefix) functionality == Functionality::name ||
  return TSC_FORALL_FUNCTIONALITIES(TSC_CASE, TSC_CASE_B) false;
#undef TSC_CASE
#undef TSC_CASE_B
}

namespace detail {

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
static_assert(static_cast<int>(Backend::Meta) == static_cast<int>(DeviceType::Meta) &&
              static_cast<int>(Backend::CUDA) == static_cast<int>(DeviceType::CUDA));

TSC_API std::string_view to_string(DispatchKey key);
// nullopt for a text that names no key.
TSC_API std::optional<DispatchKey> try_parse_dispatch_key(std::string_view name);
// RuntimeError `could not parse dispatch key: NAME`.
TSC_API DispatchKey parse_dispatch_key(std::string_view name);

}  // namespace tsc

template <>
struct fmt::formatter<tsc::DispatchKey> : tsc::TextFormatter<tsc::DispatchKey> {};
