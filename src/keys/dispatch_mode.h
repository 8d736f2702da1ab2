// Dispatch modes: the column at PyTorch's key Python. While a mode is the innermost one, it gets
// every call that reaches the key, which is below Autograd.
//
//   with A:            modes: A
//     with B:          modes: A B
//       x + 1          B is called; what it calls goes to A, and what that calls to the kernel
//
// A mode is taken off while it runs, and what is above the key is off for what it calls: both have
// had their turn.
#pragma once

#include <memory>

#include "dispatch/operator_handle.h"

namespace tsc::keys {

class TSC_API DispatchMode {
 public:
  virtual ~DispatchMode() = default;
  // Takes the arguments off the stack, and pushes the returns.
  virtual void call(const OperatorHandle& op, DispatchKeySet keys, Stack& stack) = 0;
  // Nobody can leave it any more: it does not come back after the call that runs.
  bool is_abandoned = false;
};

// This thread's modes.
TSC_API void push_mode(std::shared_ptr<DispatchMode> mode);
// The innermost entry of `mode`. RuntimeError where there is none: it has not been entered, or it
// is the one that runs.
TSC_API void leave_mode(const DispatchMode& mode);
// Every entry of `mode`, also where it runs.
TSC_API void abandon_mode(DispatchMode& mode) noexcept;

// Until the end of the scope: one mode more.
class WithMode {
 public:
  explicit WithMode(const std::shared_ptr<DispatchMode>& mode) : mode_(*mode) { push_mode(mode); }
  ~WithMode() { leave_mode(mode_); }
  WithMode(const WithMode&) = delete;
  WithMode& operator=(const WithMode&) = delete;

 private:
  const DispatchMode& mode_;
};

void python_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::keys
