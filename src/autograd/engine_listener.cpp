#include "autograd/engine_listener.h"

#include "autograd/node.h"

namespace tsc::autograd {

namespace {

constinit thread_local EngineListener* current_listener = nullptr;

}  // namespace

EngineListener* engine_listener() { return current_listener; }

void set_engine_listener(EngineListener* listener) { current_listener = listener; }

void EngineStep::enter(const char* prefix, const Node& node, std::span<const Tensor> inputs) {
  listener_->on_step_begin(fmt::format("{}{}", prefix, node.name()), inputs);
}

}  // namespace tsc::autograd
