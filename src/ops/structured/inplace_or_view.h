// Used by the generated kernels of the ADInplaceOrView column.
#pragma once

#include "core/autograd_meta.h"
#include "core/keys/thread_local_state.h"

namespace tsc {

// How a view that is made now may be changed later: `differentiable` where grad mode is on.
inline CreationMeta creation_meta(CreationMeta differentiable) {
  const ThreadLocalState& state = tls();
  return state.inference_mode ? CreationMeta::InferenceMode
         : state.grad_mode    ? differentiable
                              : CreationMeta::NoGradMode;
}

}  // namespace tsc
