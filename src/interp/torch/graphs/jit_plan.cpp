#include "interp/torch/graphs/jit_plan.h"

#include "core/tensor_factory.h"
#include "dispatch/looker_scope.h"
#include "gen/calls/fill.h"
#include "graph/plan.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/operator_call.h"
#include "interp/torch/graphs/traced_function.h"
#include "keys/tracer.h"

namespace tsc::interp {

extern const Type kPlanType;

namespace {

class PlanObject final : public Object {
 public:
  PlanObject(IValue traced, std::unique_ptr<graph::Plan> made)
      : Object(kPlanType), function(std::move(traced)), plan(std::move(made)) {}
  IValue function;  // a torch.jit.ScriptFunction
  std::unique_ptr<graph::Plan> plan;
};

PlanObject& plan_of(const IValue& self) { return *self.as_object<PlanObject>(); }

// Tensors of ones in the place of those on Meta. Their values play no part.
std::vector<IValue> ones_like(std::vector<IValue> shapes) {
  const LookerScope unseen;
  for (IValue& shape : shapes) {
    shape = graph::map_tensors(shape, [](const Tensor& meta) {
      const Tensor ones = empty_strided_tensor(meta.sizes(), meta.strides(), meta.dtype());
      return tsc::fill_(ones, 1);
    });
  }
  return shapes;
}

// Plain tensors by position need none of the checks that messages are for.
bool take_tensors(const Arguments& arguments, size_t inputs, std::vector<IValue>& values) {
  if (arguments.keywords != 0 || arguments.positional != inputs) {
    return false;
  }
  values.reserve(inputs);
  for (size_t i = 0; i < inputs; i++) {
    if (!arguments[i].is_tensor()) {
      values.clear();
      return false;
    }
    values.push_back(arguments[i]);
  }
  return true;
}

IValue call_plan(Interpreter&, const IValue& self, Arguments& arguments) {
  PlanObject& object = plan_of(self);
  TSC_CHECK(!keys::is_tracing_function(),
            "a plan cannot be traced: call the traced function in its place");
  const std::shared_ptr<const graph::Graph> graph = traced_graph(object.function);
  std::vector<IValue> values;
  if (!take_tensors(arguments, graph->inputs.size(), values)) {
    values = traced_arguments(object.function, arguments);
  }
  if (TSC_UNLIKELY(!object.plan->fits(values))) {
    object.plan->check_idle();
    object.plan = graph::Plan::make(*graph, values);
  }
  return traced_result(object.function, object.plan->run(values));
}

}  // namespace

constinit const Type kPlanType = [] {
  Type type;
  type.name = "Plan";
  type.module = "torch.jit";
  type.repr = [](const IValue& self, std::string& out) { out += plan_of(self).plan->to_string(); };
  type.call = &call_plan;
  return type;
}();

IValue plan_traced(Interpreter&, Arguments& arguments) {
  const IValue function = arguments[0];
  const Arguments inputs = without_first(arguments, 1);
  std::vector<IValue> values;
  if (inputs.size() != 0) {
    values = traced_arguments(function, inputs);
  } else {
    values = ones_like(traced_shapes(function));
    TSC_CHECK(!values.empty() || traced_graph(function)->inputs.empty(),
              "cannot plan the graph: it was traced with an input that is no plain tensor of the "
              "CPU");
  }
  return IValue::adopt(
      Tag::Object, new PlanObject(function, graph::Plan::make(*traced_graph(function), values)));
}

}  // namespace tsc::interp
