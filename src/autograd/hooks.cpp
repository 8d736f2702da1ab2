#include "autograd/hooks.h"

#include "autograd/variable.h"

namespace tsc::autograd {

void run_hook(const TensorHook& hook, Tensor& grad) {
  Tensor answer = hook.call(grad);
  if (!answer.defined()) {
    return;
  }
  TSC_CHECK(grad.defined(), "can't replace a None gradient with a non-None value");
  TSC_CHECK(answer.dtype() == grad.dtype() && answer.device() == grad.device(),
            "hook '{}' has changed the type of value (was {} got {})", hook.name, type_string(grad),
            type_string(answer));
  TSC_CHECK(answer.sizes() == grad.sizes(), "hook '{}' has changed the size of value", hook.name);
  grad = std::move(answer);
}

}  // namespace tsc::autograd
