// OperatorRef: an operator that the interpreter itself calls by name, boxed, as a script would.
#pragma once

#include "dispatch/dispatcher.h"

namespace tsc::interp {

// Constant-initialised; the operator is looked up at the first call.
class OperatorRef {
 public:
  constexpr OperatorRef(const char* name, const char* overload_name)
      : name_(name), overload_name_(overload_name) {}

  OperatorHandle handle() {
    OperatorEntry* entry = entry_.load(std::memory_order_acquire);
    if (TSC_UNLIKELY(entry == nullptr)) {
      entry = &Dispatcher::singleton().find_or_throw(name_, overload_name_).entry();
      entry_.store(entry, std::memory_order_release);
    }
    return OperatorHandle(entry);
  }

  // Arguments are values in the order of the schema; trailing ones with defaults may be omitted.
  // Returns the operator's only result.
  template <class... Args>
  IValue operator()(Args&&... args) {
    Stack& stack = Stack::current();
    const size_t height = stack.size();
    (stack.push(IValue(std::forward<Args>(args))), ...);
    return finish(stack, height);
  }

 private:
  IValue finish(Stack& stack, size_t height);

  std::atomic<OperatorEntry*> entry_{nullptr};
  const char* name_;
  const char* overload_name_;
};

}  // namespace tsc::interp
