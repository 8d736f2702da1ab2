#include "core/keys/thread_local_state.h"

#include <doctest/doctest.h>

#include <thread>

namespace {

using namespace tsc;

bool is_as_at_first() {
  return tls().included == kDefaultIncluded && tls().excluded == kDefaultExcluded &&
         tls().grad_mode && !tls().inference_mode && !tls().watched;
}

}  // namespace

TEST_CASE("a guard adds to the sets for its scope, and puts back what there was") {
  CHECK(is_as_at_first());
  {
    const ExcludeDispatchKeyGuard exclude(DispatchKeySet(DispatchKey::Profiler));
    const IncludeDispatchKeyGuard include(DispatchKeySet(DispatchKey::Tracer));
    CHECK(tls().excluded == (kDefaultExcluded | DispatchKeySet(DispatchKey::Profiler)));
    CHECK(tls().included == (kDefaultIncluded | DispatchKeySet(DispatchKey::Tracer)));
    {
      // What is excluded already stays so when the inner guard goes.
      const ExcludeDispatchKeyGuard again(DispatchKeySet(DispatchKey::Profiler));
    }
    CHECK(tls().excluded.has(DispatchKey::Profiler));
    {
      const AutoDispatchBelowAutograd below;
      CHECK(tls().excluded.has_all(kAutogradKeys));
      CHECK_FALSE(tls().excluded.has(DispatchKey::ADInplaceOrView));
      const AutoDispatchBelowADInplaceOrView lower;
      CHECK(tls().excluded.has(DispatchKey::ADInplaceOrView));
    }
  }
  CHECK(is_as_at_first());
}

TEST_CASE("grad mode and inference mode nest") {
  {
    const AutoGradMode off(false);
    CHECK_FALSE(tls().grad_mode);
    const AutoGradMode on(true);
    CHECK(tls().grad_mode);
  }
  CHECK(is_as_at_first());
  {
    const InferenceModeGuard inference(true);
    CHECK(tls().inference_mode);
    CHECK_FALSE(tls().grad_mode);
    CHECK_FALSE(tls().included.has(DispatchKey::ADInplaceOrView));
    CHECK(tls().excluded.has_all(kAutogradKeys));
    {
      const InferenceModeGuard normal(false);
      CHECK_FALSE(tls().inference_mode);
      CHECK(tls().grad_mode);
      CHECK(tls().included.has(DispatchKey::ADInplaceOrView));
      CHECK_FALSE(tls().excluded.has_any(kAutogradKeys.functionalities()));
    }
    CHECK(tls().inference_mode);
  }
  CHECK(is_as_at_first());
}

TEST_CASE("each thread has a state of its own") {
  const AutoGradMode off(false);
  bool other = false;
  std::thread([&] { other = is_as_at_first(); }).join();
  CHECK(other);
}
