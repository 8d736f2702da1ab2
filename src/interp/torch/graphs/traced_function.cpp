#include "interp/torch/graphs/traced_function.h"

#include "core/keys/thread_local_state.h"
#include "core/tensor_factory.h"
#include "gen/calls/clone.h"
#include "gen/calls/view.h"
#include "graph/plan.h"
#include "interp/runtime/containers/dict.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/recursion.h"
#include "interp/torch/call/overloads.h"
#include "interp/torch/dispatcher/schema_object.h"
#include "interp/torch/graphs/fx_module.h"
#include "interp/torch/graphs/jit_graph.h"
#include "interp/torch/graphs/jit_plan.h"
#include "interp/torch/graphs/trace_check.h"
#include "interp/vm/function.h"
#include "interp/vm/vm.h"
#include "keys/tracer.h"

namespace tsc::interp {

extern const Type kScriptFunctionType;

namespace {

// --- Inputs and outputs ---

bool is_tuple(const IValue& value) { return is_subtype(type_of(value), kTupleType); }

std::vector<IValue> keys_and_values(const IValue& dict) {
  std::vector<IValue> parts;
  for (const DictObject::Entry& entry : as_dict(dict)->entries()) {
    if (!entry.is_removed()) {
      parts.push_back(entry.key);
      parts.push_back(entry.value);
    }
  }
  return parts;
}

std::string type_for_message(const IValue& value) {
  if (!is_tuple(value)) {
    return python_type_name(value);
  }
  std::string parts;
  for (const IValue& item : items_of(value)) {
    parts += (parts.empty() ? "" : ", ") + type_for_message(item);
  }
  return fmt::format("Tuple[{}]", parts);
}

bool can_be_traced(const IValue& value) {
  const RecursionGuard recursion("in the inputs of a trace");
  if (value.tag() == Tag::Dict) {
    const std::vector<IValue> parts = keys_and_values(value);
    for (size_t i = 0; i < parts.size(); i += 2) {
      if (!parts[i].is_string() || !parts[i + 1].is_tensor()) {
        return false;
      }
    }
    return true;
  }
  if (!is_tuple(value) && !value.is_list()) {
    return value.is_tensor();
  }
  const std::vector<IValue> items = items_of(value);
  return std::all_of(items.begin(), items.end(), &can_be_traced);
}

std::string type_of_example(const IValue& value) {
  if (value.is_tensor()) {
    return graph::graph_type(value.as_tensor());
  }
  if (value.is_list()) {
    return "Tensor[]";
  }
  if (value.tag() == Tag::Dict) {
    return "Dict(str, Tensor)";
  }
  std::string parts;
  for (const IValue& item : items_of(value)) {
    parts += (parts.empty() ? "" : ", ") + type_of_example(item);
  }
  return fmt::format("({})", parts);
}

IValue bind_input(keys::Trace& trace, const IValue& example, graph::ValueId value);

IValue bind_dict(keys::Trace& trace, const IValue& example, graph::ValueId value) {
  const std::vector<IValue> parts = keys_and_values(example);
  std::vector<graph::ValueId> items;
  for (size_t i = 0; i < parts.size(); i += 2) {
    const graph::ValueId key = trace.constant(parts[i], "str");
    items.push_back(trace.construct(graph::NodeKind::DictItem, {value, key},
                                    graph::graph_type(parts[i + 1].as_tensor())));
  }
  IValue dict = make_dict();
  for (size_t i = 0; i < items.size(); i++) {
    as_dict(dict)->set(parts[2 * i], bind_input(trace, parts[2 * i + 1], items[i]));
  }
  return dict;
}

// The function's argument for an example. A tensor that is known already is replaced by a view of
// it, so that each input has a value of its own.
IValue bind_input(keys::Trace& trace, const IValue& example, graph::ValueId value) {
  if (example.is_tensor()) {
    Tensor tensor = example.as_tensor();
    if (trace.knows(tensor)) {
      tensor = tsc::view(tensor, tensor.sizes());
    }
    trace.bind(tensor, value);
    return tensor;
  }
  if (example.tag() == Tag::Dict) {
    return bind_dict(trace, example, value);
  }
  const std::vector<IValue> items = items_of(example);
  std::vector<std::string> types;
  types.reserve(items.size());
  for (const IValue& item : items) {
    types.push_back(type_of_example(item));
  }
  const std::vector<graph::ValueId> parts =
      trace.unpack(value, is_tuple(example), std::move(types));
  std::vector<IValue> bound;
  for (size_t i = 0; i < items.size(); i++) {
    bound.push_back(bind_input(trace, items[i], parts[i]));
  }
  return is_tuple(example) ? make_tuple(std::move(bound)) : make_list(std::move(bound));
}

std::string container_message(std::string_view container) {
  return fmt::format(
      "Encountering a {} at the output of the tracer might cause the trace to be incorrect, this "
      "is only valid if the container structure does not change based on the module's inputs. "
      "Consider using a constant container instead (e.g. for `list`, use a `tuple` instead. for "
      "`dict`, use a `NamedTuple` instead). If you absolutely need this and know the side effects, "
      "pass strict=False to trace() to allow this behavior.",
      container);
}

graph::ValueId output_value(keys::Trace& trace, const IValue& result, bool strict);

std::vector<graph::ValueId> output_values(keys::Trace& trace, const std::vector<IValue>& items,
                                          bool strict) {
  std::vector<graph::ValueId> values;
  values.reserve(items.size());
  for (const IValue& item : items) {
    values.push_back(output_value(trace, item, strict));
  }
  return values;
}

graph::ValueId output_dict(keys::Trace& trace, const IValue& dict, bool strict) {
  TSC_CHECK(!strict, "{}", container_message("dict"));
  const std::vector<IValue> parts = keys_and_values(dict);
  std::vector<graph::ValueId> items;
  for (size_t i = 0; i < parts.size(); i += 2) {
    items.push_back(trace.constant(parts[i], parts[i].is_string() ? "str" : "int"));
    items.push_back(output_value(trace, parts[i + 1], strict));
  }
  return trace.construct(graph::NodeKind::DictConstruct, std::move(items), "Dict(str, Tensor)");
}

constexpr const char* kInResult = "in the result of a traced function";

// The type of a function's result. A list has items of one type.
std::string inferred_type(const IValue& result) {
  const RecursionGuard recursion(kInResult);
  if (!is_tuple(result) && !result.is_list()) {
    return result.is_tensor() ? "Tensor" : std::string(python_type_name(result));
  }
  std::string parts;
  std::string first;
  for (const IValue& item : items_of(result)) {
    const std::string type = inferred_type(item);
    first = first.empty() ? type : first;
    TSC_CHECK(
        is_tuple(result) || type == first,
        "Tracer cannot infer type of {}\n:List inputs to traced functions must have consistent "
        "element type. Found {} and {}",
        repr(result), first, type);
    parts += (parts.empty() ? "" : ", ") + type;
  }
  return is_tuple(result) ? fmt::format("Tuple[{}]", parts) : fmt::format("List[{}]", first);
}

bool holds_only_tensors(const IValue& result) {
  if (is_tuple(result) || result.is_list()) {
    const std::vector<IValue> items = items_of(result);
    return std::all_of(items.begin(), items.end(), &holds_only_tensors);
  }
  return result.is_tensor() || result.tag() == Tag::Dict;
}

graph::ValueId output_value(keys::Trace& trace, const IValue& result, bool strict) {
  const RecursionGuard recursion(kInResult);
  if (result.is_tensor()) {
    return trace.value_of_tensor(result.as_tensor());
  }
  if (is_tuple(result)) {
    return trace.tuple_of(output_values(trace, items_of(result), strict));
  }
  if (result.is_list()) {
    if (strict) {
      warn_text(ErrorKind::TracerWarning, container_message("list"));
    }
    return trace.construct(graph::NodeKind::ListConstruct,
                           output_values(trace, items_of(result), strict), "Tensor[]");
  }
  return output_dict(trace, result, strict);
}

// --- Tracing ---

std::string line_that_runs() {
  const SourceLine place = Interpreter::current().running_line(0);
  return fmt::format("{}:{}", place.file, place.line);
}

std::string variable_that_holds(const Tensor& tensor) {
  return Interpreter::current().vm().find_visible_variable([&](const IValue& value) {
    return value.is_tensor() && value.as_tensor().impl() == tensor.impl();
  });
}

// Turns the Tracer column on, with this trace, for the scope.
class TracingScope {
 public:
  explicit TracingScope(keys::Trace& trace)
      : previous_(keys::set_current_trace(&trace)), include_(DispatchKeySet(DispatchKey::Tracer)) {}
  ~TracingScope() { keys::set_current_trace(previous_); }
  TracingScope(const TracingScope&) = delete;
  TracingScope& operator=(const TracingScope&) = delete;

 private:
  keys::Trace* previous_;
  IncludeDispatchKeyGuard include_;
};

std::vector<std::string> parameter_names(const IValue& function) {
  std::vector<std::string> names;
  if (function.tag() == Tag::Function && is_subtype(type_of(function), kFunctionType)) {
    const ParameterNames& parameters = as_function(function)->code().parameters;
    for (size_t i = 0; i < parameters.positional; i++) {
      names.emplace_back(parameters.names[i]->view());
    }
  }
  return names;
}

std::shared_ptr<const graph::Graph> make_graph(Interpreter& interpreter, const IValue& function,
                                               const std::vector<IValue>& examples, bool strict) {
  keys::Trace trace({&line_that_runs, &variable_that_holds});
  const TracingScope scope(trace);
  const std::vector<std::string> names = parameter_names(function);
  std::vector<IValue> inputs;
  {
    const keys::PythonFrame unnamed;
    for (size_t i = 0; i < examples.size(); i++) {
      const graph::ValueId value =
          trace.declare_input(type_of_example(examples[i]), i < names.size() ? names[i] : "");
      inputs.push_back(bind_input(trace, examples[i], value));
    }
  }
  const IValue result = interpreter.call(function, inputs);
  const keys::PythonFrame unnamed;
  TSC_CHECK(!result.is_none(),
            "The traced function didn't return any values! Side-effects are not captured in "
            "traces, so it would be a no-op.");
  inferred_type(result);
  TSC_CHECK(holds_only_tensors(result),
            "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from "
            "traced functions");
  const graph::ValueId output = output_value(trace, result, strict);
  return std::make_shared<const graph::Graph>(trace.finish(output));
}

// --- torch.jit.ScriptFunction ---

class TracedFunction final : public Object {
 public:
  TracedFunction(std::string function_name, std::shared_ptr<const graph::Graph> traced,
                 std::vector<IValue> shapes, std::vector<IValue> meta_examples)
      : Object(kScriptFunctionType),
        name(std::move(function_name)),
        graph(std::move(traced)),
        input_shapes(std::move(shapes)),
        on_meta(std::move(meta_examples)) {}
  std::string name;
  std::shared_ptr<const graph::Graph> graph;
  // For each input its structure from flatten_tree(), with None for a tensor.
  std::vector<IValue> input_shapes;
  std::vector<IValue> on_meta;  // the examples' shapes: traced_shapes()
};

const TracedFunction& traced_of(const IValue& self) { return *self.as_object<TracedFunction>(); }

// "f(Tensor x, Tensor y) -> Tensor".
std::string declaration(const TracedFunction& function) {
  const graph::Graph& graph = *function.graph;
  std::string parameters;
  for (const graph::ValueId input : graph.inputs) {
    parameters +=
        fmt::format("{}{} {}", parameters.empty() ? "" : ", ",
                    graph::schema_type(graph.values[input].type), graph.reference(input).substr(1));
  }
  return fmt::format("{}({}) -> {}", function.name, parameters,
                     graph::schema_type(graph.values[graph.outputs[0]].type));
}

// Whether `value` has the example's structure: tensors where it has tensors. The graph checks the
// lengths of lists.
bool has_shape(const IValue& value, const IValue& shape) {
  if (shape.is_none()) {
    return value.is_tensor();
  }
  if (shape.tag() == Tag::Dict) {
    return value.tag() == Tag::Dict && can_be_traced(value);
  }
  if (!is_tuple(value) && !value.is_list()) {
    return false;
  }
  const std::vector<IValue> items = items_of(value);
  const std::vector<IValue> parts = items_of(shape);
  if (items.size() == parts.size()) {
    return std::equal(items.begin(), items.end(), parts.begin(), &has_shape);
  }
  return shape.is_list() && std::all_of(items.begin(), items.end(),
                                        [](const IValue& item) { return item.is_tensor(); });
}

// The value of an input by its name; null where the call has none.
const IValue* find_keyword(const Arguments& arguments, std::string_view name) {
  for (size_t i = 0; i < arguments.keywords; i++) {
    if (arguments.names[i]->view() == name) {
      return &arguments[arguments.positional + i];
    }
  }
  return nullptr;
}

// The value with dicts as lists of keys and values, as the graph represents them.
IValue without_dicts(const IValue& value) {
  if (value.tag() == Tag::Dict) {
    return make_list(keys_and_values(value));
  }
  if (!is_tuple(value)) {
    return value;
  }
  std::vector<IValue> items = items_of(value);
  std::transform(items.begin(), items.end(), items.begin(), &without_dicts);
  return make_tuple(std::move(items));
}
std::vector<IValue> check_arguments(const TracedFunction& function, const Arguments& arguments) {
  const graph::Graph& graph = *function.graph;
  const size_t expected = graph.inputs.size();
  TSC_CHECK(arguments.size() <= expected,
            "{}() expected at most {} argument(s) but received {} argument(s). Declaration: {}",
            function.name, expected, arguments.size(), declaration(function));
  std::vector<IValue> values(arguments.values, arguments.values + arguments.positional);
  for (size_t i = 0; i < expected; i++) {
    const std::string name = graph.reference(graph.inputs[i]).substr(1);
    if (i >= arguments.positional) {
      const IValue* named = find_keyword(arguments, name);
      TSC_CHECK(named != nullptr, "{}() is missing value for argument '{}'. Declaration: {}",
                function.name, name, declaration(function));
      values.push_back(*named);
    }
    const std::string type = graph::python_type(graph.values[graph.inputs[i]].type);
    TSC_CHECK(has_shape(values[i], function.input_shapes[i]),
              "{}() Expected a value of type '{}' for argument '{}' but instead found type "
              "'{}'.\nPosition: {}\nValue: {}\nDeclaration: {}\nCast error details: Unable to cast "
              "{} to {}",
              function.name, type, name, type_name(values[i]), i, repr(values[i]),
              declaration(function), str(values[i]), type);
  }
  std::transform(values.begin(), values.end(), values.begin(), &without_dicts);
  return values;
}

// A value of the graph with its dicts restored, which are lists of keys and values in the graph.
IValue with_dicts(const graph::Graph& graph, graph::ValueId id, const IValue& value) {
  const auto maker =
      std::find_if(graph.nodes.rbegin(), graph.nodes.rend(),
                   [&](const graph::GraphNode& node) { return node.outputs == std::vector{id}; });
  const bool is_made = maker != graph.nodes.rend();
  const bool is_dict = is_made && maker->kind == graph::NodeKind::DictConstruct;
  if (!is_dict && !(is_made && maker->kind == graph::NodeKind::TupleConstruct)) {
    return value;
  }
  std::vector<IValue> items = items_of(value);
  for (size_t i = 0; i < items.size(); i++) {
    items[i] = with_dicts(graph, maker->inputs[i], items[i]);
  }
  if (!is_dict) {
    return make_tuple(std::move(items));
  }
  IValue dict = make_dict();
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    as_dict(dict)->set(items[i], items[i + 1]);
  }
  return dict;
}

// Binds the parts of a traced function's result to values of the graph that calls it.
void bind_result(keys::Trace& trace, const IValue& result, graph::ValueId value) {
  if (result.is_tensor()) {
    trace.bind(result.as_tensor(), value);
  } else if (is_tuple(result) || result.is_list()) {
    const std::vector<IValue> items = items_of(result);
    std::vector<std::string> types;
    types.reserve(items.size());
    for (const IValue& item : items) {
      types.push_back(item.is_tensor() ? graph::graph_type(item.as_tensor()) : inferred_type(item));
    }
    const auto parts = trace.unpack(value, is_tuple(result), std::move(types));
    for (size_t i = 0; i < items.size(); i++) {
      bind_result(trace, items[i], parts[i]);
    }
  }
}

IValue call_within_trace(const TracedFunction& function, const std::vector<IValue>& arguments) {
  keys::Trace& trace = keys::current_trace();
  std::vector<graph::ValueId> inputs;
  inputs.reserve(arguments.size());
  for (const IValue& argument : arguments) {
    inputs.push_back(output_value(trace, argument, false));
  }
  const std::string type =
      graph::schema_type(function.graph->values[function.graph->outputs[0]].type);
  const graph::ValueId value = trace.call_function(function.name, function.graph, inputs, type);
  IValue result;
  {
    const ExcludeDispatchKeyGuard untraced{DispatchKeySet(DispatchKey::Tracer)};
    result = function.graph->run(arguments)[0];
  }
  if (result.is_tensor()) {
    trace.set_type(value, graph::graph_type(result.as_tensor()));
  }
  bind_result(trace, result, value);
  return result;
}

IValue call_traced(Interpreter&, const IValue& self, Arguments& arguments) {
  const TracedFunction& function = traced_of(self);
  const std::vector<IValue> values = check_arguments(function, arguments);
  if (keys::is_tracing_function()) {
    return call_within_trace(function, values);
  }
  const std::shared_ptr<const graph::Graph> graph = function.graph;
  return with_dicts(*graph, graph->outputs[0], graph->run(values)[0]);
}

// graph_for(*inputs): the graph with the shapes and dtypes that these inputs lead to. On the meta
// device nothing is computed.
IValue graph_for(Interpreter&, Arguments& arguments) {
  const TracedFunction& function = traced_of(arguments[0]);
  Arguments inputs = arguments;
  inputs.values++;
  inputs.positional--;
  auto typed = std::make_shared<graph::Graph>(*function.graph);
  function.graph->run(check_arguments(function, inputs),
                      [&](graph::ValueId id, const IValue& value) {
                        if (value.is_tensor() && value.as_tensor().defined()) {
                          typed->values[id].type = graph::graph_type(value.as_tensor());
                        }
                      });
  return make_jit_graph(std::move(typed));
}

constexpr BuiltinDef kTracedFunctionMethods[] = {
    {"graph_for", &graph_for, 0, BuiltinDef::kAny, {}, "ScriptFunction"},
    {"plan", &plan_traced, 0, BuiltinDef::kAny, {}, "ScriptFunction"},
};
constexpr AttributeDef kTracedFunctionAttributes[] = {
    {"__name__", [](const IValue& self) { return IValue(traced_of(self).name); }},
    {"code",
     [](const IValue& self) { return IValue(traced_of(self).graph->code(traced_of(self).name)); }},
    {"graph", [](const IValue& self) { return make_jit_graph(traced_of(self).graph); }},
    {"inlined_graph",
     [](const IValue& self) {
       return make_jit_graph(
           std::make_shared<const graph::Graph>(traced_of(self).graph->inlined()));
     }},
    {"name", [](const IValue& self) { return IValue(traced_of(self).name); }},
    {"schema", [](const IValue& self) { return parse_schema_value(declaration(traced_of(self))); }},
};

constexpr Type make_script_function_type() {
  Type type;
  type.name = "ScriptFunction";
  type.module = "torch.jit";
  type.methods = kTracedFunctionMethods;
  type.attributes = kTracedFunctionAttributes;
  type.call = &call_traced;
  return type;
}

// Empty where an example is not a plain tensor of the CPU.
std::vector<IValue> shapes_on_meta(const std::vector<IValue>& examples) {
  bool plain = true;
  std::vector<IValue> shapes;
  shapes.reserve(examples.size());
  for (const IValue& example : examples) {
    shapes.push_back(graph::map_tensors(without_dicts(example), [&](const Tensor& tensor) {
      if (!graph::is_plain(tensor)) {
        plain = false;
        return tensor;
      }
      return empty_strided_tensor(tensor.sizes(), tensor.strides(), tensor.dtype(),
                                  DeviceType::Meta);
    }));
  }
  return plain ? shapes : std::vector<IValue>();
}

std::string function_name(const IValue& function) {
  IValue name;
  if (!try_get_attribute(function, "__name__", name) || !name.is_string()) {
    return "function";
  }
  return name.as_string() == "<lambda>" ? "_lambda" : std::string(name.as_string());
}

IValue cloned(const IValue& example) {
  if (example.is_tensor()) {
    return tsc::clone(example.as_tensor());
  }
  if (example.tag() == Tag::Dict) {
    IValue copy = make_dict();
    const std::vector<IValue> parts = keys_and_values(example);
    for (size_t i = 0; i < parts.size(); i += 2) {
      as_dict(copy)->set(parts[i], cloned(parts[i + 1]));
    }
    return copy;
  }
  std::vector<IValue> items;
  for (const IValue& item : items_of(example)) {
    items.push_back(cloned(item));
  }
  return example.is_list() ? make_list(std::move(items)) : make_tuple(std::move(items));
}

std::vector<IValue> cloned_inputs(const std::vector<IValue>& examples) {
  const AutoGradMode no_grad(false);
  std::vector<IValue> clones;
  clones.reserve(examples.size());
  for (const IValue& example : examples) {
    clones.push_back(cloned(example));
  }
  return clones;
}

}  // namespace

constinit const Type kScriptFunctionType = make_script_function_type();

std::shared_ptr<const graph::Graph> traced_graph(const IValue& function) {
  return traced_of(function).graph;
}
std::vector<IValue> traced_shapes(const IValue& function) { return traced_of(function).on_meta; }
std::vector<IValue> traced_arguments(const IValue& function, const Arguments& arguments) {
  return check_arguments(traced_of(function), arguments);
}
IValue traced_result(const IValue& function, const IValue& result) {
  const graph::Graph& graph = *traced_of(function).graph;
  return with_dicts(graph, graph.outputs[0], result);
}

IValue trace_function(Interpreter& interpreter, Arguments& arguments) {
  const IValue function = arguments[0];
  TSC_CHECK(has_value(arguments, 1), "example_kwarg_inputs should be a dict");
  const IValue given_inputs = arguments[1];
  const std::vector<IValue> examples =
      given_inputs.is_tensor() ? std::vector<IValue>{given_inputs} : items_of(given_inputs);
  const IValue all = make_tuple(examples);
  TSC_CHECK(can_be_traced(all),
            "Type '{}' cannot be traced. Only Tensors and (possibly nested) Lists, Dicts, and "
            "Tuples of Tensors can be traced",
            type_for_message(all));
  const bool check = !given(arguments, 3) || is_true(arguments[3]);
  const bool strict = !given(arguments, 6) || is_true(arguments[6]);
  const double tolerance = given(arguments, 5) ? to_double(arguments[5]) : 1e-5;
  const std::shared_ptr<const graph::Graph> graph =
      make_graph(interpreter, function, examples, strict);
  std::vector<IValue> shapes;
  shapes.reserve(examples.size());
  for (const IValue& example : examples) {
    shapes.push_back(flatten_tree(example).shape);
  }
  IValue traced =
      IValue::adopt(Tag::Object, new TracedFunction(function_name(function), graph,
                                                    std::move(shapes), shapes_on_meta(examples)));
  if (check) {
    const AutoGradMode no_grad(false);
    const auto again = make_graph(interpreter, function, cloned_inputs(examples), strict);
    check_same_graph(*graph, *again);
    warn_of_chance(*graph);
    const std::vector<IValue> from_graph = {interpreter.call(traced, cloned_inputs(examples))};
    const std::vector<IValue> from_function = {interpreter.call(function, cloned_inputs(examples))};
    warn_of_differences(interpreter, from_graph[0], from_function[0], tolerance);
  }
  return traced;
}

}  // namespace tsc::interp
