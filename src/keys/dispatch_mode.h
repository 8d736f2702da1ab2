// Dispatch modes: the column at PyTorch's key Python. While a mode is the innermost one, it gets
// every call that reaches the key, which is below Autograd.
//
//   with A:            modes: A
//     with B:          modes: A B
//       x + 1          B handles the call; calls that B makes go to A, and those that A makes go
//                      to the kernels
//
// While a mode runs, it is off the stack of modes, and the keys above Python are excluded: both
// have handled the call already.
#pragma once

#include <memory>

#include "dispatch/operator_handle.h"

namespace tsc::keys {

class TSC_API DispatchMode {
 public:
  virtual ~DispatchMode() = default;
  // Takes the arguments off the stack, and pushes the returns.
  virtual void call(const OperatorHandle& op, DispatchKeySet keys, Stack& stack) = 0;
  // Whether it makes a graph of the calls, for other tensors: see calls_are_replayed().
  virtual bool makes_graph() const { return false; }
  // Nobody can leave it any more: it does not come back after the call that runs.
  bool is_abandoned = false;
};

// This thread's modes.
TSC_API void push_mode(std::shared_ptr<DispatchMode> mode);
// Takes the innermost entry of `mode` off. RuntimeError where there is none: it was not entered, or
// it is the one that runs.
TSC_API void leave_mode(const DispatchMode& mode);
// Takes every entry of `mode` off, also where it runs.
TSC_API void abandon_mode(DispatchMode& mode) noexcept;

// Enters a mode for the scope.
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
