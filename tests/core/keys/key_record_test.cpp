#include "core/keys/key_record.h"

#include <doctest/doctest.h>

#include <set>

#include "core/error.h"
#include "core/keys/custom_key.h"
#include "core/keys/pytorch_keys.h"

using namespace tsc;

namespace {

template <class F>
std::string message_of(F run) {
  try {
    run();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

constexpr KeyRecord kRecord = {.name = "Audited",
                               .presence = KeyPresence::Included,
                               .role = KeyRole::Looks,
                               .purpose = "counts calls"};

}  // namespace

TEST_CASE("the order of columns is that of their numbers in PyTorch") {
  int last = 0;
  for (const KeyRecord& record : kColumnRecords) {
    if (record.torch_number != 0) {
      CHECK_MESSAGE(record.torch_number > last, record.name);
      last = record.torch_number;
    }
  }
}

TEST_CASE("a record says all that is true of its key") {
  std::set<std::string_view> names;
  for (int i = 0; i < kNumFunctionalities; i++) {
    const auto functionality = static_cast<Functionality>(i);
    const KeyRecord& record = column_record(functionality);
    CHECK_MESSAGE(is_complete(record), record.name);
    CHECK(names.insert(record.name).second);
    CHECK((record.torch_first_key != 0) == is_per_backend(functionality));
    CHECK(record.of_backend.has_value() == kAutocastKeys.has(functionality));
    for (int b = 0; b < (is_per_backend(functionality) ? kNumBackends : 1); b++) {
      const DispatchKey key = runtime_key(functionality, static_cast<Backend>(b));
      CHECK(functionality_of(key) == functionality);
      CHECK(
          to_string(key).starts_with(is_per_backend(functionality) ? record.prefix : record.name));
    }
  }
  for (const AliasRecord& record : kAliasRecords) {
    CHECK(!record.purpose.empty());
    CHECK(names.count(record.name) == 0);
  }
}

TEST_CASE("what is on by default comes from the records") {
  CHECK(to_string(kDefaultIncluded) == "DispatchKeySet(BackendSelect, ADInplaceOrView)");
  CHECK(to_string(kDefaultExcluded) ==
        "DispatchKeySet(AutocastCPU, AutocastCUDA, AutocastPrivateUse1)");
  const DispatchKeySet lookers =
      DispatchKeySet(DispatchKey::Profiler) | DispatchKeySet(DispatchKey::NaNCheck) |
      DispatchKeySet(DispatchKey::SchemaCheck) | DispatchKeySet(DispatchKey::Tracer);
  CHECK((kLookers & lookers) == lookers);
  CHECK((kLookers & DispatchKeySet(DispatchKey::Python)).empty());
}

TEST_CASE("every key parses and prints") {
  std::set<std::string_view> names;
  for (int i = 0; i < static_cast<int>(DispatchKey::EndOfKeys); i++) {
    const auto key = static_cast<DispatchKey>(i);
    CHECK(names.insert(to_string(key)).second);
    CHECK(parse_dispatch_key(to_string(key)) == key);
    CHECK(!absent_key_reason(to_string(key)).has_value());
  }
}

TEST_CASE("a key that only PyTorch has is refused with a sentence") {
  CHECK(message_of([] { parse_dispatch_key("XLA"); }) ==
        "XLA is a key of PyTorch for a backend that tensorscope does not have");
  for (const std::string_view name : {"HIP",
                                      "AutogradXLA",
                                      "QuantizedXPU",
                                      "SparseHPU",
                                      "SparseCsrMPS",
                                      "Lazy",
                                      "AutocastIPU",
                                      "NestedTensorCPU",
                                      "NestedTensorVE",
                                      "AutogradNestedTensor",
                                      "FPGA",
                                      "Vulkan",
                                      "MkldnnCPU",
                                      "PreDispatch",
                                      "PythonDispatcher",
                                      "PythonTLSSnapshot",
                                      "DeferredInit",
                                      "Batched",
                                      "VmapMode",
                                      "CatchAll",
                                      "CompositeImplicitAutogradNestedTensor",
                                      "StartOfSparseBackends",
                                      "Dense",
                                      "AutogradFunctionality"}) {
    CHECK_MESSAGE(absent_key_reason(name).has_value(), name);
    CHECK(absent_key_reason(name)->starts_with(name));
    CHECK(!try_parse_dispatch_key(name).has_value());
  }
  CHECK(!absent_key_reason("Bogus").has_value());
  CHECK(message_of([] { parse_dispatch_key("Bogus"); }) == "could not parse dispatch key: Bogus");
}

TEST_CASE("a set has PyTorch's bits") {
  for (int i = 1; i < kNumRuntimeKeys; i++) {
    const auto key = static_cast<DispatchKey>(i);
    const KeyRecord& record = record_of(key);
    if (record.torch_number != 0) {
      CHECK(keys_of_torch_bits(torch_bits_of(key)) == DispatchKeySet(key));
    } else {
      CHECK(message_of([&] { torch_bits_of(key); }) ==
            fmt::format("{} is a key of tensorscope's own, which PyTorch's sets have no bit for",
                        key));
    }
  }
  CHECK(torch_bits_of(DispatchKey::AutogradCPU) == 68719476737);
  CHECK(message_of([] { keys_of_torch_bits(8); }) ==
        "XLA is a key of PyTorch for a backend that tensorscope does not have");
  CHECK(message_of([] { keys_of_torch_bits(int64_t{1} << 62); }) ==
        "PyTorch has no key for the bits 0x4000000000000000");
}

TEST_CASE("a plug-in's key has a record as others have") {
  const DispatchKey key = claim_custom_key(kRecord, KeyPlace::Above, DispatchKey::Profiler);
  CHECK(key == DispatchKey::Custom2);
  CHECK(to_string(key) == "Audited");
  CHECK(parse_dispatch_key("Audited") == key);
  CHECK(record_of(key).switched_as == "Audited");
  CHECK(record_of(key).purpose == "counts calls");
  CHECK(looking_keys() == (kLookers | DispatchKeySet(key)));
  CHECK(message_of([] { claim_custom_key(kRecord, KeyPlace::Above, DispatchKey::Profiler); }) ==
        "there is a dispatch key 'Audited' already");

  const KeyRecord* before = &record_of(key);
  release_custom_key(key);
  CHECK(is_unclaimed(key));
  CHECK(looking_keys() == kLookers);
  CHECK(!try_parse_dispatch_key("Audited").has_value());
  CHECK(claim_custom_key(kRecord, KeyPlace::Above, DispatchKey::Profiler) == key);
  CHECK(&record_of(key) == before);
  release_custom_key(key);
}

TEST_CASE("a plug-in's record lacks nothing") {
  const auto claim = [](const KeyRecord& record) {
    return message_of([&] { claim_custom_key(record, KeyPlace::Below, DispatchKey::Tracer); });
  };
  KeyRecord record = kRecord;
  record.purpose = {};
  CHECK(claim(record).starts_with("the record of the key 'Audited' lacks"));
  record = kRecord;
  record.role = KeyRole::Unsaid;
  CHECK(claim(record).starts_with("the record of the key 'Audited' lacks"));
  record = kRecord;
  record.presence = KeyPresence::Always;
  CHECK(claim(record) ==
        "the key 'Audited' of a plug-in comes into calls by KeyPresence::Included or ::OfTensors");
  record = kRecord;
  record.name = "CPU";
  CHECK(claim(record) == "there is a dispatch key 'CPU' already");
  CHECK(claimed_custom_keys().empty());
}
