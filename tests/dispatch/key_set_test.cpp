#include <doctest/doctest.h>

#include "core/keys/dispatch_key_set.h"
#include "core/keys/thread_local_state.h"
#include "core/tensor_factory.h"

using namespace tsc;

TEST_CASE("a key set prints lowest priority first") {
  CHECK(to_string(empty_tensor({2}, ScalarType::Float).key_set()) ==
        "DispatchKeySet(CPU, ADInplaceOrView, AutogradCPU, AutocastCPU)");
  CHECK(to_string(empty_tensor({2}, ScalarType::Float, DeviceType::Meta).key_set()) ==
        "DispatchKeySet(Meta, ADInplaceOrView, AutogradMeta)");
  CHECK(to_string(DispatchKeySet()) == "DispatchKeySet()");
}

TEST_CASE("backend bits and functionality bits are independent") {
  const DispatchKeySet set = DispatchKeySet(DispatchKey::AutogradMeta) | DispatchKey::CPU;
  CHECK(to_string(set) == "DispatchKeySet(CPU, Meta, AutogradCPU, AutogradMeta)");
  CHECK(set.highest_key() == DispatchKey::AutogradMeta);
  CHECK(to_string(set.remove(DispatchKey::AutogradCPU)) == "DispatchKeySet(CPU, Meta)");
  CHECK(to_string(set.remove(DispatchKey::CPU)) == "DispatchKeySet(AutogradCPU, AutogradMeta)");
}

TEST_CASE("the highest key is the highest functionality on the highest backend") {
  CHECK(DispatchKeySet().highest_key() == DispatchKey::Undefined);
  CHECK(DispatchKeySet{DispatchKey::CPU, DispatchKey::CUDA}.highest_key() == DispatchKey::CUDA);
  CHECK(DispatchKeySet{DispatchKey::CPU, DispatchKey::Tracer, DispatchKey::AutogradCPU}
            .highest_key() == DispatchKey::Tracer);
  CHECK(DispatchKeySet{DispatchKey::CPU, DispatchKey::Profiler}.highest_key() ==
        DispatchKey::Profiler);
  for (int i = 1; i < kNumRuntimeKeys; i++) {
    const auto key = static_cast<DispatchKey>(i);
    CHECK(DispatchKeySet(key).highest_key() == key);
    CHECK(try_parse_dispatch_key(to_string(key)) == key);
  }
}

TEST_CASE("alias keys and Undefined make an empty set") {
  CHECK(DispatchKeySet(DispatchKey::Autograd).empty());
  CHECK(DispatchKeySet(DispatchKey::CompositeImplicitAutograd).empty());
  CHECK(DispatchKeySet(DispatchKey::Undefined).empty());
}

TEST_CASE("what is below autograd") {
  const DispatchKeySet keys = empty_tensor({2}, ScalarType::Float).key_set();
  CHECK((keys & kAfterAutograd).highest_key() == DispatchKey::ADInplaceOrView);
  CHECK((keys & kAfterADInplaceOrView).highest_key() == DispatchKey::CPU);
}

TEST_CASE("guards restore the state after return, error and nesting") {
  const DispatchKeySet included = tls().included;
  const DispatchKeySet excluded = tls().excluded;
  try {
    const ExcludeDispatchKeyGuard outer(kAutogradKeys);
    const IncludeDispatchKeyGuard inner{DispatchKeySet(DispatchKey::Tracer)};
    CHECK(tls().included.has(DispatchKey::Tracer));
    CHECK(tls().excluded.has(Functionality::AutogradFunctionality));
    {
      const AutoDispatchBelowADInplaceOrView below;
      CHECK(tls().excluded.has(Functionality::ADInplaceOrView));
    }
    CHECK(!tls().excluded.has(Functionality::ADInplaceOrView));
    throw Error(ErrorKind::RuntimeError, "x");
  } catch (const Error&) {
  }
  CHECK(tls().included == included);
  CHECK(tls().excluded == excluded);
}
