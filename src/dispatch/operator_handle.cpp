#include "dispatch/operator_handle.h"

#include <algorithm>
#include <vector>

namespace tsc {

void OperatorHandle::call_watched(DispatchKeySet keys, Stack& stack, RouteStep step,
                                  RouteForm form) const {
  // The kernel takes the arguments off the stack, so the listeners get copies.
  const size_t count = entry_->num_arguments();
  const std::vector<IValue> arguments(stack.last(count), stack.top());
  WatchedHop hop(*this, keys, step, form, arguments.data(), count);
  hop.enter().call_boxed(*this, hop.keys(), stack);
  hop.leave(stack.last(entry_->num_returns()), entry_->num_returns());
}

const Tensor& detail::find_returned(const IValue& value, ArrayRef<const Tensor*> arguments) {
  const auto* const found =
      std::find_if(arguments.begin(), arguments.end(), [&](const Tensor* argument) {
        return argument != nullptr && argument->impl() == value.as_tensor().impl();
      });
  if (found == arguments.end()) {
    throw_error_text(ErrorKind::RuntimeError,
                     "the kernel of an in-place or out= operator returned another tensor");
  }
  return **found;
}

}  // namespace tsc
