// A listener for the steps of a backward pass: the profiler.
#pragma once

#include <span>
#include <string>

#include "core/tensor.h"

namespace tsc::autograd {

class Node;

class TSC_API EngineListener {
 public:
  virtual ~EngineListener() = default;
  // A step is the engine's evaluation of a node or, within it, the node's formula. `inputs` are the
  // gradients given to a formula; none for an evaluation.
  virtual void on_step_begin(const std::string& step, std::span<const Tensor> inputs) = 0;
  virtual void on_step_end() = 0;
};

// This thread's listener; null for none.
TSC_API void set_engine_listener(EngineListener* listener);
EngineListener* engine_listener();

// Reports a step to the listener, if there is one, for the scope.
class EngineStep {
 public:
  EngineStep(const char* prefix, const Node& node, std::span<const Tensor> inputs = {})
      : listener_(engine_listener()) {
    if (TSC_UNLIKELY(listener_ != nullptr)) {
      enter(prefix, node, inputs);
    }
  }
  ~EngineStep() {
    // A hook may have ended the profile.
    if (TSC_UNLIKELY(listener_ != nullptr) && listener_ == engine_listener()) {
      listener_->on_step_end();
    }
  }
  EngineStep(const EngineStep&) = delete;
  EngineStep& operator=(const EngineStep&) = delete;

 private:
  TSC_COLD void enter(const char* prefix, const Node& node, std::span<const Tensor> inputs);
  EngineListener* listener_;
};

}  // namespace tsc::autograd
