// Hooks: functions that see a gradient on its way, and may replace it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/autograd_meta.h"

namespace tsc::autograd {

struct TensorHook {
  // Returns the gradient to go on with; undefined keeps the one it was given.
  std::function<Tensor(const Tensor& grad)> call;
  // What messages call the function.
  std::string name;
  uint64_t id = 0;
};

// A leaf's hooks; its AccumulateGrad runs them.
struct TSC_API TensorHooks final : RefCounted {
  std::vector<TensorHook> before;
  // See the accumulated `.grad`; their result is not used.
  std::vector<TensorHook> after_accumulation;
};

// The hooks of a node's inputs, which are those of the tensors that the operator returned.
struct NodeHooks {
  struct Entry {
    uint32_t input_nr;
    TensorHook hook;
  };
  std::vector<Entry> before;
  // Tensors with retain_grad(): served last, so that they see what the hooks made of the gradient.
  // A tensor takes its entry along when its grad_fn changes.
  struct Retained {
    uint32_t input_nr;
    intrusive_ptr<WeakTensor> tensor;
  };
  std::vector<Retained> retained;
};

// Runs one hook on `grad` and puts its answer there; checks that it fits.
TSC_API void run_hook(const TensorHook& hook, Tensor& grad);

}  // namespace tsc::autograd
