#include "core/keys/pytorch_keys.h"

#include <algorithm>

#include "core/error.h"

namespace tsc {

namespace {

// PyTorch's number of a functionality, which its place among the bits comes from, and what it is
// for. Functionalities that tensorscope has stand in their records.
struct AbsentKey {
  std::string_view name;
  int number;
  std::string_view reason;
};

constexpr std::string_view kForBackend =
    "is a key of PyTorch for a backend that tensorscope does not have";
constexpr std::string_view kForNested =
    "is a key of PyTorch for nested tensors, which tensorscope does not have";
constexpr std::string_view kForBatches =
    "is a key of PyTorch for vmap, which tensorscope does not do by a key";

constexpr AbsentKey kAbsentKeys[] = {
    {"FPGA", 2, kForBackend},
    {"Vulkan", 3, kForBackend},
    {"Metal", 4, kForBackend},
    {"CustomRNGKeyId", 6, "is a key of PyTorch for generators, which have no key in tensorscope"},
    {"MkldnnCPU", 7,
     "is a key of PyTorch for the layout of oneDNN, which tensorscope does not have"},
    {"NestedTensor", 10, kForNested},
    {"Fake", 12, "is a key of PyTorch for fake tensors; tensorscope has the backend Meta"},
    {"FuncTorchDynamicLayerBackMode", 14,
     "is a key of PyTorch for nested function transforms, which have no key in tensorscope"},
    {"AutogradNestedTensor", 22, kForNested},
    {"AutocastMTIA", 25, kForBackend},
    {"AutocastMAIA", 26, kForBackend},
    {"AutocastXPU", 27, kForBackend},
    {"AutocastIPU", 28, kForBackend},
    {"AutocastHPU", 29, kForBackend},
    {"AutocastXLA", 30, kForBackend},
    {"AutocastMPS", 31, kForBackend},
    {"BatchedNestedTensor", 35, kForNested},
    {"Batched", 37, kForBatches},
    {"VmapMode", 38, kForBatches},
    {"DeferredInit", 40,
     "is a key of PyTorch for modules that are filled later, which tensorscope does not have"},
    {"PythonTLSSnapshot", 41,
     "is a key of PyTorch for modes of Python; tensorscope has the key Python"},
    {"TESTING_ONLY_GenericWrapper", 43,
     "is a key of PyTorch's tests; tensorscope has TESTING_ONLY_GenericMode"},
    {"PreDispatch", 45,
     "is a key of PyTorch for modes above autograd, which tensorscope does not have"},
    {"PythonDispatcher", 46,
     "is a key of PyTorch for a dispatcher in Python, which tensorscope does not have"},
    // Aliases, and what is no key any more.
    {"CompositeImplicitAutogradNestedTensor", 0, kForNested},
    {"FuncTorchBatchedDecomposition", 0, kForBatches},
    {"CatchAll", 0,
     "was a key of PyTorch; kernels for every backend are registered at CompositeImplicitAutograd"},
};

// Backends that only PyTorch has, and their places among its backends' bits.
struct AbsentBackend {
  std::string_view name;
  int step;
};
constexpr AbsentBackend kAbsentBackends[] = {
    {"HIP", 2}, {"XLA", 3}, {"MPS", 4},  {"IPU", 5},   {"XPU", 6},
    {"HPU", 7}, {"VE", 8},  {"Lazy", 9}, {"MTIA", 10}, {"MAIA", 11},
};

struct PresentBackend {
  std::string_view name;
  int step;
};
constexpr PresentBackend kBackends[] = {
#define TSC_ROW(prefix, name, script_name, torch_step) {#name, torch_step},
    TSC_FORALL_BACKENDS(TSC_ROW, )
#undef TSC_ROW
};

constexpr int kTorchBackendBits = 16;

template <class Rows>
const auto* find_name(const Rows& rows, std::string_view name) {
  const auto* found = std::find_if(std::begin(rows), std::end(rows),
                                   [&](const auto& row) { return row.name == name; });
  return found == std::end(rows) ? nullptr : found;
}

// Whether `name` is that of a functionality with a key for each backend, and one of these behind
// it.
template <class Rows>
bool is_key_of(const Rows& backends, std::string_view functionality, std::string_view name) {
  return name.starts_with(functionality) &&
         find_name(backends, name.substr(functionality.size())) != nullptr;
}

std::string keys_of_functionality(Functionality functionality) {
  std::string names;
  for (const PresentBackend& backend : kBackends) {
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", column_record(functionality).prefix,
                         backend.name);
  }
  return names;
}

bool is_mark(std::string_view name) {
  return (name.starts_with("StartOf") || name.starts_with("EndOf")) && name.ends_with("Backends");
}

// PyTorch's bit of a functionality; 0 where PyTorch has none.
uint64_t torch_bit_of(const KeyRecord& record) {
  return record.torch_number == 0 ? 0
                                  : uint64_t{1} << (kTorchBackendBits + record.torch_number - 1);
}

}  // namespace

std::optional<std::string> absent_key_reason(std::string_view name) {
  if (const AbsentKey* absent = find_name(kAbsentKeys, name)) {
    return fmt::format("{} {}", name, absent->reason);
  }
  for (int i = 0; i < kNumFunctionalities; i++) {
    const auto functionality = static_cast<Functionality>(i);
    if (!is_per_backend(functionality)) {
      continue;
    }
    if (name == column_record(functionality).name) {
      return fmt::format("{} is a functionality, and a key with a backend only: {}", name,
                         keys_of_functionality(functionality));
    }
    if (is_key_of(kAbsentBackends, column_record(functionality).prefix, name)) {
      return fmt::format("{} {}", name, kForBackend);
    }
  }
  if (is_key_of(kAbsentBackends, "NestedTensor", name) ||
      is_key_of(kBackends, "NestedTensor", name)) {
    return fmt::format("{} {}", name, kForNested);
  }
  if (is_mark(name)) {
    return fmt::format("{} is a mark in PyTorch's enumeration, and no key", name);
  }
  return std::nullopt;
}

int64_t torch_number_of(DispatchKey key) {
  constexpr int kOwn = 200;
  if (key == DispatchKey::Undefined) {
    return 0;
  }
  if (is_alias_key(key)) {
    const int number = alias_record(key).torch_number;
    return number != 0 ? number : kOwn + static_cast<int>(key);
  }
  const KeyRecord& record = column_record(functionality_of(key));
  if (record.torch_number == 0) {
    return kOwn + static_cast<int>(key);
  }
  const std::optional<Backend> backend = backend_of(key);
  return backend.has_value()
             ? record.torch_first_key + kBackends[static_cast<size_t>(*backend)].step
             : record.torch_number;
}

int64_t torch_bits_of(DispatchKeySet keys) {
  uint64_t bits = 0;
  for (size_t i = 0; i < std::size(kBackends); i++) {
    if (keys.has_any(static_cast<Backend>(i))) {
      bits |= uint64_t{1} << kBackends[i].step;
    }
  }
  for (int i = 0; i < kNumFunctionalities; i++) {
    const auto functionality = static_cast<Functionality>(i);
    if (!keys.has(functionality)) {
      continue;
    }
    const uint64_t bit = torch_bit_of(column_record(functionality));
    TSC_CHECK(bit != 0, "{} is a key of tensorscope's own, which PyTorch's sets have no bit for",
              runtime_key(functionality, Backend::CPU));
    bits |= bit;
  }
  return static_cast<int64_t>(bits);
}

DispatchKeySet keys_of_torch_bits(int64_t bits) {
  DispatchKeySet keys;
  auto rest = static_cast<uint64_t>(bits);
  for (size_t i = 0; i < std::size(kBackends); i++) {
    if (const uint64_t bit = uint64_t{1} << kBackends[i].step; (rest & bit) != 0) {
      keys = keys | DispatchKeySet(static_cast<Backend>(i));
      rest &= ~bit;
    }
  }
  for (int i = 0; i < kNumFunctionalities; i++) {
    const auto functionality = static_cast<Functionality>(i);
    if (const uint64_t bit = torch_bit_of(column_record(functionality)); (rest & bit) != 0) {
      keys = keys | DispatchKeySet(functionality);
      rest &= ~bit;
    }
  }
  for (const AbsentBackend& backend : kAbsentBackends) {
    TSC_CHECK((rest & (uint64_t{1} << backend.step)) == 0, "{} {}", backend.name, kForBackend);
  }
  for (const AbsentKey& absent : kAbsentKeys) {
    TSC_CHECK(absent.number == 0 ||
                  (rest & (uint64_t{1} << (kTorchBackendBits + absent.number - 1))) == 0,
              "{} {}", absent.name, absent.reason);
  }
  TSC_CHECK(rest == 0, "PyTorch has no key for the bits {:#x}", rest);
  return keys;
}

}  // namespace tsc
