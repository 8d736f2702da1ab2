#include "core/keys/dispatch_key.h"

#include <doctest/doctest.h>

#include <set>

#include "core/error.h"
#include "core/keys/custom_key.h"

namespace {

using namespace tsc;

}  // namespace

namespace {
KeyRecord record_named(std::string_view name) {
  return {.name = name,
          .presence = KeyPresence::Included,
          .role = KeyRole::Looks,
          .purpose = "is a test's"};
}
}  // namespace

TEST_CASE("every key has a name of its own, by which it is found") {
  std::set<std::string> names;
  for (int i = 0; i < static_cast<int>(DispatchKey::EndOfKeys); i++) {
    const auto key = static_cast<DispatchKey>(i);
    const std::string name(to_string(key));
    CAPTURE(name);
    CHECK(names.insert(name).second);
    if (!is_unclaimed(key)) {
      CHECK(try_parse_dispatch_key(name) == key);
    }
  }
  CHECK(parse_dispatch_key("AutogradCPU") == DispatchKey::AutogradCPU);
  CHECK(try_parse_dispatch_key("autogradcpu") == std::nullopt);
  CHECK(try_parse_dispatch_key("") == std::nullopt);
  CHECK_THROWS_AS(parse_dispatch_key("Nothing"), Error);
}

TEST_CASE("a runtime key is its functionality on its backend") {
  for (int i = 1; i < kNumRuntimeKeys; i++) {
    const auto key = static_cast<DispatchKey>(i);
    CAPTURE(to_string(key));
    CHECK_FALSE(is_alias_key(key));
    const std::optional<Backend> backend = backend_of(key);
    CHECK(backend.has_value() == is_per_backend(functionality_of(key)));
    CHECK(runtime_key(functionality_of(key), backend.value_or(Backend::CPU)) == key);
    if (i > 1) {
      CHECK(functionality_of(key) >= functionality_of(static_cast<DispatchKey>(i - 1)));
    }
  }
  CHECK(is_alias_key(DispatchKey::CompositeImplicitAutograd));
}

TEST_CASE(
    "a custom key is the nearest free place on its side, with a name for as long as it is claimed") {
  const DispatchKey above =
      claim_custom_key(record_named("Above"), KeyPlace::Above, DispatchKey::Profiler);
  const DispatchKey below =
      claim_custom_key(record_named("Below"), KeyPlace::Below, DispatchKey::Profiler);
  CHECK(above > DispatchKey::Profiler);
  CHECK(below < DispatchKey::Profiler);
  CHECK(to_string(above) == "Above");
  CHECK(parse_dispatch_key("Below") == below);
  CHECK(claimed_custom_keys() == std::vector<DispatchKey>{below, above});
  const DispatchKey higher =
      claim_custom_key(record_named("Higher"), KeyPlace::Above, DispatchKey::Profiler);
  CHECK(higher > above);
  CHECK_THROWS_AS(claim_custom_key(record_named("Above"), KeyPlace::Below, DispatchKey::Tracer),
                  Error);
  CHECK_THROWS_AS(claim_custom_key(record_named("CPU"), KeyPlace::Below, DispatchKey::Tracer),
                  Error);
  for (const DispatchKey key : {above, below, higher}) {
    release_custom_key(key);
    CHECK(is_unclaimed(key));
  }
  CHECK(claimed_custom_keys().empty());
  CHECK(try_parse_dispatch_key("Above") == std::nullopt);
}
