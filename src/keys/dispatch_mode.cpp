#include "keys/dispatch_mode.h"

#include <algorithm>

#include "ops/structured/modes.h"

namespace tsc::keys {

namespace {

using Modes = std::vector<std::shared_ptr<DispatchMode>>;

Modes& modes() {
  static thread_local Modes stack;
  return stack;
}

// Includes the key while there is a mode.
void include_key() {
  const DispatchKeySet key(DispatchKey::Python);
  ThreadLocalState& state = tls();
  state.included = modes().empty() ? state.included - key : state.included | key;
  detail::replayed_calls = std::any_of(modes().begin(), modes().end(),
                                       [](const auto& mode) { return mode->makes_graph(); });
}

// Takes the innermost mode off the stack while it runs.
class RunningMode {
 public:
  RunningMode() : mode_(std::move(modes().back())) {
    modes().pop_back();
    include_key();
  }
  ~RunningMode() {
    if (!mode_->is_abandoned) {
      push_mode(std::move(mode_));
    }
  }
  RunningMode(const RunningMode&) = delete;
  RunningMode& operator=(const RunningMode&) = delete;
  DispatchMode* operator->() const { return mode_.get(); }

 private:
  std::shared_ptr<DispatchMode> mode_;
};

constexpr DispatchKeySet kAbovePython = kAllKeys.functionalities() -
                                        full_after(DispatchKey::Python) -
                                        DispatchKeySet(DispatchKey::Python);

}  // namespace

void push_mode(std::shared_ptr<DispatchMode> mode) {
  modes().push_back(std::move(mode));
  include_key();
}

void leave_mode(const DispatchMode& mode) {
  Modes& stack = modes();
  const auto found = std::find_if(stack.rbegin(), stack.rend(),
                                  [&](const auto& entered) { return entered.get() == &mode; });
  TSC_CHECK(found != stack.rend(), "the mode was not entered, or is running");
  stack.erase(std::next(found).base());
  include_key();
}

void abandon_mode(DispatchMode& mode) noexcept {
  mode.is_abandoned = true;
  std::erase_if(modes(), [&](const auto& entered) { return entered.get() == &mode; });
  include_key();
}

void python_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  if (modes().empty()) {
    op.redispatch_boxed(keys & full_after(DispatchKey::Python), *stack);
    return;
  }
  const ExcludeDispatchKeyGuard below(kAbovePython);
  const RunningMode mode;
  mode->call(op, keys, *stack);
}

}  // namespace tsc::keys
