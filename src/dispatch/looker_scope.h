// LookerScope: what somebody who looks on calls for himself, to see what is in a tensor.
#pragma once

#include "core/keys/thread_local_state.h"

namespace tsc {

// Until the end of the scope, calls go to the backends' kernels: no column sees them, one that a
// plug-in or a script has added included, and there are no route events. The keys that say how the
// elements of a tensor are to be read stay: a conjugated view, a negated one, zeros without memory.
class TSC_API LookerScope {
 public:
  // For a list of all operators that a process calls: listeners see these calls, too.
  static bool lookers_are_watched;

  LookerScope() : unseen_(kColumns), was_watched_(tls().watched) {
    tls().watched = was_watched_ && lookers_are_watched;
  }
  ~LookerScope();
  LookerScope(const LookerScope&) = delete;
  LookerScope& operator=(const LookerScope&) = delete;

 private:
  static constexpr DispatchKeySet kReading{DispatchKey::Conjugate, DispatchKey::Negative,
                                           DispatchKey::ZeroTensor};
  static constexpr DispatchKeySet kBackends =
      full_after(DispatchKey::BackendSelect) | DispatchKeySet(DispatchKey::BackendSelect);
  static constexpr DispatchKeySet kColumns = kAllKeys.functionalities() - kBackends - kReading;

  ExcludeDispatchKeyGuard unseen_;
  bool was_watched_;
};

}  // namespace tsc
