// The thread's modes, as composite operators need to know them.
#pragma once

#include "core/keys/thread_local_state.h"
#include "core/tensor.h"

namespace tsc {

namespace detail {
extern TSC_API constinit thread_local bool replayed_calls;
}

// Whether the thread's calls become a graph that runs again on other tensors (make_fx). Its steps
// are PyTorch's: a number that is read from a tensor chooses no way, as it would be another one in
// the next run, and steps that change nothing here are taken.
inline bool calls_are_replayed() { return detail::replayed_calls; }

// Whether a gradient of a result may be asked for: what it needs is computed with the result.
inline bool may_need_gradient(const Tensor& tensor) {
  return (tls().grad_mode && tensor.requires_grad()) || calls_are_replayed();
}

}  // namespace tsc
