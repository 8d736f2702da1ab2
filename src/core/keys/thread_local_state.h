// The thread's state that calls depend on besides their arguments: one constant-initialised record,
// read once a call.
#pragma once

#include <cstdint>

#include "core/keys/dispatch_key_set.h"

namespace tsc {

struct ThreadLocalState {
  DispatchKeySet included = kDefaultIncluded;
  DispatchKeySet excluded = kDefaultExcluded;
  bool grad_mode = true;
  bool inference_mode = false;
  // A listener for route events is attached (dispatch/route.h): every call takes the observed path.
  bool watched = false;
  // Depth of calls below the outermost one while watched, for indentation.
  int32_t watch_depth = 0;
};

extern TSC_API constinit thread_local ThreadLocalState thread_local_state;

TSC_ALWAYS_INLINE ThreadLocalState& tls() { return thread_local_state; }

// True where a call takes the observed path. False at compile time in a build without route events
// (-Droute_events=false), against which their cost is measured.
TSC_ALWAYS_INLINE bool is_watched([[maybe_unused]] const ThreadLocalState& state) {
#ifdef TSC_NO_ROUTE_EVENTS
  return false;
#else
  return TSC_UNLIKELY(state.watched);
#endif
}

// Inference mode: new tensors have no part in autograd, and nothing is recorded. Without it, the
// three switches that it turns are as they are by default.
inline void set_inference_mode(ThreadLocalState& state, bool enabled) {
  const DispatchKeySet view_key(DispatchKey::ADInplaceOrView);
  state.inference_mode = enabled;
  state.grad_mode = !enabled;
  state.included = enabled ? state.included - view_key : state.included | view_key;
  state.excluded = enabled ? state.excluded | kAutogradKeys : state.excluded - kAutogradKeys;
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

// Excludes Autograd, so that the calls that a kernel of Autograd makes are not recorded again.
class AutoDispatchBelowAutograd : ExcludeDispatchKeyGuard {
 public:
  AutoDispatchBelowAutograd() : ExcludeDispatchKeyGuard(kAutogradKeys) {}
};

// Excludes Autograd and ADInplaceOrView, for calls below version counting and view tracking.
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

// Inference mode for the scope.
class InferenceModeGuard {
 public:
  explicit InferenceModeGuard(bool enabled) : state_(tls()), saved_(state_) {
    set_inference_mode(state_, enabled);
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
