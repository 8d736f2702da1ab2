// The end of a plan's making: lifetimes, the plan's own tensors, texts.
#include <algorithm>
#include <tuple>

#include "core/keys/compute_key_set.h"
#include "core/keys/thread_local_state.h"
#include "core/random/cpu_generator.h"
#include "core/tensor_factory.h"
#include "dispatch/visit.h"
#include "graph/plan_builder.h"

namespace tsc::graph {

namespace {

// As a graph prints constants; lists of numbers, too.
std::string argument_text(const IValue& value) {
  const std::optional<std::vector<IValue>> items = items_of_list(value);
  if (!items.has_value()) {
    const std::string text = constant_text(value);
    return text.substr(text.find('=') + 1);
  }
  std::string text;
  for (const IValue& item : *items) {
    text += (text.empty() ? "" : ", ") + argument_text(item);
  }
  return fmt::format("[{}]", text);
}

}  // namespace

std::string PlanBuilder::call_text(const OperatorHandle& op, const std::vector<IValue>& arguments) {
  const ArrayRef<Argument> declared = op.schema().arguments;
  std::string text;
  for (size_t i = 0; i < arguments.size(); i++) {
    std::string argument;
    for_each_tensor(arguments[i], [&](const Tensor& tensor) {
      const PlanValue& value = plan_->values_[*value_of(tensor)];
      const PlanBuffer& buffer = plan_->buffers_[value.buffer];
      const std::string name =
          tensor.is_wrapped_number() ? argument_text(IValue(read_scalar(tensor))) : buffer.name;
      const bool is_view = buffer.values[0] != find(tensor)->value;
      argument += (argument.empty() ? "" : ", ") +
                  (is_view ? fmt::format("{} as {}", name, tensor.sizes()) : name);
    });
    const bool is_list = arguments[i].is_list() || arguments[i].tag() == Tag::TensorList;
    argument = is_list ? fmt::format("[{}]", argument) : argument;
    if (argument.empty() && !arguments[i].is_none()) {
      argument = argument_text(arguments[i]);
    }
    if (argument.empty()) {
      continue;
    }
    text += (text.empty() ? "" : ", ") +
            (declared[i].kwarg_only ? fmt::format("{}={}", declared[i].name, argument) : argument);
  }
  return fmt::format("{}({})", op.qualified_name(), text);
}

namespace {

// Sets the CPU's random numbers back to where they were.
class SameRandomNumbers {
 public:
  SameRandomNumbers() : state_(default_cpu_generator()->get_state()) {}
  ~SameRandomNumbers() { default_cpu_generator()->set_state(state_); }
  SameRandomNumbers(const SameRandomNumbers&) = delete;
  SameRandomNumbers& operator=(const SameRandomNumbers&) = delete;

 private:
  Tensor state_;
};

class Listening {
 public:
  explicit Listening(RouteListener& listener) : listener_(listener) {
    add_route_listener(&listener);
  }
  ~Listening() { remove_route_listener(&listener_); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  RouteListener& listener_;
};

}  // namespace

std::unique_ptr<Plan> PlanBuilder::build(const std::vector<IValue>& arguments) {
  for (size_t n = 0; n < graph_.nodes.size(); n++) {
    for (const ValueId output : graph_.nodes[n].outputs) {
      maker_[output] = n;
    }
  }
  plan_->structure_ = Plan::structure_of(arguments);
  std::vector<IValue> inputs;
  for (size_t i = 0; i < arguments.size(); i++) {
    inputs.push_back(declare_input(arguments[i], graph_.reference(graph_.inputs[i]).substr(1)));
  }
  IValue result;
  {
    const AutoGradMode no_grad(false);
    const SameRandomNumbers random;
    const Listening listening(*this);
    if (refusal_.empty()) {
      result =
          graph_.run(inputs, [this](ValueId id, const IValue& value) { note_value(id, value); })[0];
    }
  }
  current_node_ = graph_.nodes.size();
  if (refusal_.empty()) {
    finish(result);
  }
  TSC_CHECK(refusal_.empty(), "cannot plan the graph: {}", refusal_);
  return std::move(plan_);
}

void PlanBuilder::finish(const IValue& result) {
  for_each_tensor(result, [&](const Tensor& tensor) {
    const std::optional<size_t> value = value_of(tensor);
    if (!value.has_value()) {
      refuse("a result is made outside of operators");
      return;
    }
    PlanBuffer& buffer = plan_->buffers_[plan_->values_[*value].buffer];
    buffer.is_result = true;
    buffer.version = tensor.version();
  });
  if (!refusal_.empty()) {
    return;
  }
  note_lifetimes();
  // Routes that are the same need one look.
  auto& routes = plan_->routes_;
  const auto order = [](const PlanRoute& route) {
    return std::tuple(route.entry, route.is_call, route.merged.bits(), route.masked.bits());
  };
  std::sort(routes.begin(), routes.end(),
            [&](const PlanRoute& a, const PlanRoute& b) { return order(a) < order(b); });
  routes.erase(
      std::unique(routes.begin(), routes.end(),
                  [&](const PlanRoute& a, const PlanRoute& b) { return order(a) == order(b); }),
      routes.end());
  // The plan's own tensors take the place of those that the graph's run made.
  plan_->nothing_ = make_intrusive<StorageImpl>(0, Device(DeviceType::CPU));
  std::vector<Tensor> own;
  for (PlanValue& value : plan_->values_) {
    const PlanBuffer& buffer = plan_->buffers_[value.buffer];
    own.push_back(value.tensor);
    if (buffer.kind == BufferKind::Constant) {
      continue;
    }
    auto impl = make_intrusive<TensorImpl>(
        plan_->nothing_, compute_key_set(DeviceType::CPU, Layout::Strided, value.tensor.dtype()),
        value.tensor.dtype(), Device(DeviceType::CPU), Layout::Strided);
    impl->set_sizes_and_strides(value.tensor.sizes(), value.tensor.strides());
    own.back() = Tensor(std::move(impl));
  }
  const auto own_tensor = [&](const Tensor& tensor) { return own[find(tensor)->value]; };
  for (PlanStep& step : plan_->steps_) {
    for (IValue& argument : step.arguments) {
      argument = map_tensors(argument, own_tensor);
    }
  }
  plan_->result_ = map_tensors(result, own_tensor);
  for (size_t v = 0; v < own.size(); v++) {
    plan_->values_[v].tensor = own[v];
  }
  plan_->default_dtype_ = default_dtype();
  plan_->assign_memory();
}

void PlanBuilder::note_lifetimes() {
  const auto note = [&](const Tensor& tensor, size_t step) {
    PlanBuffer& buffer = plan_->buffers_[plan_->values_[find(tensor)->value].buffer];
    buffer.first = std::min(buffer.first, step);
    buffer.last = buffer.last == PlanBuffer::kNever ? step : std::max(buffer.last, step);
  };
  for (size_t s = 0; s < plan_->steps_.size(); s++) {
    for (const IValue& argument : plan_->steps_[s].arguments) {
      for_each_tensor(argument, [&](const Tensor& tensor) { note(tensor, s); });
    }
    for (const size_t value : plan_->steps_[s].fresh) {
      if (value != PlanBuffer::kNever) {
        note(plan_->values_[value].tensor, s);
      }
    }
  }
  for (const PlanBuffer& buffer : plan_->buffers_) {
    if (buffer.first == PlanBuffer::kNever) {
      continue;
    }
    if (buffer.kind == BufferKind::Fresh && !buffer.is_result) {
      auto& releases = plan_->steps_[buffer.last].releases;
      releases.insert(releases.end(), buffer.values.begin(), buffer.values.end());
    }
    if (buffer.kind == BufferKind::Planned || buffer.kind == BufferKind::Fresh) {
      plan_->eager_bytes_ += buffer.bytes;
      plan_->eager_tensors_++;
    }
  }
}

std::unique_ptr<Plan> Plan::make(const Graph& graph, const std::vector<IValue>& arguments) {
  const Graph inlined = graph.inlined();
  return PlanBuilder(inlined).build(arguments);
}

}  // namespace tsc::graph
