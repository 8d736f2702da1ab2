// Who is told which step of a backward pass runs: the profiler.
#pragma once

#include <span>
#include <string>

#include "core/tensor.h"

namespace tsc::autograd {

class Node;

class TSC_API EngineListener {
 public:
  virtual ~EngineListener() = default;
  // The engine evaluates a node; within it, the node's formula runs.
  // `inputs` are the gradients that a formula is given; none for an evaluation.
  virtual void on_step_begin(const std::string& step, std::span<const Tensor> inputs) = 0;
  virtual void on_step_end() = 0;
};

// This thread's; null for none.
TSC_API void set_engine_listener(EngineListener* listener);
EngineListener* engine_listener();

// A step for the listener, where there is one.
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
