// What operators that are made of others ask about the modes of the thread.
#pragma once

#include "core/tensor.h"
#include "core/thread_local_state.h"

namespace tsc {

// Whether a dispatch mode sees the thread's calls.
inline bool is_mode_on() { return tls().included.has(Functionality::Python); }

// Whether a gradient of a result may be asked for: what it needs is computed with the result. A
// mode may ask for one later.
inline bool may_need_gradient(const Tensor& tensor) {
  return (tls().grad_mode && tensor.requires_grad()) || is_mode_on();
}

}  // namespace tsc
