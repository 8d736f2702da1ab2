// Hooks: functions that see a gradient on its way, and may replace it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/autograd_meta.h"

namespace tsc::autograd {

struct TensorHook {
  // Returns the gradient to continue with; undefined keeps the given one.
  std::function<Tensor(const Tensor& grad)> call;
  // The function's name in messages.
  std::string name;
  uint64_t id = 0;
};

// A leaf's hooks; its AccumulateGrad runs them.
struct TSC_API TensorHooks final : RefCounted {
  std::vector<TensorHook> before;
  // Called after accumulation with `.grad`; their result is not used.
  std::vector<TensorHook> after_accumulation;
};

// A node's own hooks get all gradients before the node is applied (pre) or after it (post), and may
// replace them.
struct NodePreHook {
  std::function<void(std::span<Tensor> grad_outputs)> call;
  uint64_t id = 0;
};
struct NodePostHook {
  std::function<void(std::span<Tensor> grad_inputs, std::span<const Tensor> grad_outputs)> call;
  uint64_t id = 0;
};

// The hooks of a node, and those of the tensors whose grad_fn it is, by input.
struct NodeHooks {
  struct Entry {
    uint32_t input_nr;
    TensorHook hook;
  };
  std::vector<Entry> before;
  // Tensors with retain_grad(): served last, so that they get the gradient after all hooks. A
  // tensor takes its entry along when its grad_fn changes.
  struct Retained {
    uint32_t input_nr;
    intrusive_ptr<WeakTensor> tensor;
  };
  std::vector<Retained> retained;
  std::vector<NodePreHook> pre;
  std::vector<NodePostHook> post;
};

// Runs one hook on `grad` and replaces `grad` by its result, which must fit.
TSC_API void run_hook(const TensorHook& hook, Tensor& grad);
// RuntimeError where the result `answer` of a hook of this name must not replace `grad`.
TSC_API void check_hook_answer(std::string_view name, const Tensor& grad, const Tensor& answer);
void run_pre_hooks(const NodeHooks& hooks, std::span<Tensor> grad_outputs);
void run_post_hooks(const NodeHooks& hooks, std::span<Tensor> grad_inputs,
                    std::span<const Tensor> grad_outputs);

}  // namespace tsc::autograd
