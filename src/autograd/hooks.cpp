#include "autograd/hooks.h"

#include "autograd/variable.h"

namespace tsc::autograd {

void check_hook_answer(std::string_view name, const Tensor& grad, const Tensor& answer) {
  if (!answer.defined()) {
    return;
  }
  TSC_CHECK(grad.defined(), "can't replace a None gradient with a non-None value");
  TSC_CHECK(answer.dtype() == grad.dtype() && answer.device() == grad.device(),
            "hook '{}' has changed the type of value (was {} got {})", name, type_in_messages(grad),
            type_in_messages(answer));
  TSC_CHECK(answer.sizes() == grad.sizes(), "hook '{}' has changed the size of value", name);
}

void run_hook(const TensorHook& hook, Tensor& grad) {
  Tensor answer = hook.call(grad);
  check_hook_answer(hook.name, grad, answer);
  if (answer.defined()) {
    grad = std::move(answer);
  }
}

void run_pre_hooks(const NodeHooks& hooks, std::span<Tensor> grad_outputs) {
  // Copies: a hook may add and remove hooks.
  const auto pre = hooks.pre;
  for (const NodePreHook& hook : pre) {
    hook.call(grad_outputs);
  }
}

void run_post_hooks(const NodeHooks& hooks, std::span<Tensor> grad_inputs,
                    std::span<const Tensor> grad_outputs) {
  const auto post = hooks.post;
  for (const NodePostHook& hook : post) {
    hook.call(grad_inputs, grad_outputs);
  }
}

}  // namespace tsc::autograd
