// What a thread's calls depend on besides their arguments: one constant-initialised record, read
// once a call.
#pragma once

#include <cstdint>

#include "core/dispatch_key_set.h"

namespace tsc {

struct ThreadLocalState {
  DispatchKeySet included = kDefaultIncluded;
  DispatchKeySet excluded = kDefaultExcluded;
  bool grad_mode = true;
  bool inference_mode = false;
  // Somebody listens to route events (dispatch/route.h): every call takes the observed path.
  bool watched = false;
  // Depth of calls below the outermost one while watched, for indentation.
  int32_t watch_depth = 0;
};

extern TSC_API constinit thread_local ThreadLocalState thread_local_state;

TSC_ALWAYS_INLINE ThreadLocalState& tls() { return thread_local_state; }

// Whether a call takes the observed path. A build without route events (-Droute_events=false) never
// looks: what looking costs is measured against it.
TSC_ALWAYS_INLINE bool is_watched([[maybe_unused]] const ThreadLocalState& state) {
#ifdef TSC_NO_ROUTE_EVENTS
  return false;
#else
  return TSC_UNLIKELY(state.watched);
#endif
}

// Takes `keys` out of every call's set until the end of the scope.
class ExcludeDispatchKeyGuard {
 public:
  explicit ExcludeDispatchKeyGuard(DispatchKeySet keys) : state_(tls()), saved_(state_.excluded) {
    state_.excluded = state_.excluded | keys;
  }
  ~ExcludeDispatchKeyGuard() { state_.excluded = saved_; }
  ExcludeDispatchKeyGuard(const ExcludeDispatchKeyGuard&) = delete;
  ExcludeDispatchKeyGuard& operator=(const ExcludeDispatchKeyGuard&) = delete;

 private:
  ThreadLocalState& state_;
  DispatchKeySet saved_;
};

// Adds `keys` to every call's set until the end of the scope.
class IncludeDispatchKeyGuard {
 public:
  explicit IncludeDispatchKeyGuard(DispatchKeySet keys) : state_(tls()), saved_(state_.included) {
    state_.included = state_.included | keys;
  }
  ~IncludeDispatchKeyGuard() { state_.included = saved_; }
  IncludeDispatchKeyGuard(const IncludeDispatchKeyGuard&) = delete;
  IncludeDispatchKeyGuard& operator=(const IncludeDispatchKeyGuard&) = delete;

 private:
  ThreadLocalState& state_;
  DispatchKeySet saved_;
};

// Below Autograd: what a kernel of Autograd calls is not recorded again.
class AutoDispatchBelowAutograd : ExcludeDispatchKeyGuard {
 public:
  AutoDispatchBelowAutograd() : ExcludeDispatchKeyGuard(kAutogradKeys) {}
};

class AutoDispatchBelowADInplaceOrView : ExcludeDispatchKeyGuard {
 public:
  AutoDispatchBelowADInplaceOrView()
      : ExcludeDispatchKeyGuard(kAutogradKeys | DispatchKeySet(DispatchKey::ADInplaceOrView)) {}
};

// Grad mode for the scope: whether operations on tensors that require grad are recorded.
class AutoGradMode {
 public:
  explicit AutoGradMode(bool enabled) : state_(tls()), saved_(state_.grad_mode) {
    state_.grad_mode = enabled;
  }
  ~AutoGradMode() { state_.grad_mode = saved_; }
  AutoGradMode(const AutoGradMode&) = delete;
  AutoGradMode& operator=(const AutoGradMode&) = delete;

 private:
  ThreadLocalState& state_;
  bool saved_;
};

// Inference mode for the scope: new tensors have no part in autograd, and nothing is recorded.
class InferenceModeGuard {
 public:
  explicit InferenceModeGuard(bool enabled) : state_(tls()), saved_(state_) {
    const DispatchKeySet view_key(DispatchKey::ADInplaceOrView);
    state_.inference_mode = enabled;
    state_.grad_mode = !enabled;
    state_.included = enabled ? saved_.included - view_key : saved_.included | view_key;
    state_.excluded = enabled ? saved_.excluded | kAutogradKeys : saved_.excluded - kAutogradKeys;
  }
  ~InferenceModeGuard() {
    state_.inference_mode = saved_.inference_mode;
    state_.grad_mode = saved_.grad_mode;
    state_.included = saved_.included;
    state_.excluded = saved_.excluded;
  }
  InferenceModeGuard(const InferenceModeGuard&) = delete;
  InferenceModeGuard& operator=(const InferenceModeGuard&) = delete;

 private:
  ThreadLocalState& state_;
  ThreadLocalState saved_;
};

}  // namespace tsc
