#include "keys/tracer.h"

#include <algorithm>
#include <set>

#include "core/keys/thread_local_state.h"
#include "core/tensor_factory.h"
#include "dispatch/visit.h"

namespace tsc::keys {

const Trace::Known* Trace::find(const Tensor& tensor) const {
  const auto found = known_.find(tensor.impl());
  // Another tensor may have been allocated at the address of a known one.
  const bool is_known = found != known_.end() && found->second.tensor->tensor == tensor.impl();
  return is_known ? &found->second : nullptr;
}

void Trace::bind(const Tensor& tensor, graph::ValueId value) {
  known_.insert_or_assign(tensor.impl(),
                          Known{weak_reference(tensor), is_function_ ? tensor : Tensor(), value});
  if (is_function_ && !tensor.is_meta()) {
    storages_[value] = tensor.storage().get();
  }
}

// --- Arguments ---

graph::ValueId Trace::constant(const IValue& value, std::string type) {
  graph::GraphNode node{.kind = graph::NodeKind::Constant, .constant = value};
  // None comes from no line of the script.
  node.source = value.is_none() ? "" : line();
  return graph_.add_node(std::move(node), std::move(type));
}

graph::ValueId Trace::construct(graph::NodeKind kind, std::vector<graph::ValueId> items,
                                std::string type) {
  return graph_.add_node({.kind = kind, .inputs = std::move(items)}, std::move(type));
}

graph::ValueId Trace::tuple_of(std::vector<graph::ValueId> items) {
  std::string types;
  for (const graph::ValueId item : items) {
    types += (types.empty() ? "" : ", ") + graph_.values[item].type;
  }
  return construct(graph::NodeKind::TupleConstruct, std::move(items), fmt::format("({})", types));
}

graph::ValueId Trace::unknown_tensor(const Tensor& tensor) {
  if (tensor.is_wrapped_number()) {
    return constant(tensor, graph::graph_type(tensor));
  }
  if (!is_function_) {
    const graph::ValueId value = graph_.add_value(graph::graph_type(tensor));
    graph_.inputs.push_back(value);
    bind(tensor, value);
    return value;
  }
  TSC_CHECK(
      !tensor.requires_grad(),
      "Cannot insert a Tensor that requires grad as a constant. Consider making it a "
      "parameter or input, or detaching the gradient\nTensor:\n{}",
      graph::elements_text(tensor, fmt::format("torch.{}Tensor", tsc::to_string(tensor.dtype()))));
  const graph::ValueId value = constant(tensor, graph::graph_type(tensor));
  bind(tensor, value);
  return value;
}

namespace {

constinit thread_local PythonFrame* innermost_frame = nullptr;

}  // namespace

PythonFrame::PythonFrame() : outer_(std::exchange(innermost_frame, this)) {}
PythonFrame::~PythonFrame() { innermost_frame = outer_; }
PythonFrame* PythonFrame::current() { return innermost_frame; }

void PythonFrame::assign(std::string_view variable, const Tensor& tensor) {
  const auto known = std::find_if(variables_.begin(), variables_.end(),
                                  [&](const Variable& held) { return held.name == variable; });
  if (known == variables_.end()) {
    variables_.push_back({variable, tensor});
  } else {
    known->tensor = tensor;
  }
}

std::string PythonFrame::name_of(const Tensor& tensor) const {
  const auto found = std::find_if(
      variables_.begin(), variables_.end(),
      [&](const Variable& variable) { return variable.tensor.impl() == tensor.impl(); });
  return found == variables_.end() ? "" : std::string(found->name);
}

graph::ValueId Trace::value_of_tensor(const Tensor& tensor) {
  if (!tensor.defined()) {
    return constant(IValue(), "NoneType");
  }
  const Known* known = find(tensor);
  if (known == nullptr) {
    return unknown_tensor(tensor);
  }
  if (is_function_ && graph_.values[known->value].name.empty()) {
    const PythonFrame* frame = PythonFrame::current();
    const std::string name = frame == nullptr ? language_.variable(tensor) : frame->name_of(tensor);
    if (!name.empty()) {
      graph_.set_name(known->value, name);
    }
  }
  return known->value;
}

namespace {

// The items of a list argument: one int stands for `int[2]`, too.
std::vector<IValue> items_of(const IValue& list) {
  return items_of_list(list).value_or(std::vector<IValue>{list});
}

// TorchScript has no types for dtypes, layouts, ...: they are ints.
std::string constant_type(const IValue& value) {
  switch (value.tag()) {
    case Tag::Bool: return "bool";
    case Tag::Int:
    case Tag::ScalarType:
    case Tag::Layout:
    case Tag::MemoryFormat: return "int";
    case Tag::Double: return "float";
    case Tag::ComplexDouble: return "complex";
    case Tag::String: return "str";
    case Tag::Device: return "Device";
    case Tag::Generator: return "Generator";
    case Tag::None: return "NoneType";
    case Tag::Tensor:
    case Tag::IntList:
    case Tag::DoubleList:
    case Tag::BoolList:
    case Tag::TensorList:
    case Tag::List:
    case Tag::Tuple:
    case Tag::Dict:
    case Tag::Function:
    case Tag::Object: break;
  }
  return "Any";
}

std::string list_type(const SchemaType& type, const std::vector<IValue>& items) {
  if (type.kind == TypeKind::Tensor) {
    return type.element_is_optional ? "Tensor?[]" : "Tensor[]";
  }
  if (type.kind == TypeKind::SymInt) {
    return "int[]";
  }
  return type.kind == TypeKind::Scalar && !items.empty()
             ? constant_type(items[0]) + "[]"
             : fmt::format("{}[]", to_string(type.kind));
}

}  // namespace

graph::ValueId Trace::list_of(const std::vector<IValue>& items, const SchemaType& type) {
  std::vector<graph::ValueId> ids;
  ids.reserve(items.size());
  for (size_t i = 0; i < items.size(); i++) {
    ids.push_back(items[i].is_tensor() ? value_of_tensor(items[i].as_tensor())
                                       : number_or_constant(items[i], static_cast<int64_t>(i)));
  }
  return construct(graph::NodeKind::ListConstruct, std::move(ids), list_type(type, items));
}

graph::ValueId Trace::value_of(const IValue& argument, const SchemaType& type, size_t i) {
  if (type.is_list && !argument.is_none()) {
    return list_of(items_of(argument), type);
  }
  return argument.is_tensor() ? value_of_tensor(argument.as_tensor())
                              : number_or_constant(argument, position_of_argument(i));
}

// A number that was read from a tensor of the graph is that tensor's value in the graph.
graph::ValueId Trace::number_or_constant(const IValue& value, int64_t position) {
  const auto noted = std::find_if(numbers_.begin(), numbers_.end(), [&](const NotedNumber& known) {
    const bool is_place = known.position == position || (known.position == -1 && position < 0);
    return is_place && known.value.is_same(value);
  });
  if (noted == numbers_.end()) {
    return constant(value, constant_type(value));
  }
  const graph::ValueId id = noted->id;
  numbers_.erase(noted);
  return id;
}

Tensor Trace::size_of(const Tensor& tensor, int64_t dim) {
  const graph::ValueId self = value_of_tensor(tensor);
  const graph::ValueId dimension = constant(dim, "int");
  const graph::ValueId size = graph_.add_node(
      {.kind = graph::NodeKind::Size, .inputs = {self, dimension}, .source = line()}, "int");
  return number_tensor(size, tensor.size(dim));
}

Tensor Trace::numel_of(const Tensor& tensor) {
  const graph::ValueId self = value_of_tensor(tensor);
  const graph::ValueId count =
      graph_.add_node({.kind = graph::NodeKind::Numel, .inputs = {self}, .source = line()}, "int");
  return number_tensor(count, tensor.numel());
}

// A number that is a value of the graph, as a tensor.
Tensor Trace::number_tensor(graph::ValueId number, int64_t value) {
  const graph::ValueId id = graph_.add_node(
      {.kind = graph::NodeKind::NumToTensor, .inputs = {number}}, "Long(device=cpu)");
  Tensor result = graph::size_tensor(value);
  bind(result, id);
  return result;
}

graph::ValueId Trace::call_function(std::string name, std::shared_ptr<const graph::Graph> function,
                                    const std::vector<graph::ValueId>& arguments,
                                    std::string type) {
  std::vector<graph::ValueId> inputs = {graph_.add_node(
      {.kind = graph::NodeKind::Function, .function = function, .function_name = name},
      "Function")};
  inputs.insert(inputs.end(), arguments.begin(), arguments.end());
  return graph_.add_node({.kind = graph::NodeKind::CallFunction,
                          .inputs = std::move(inputs),
                          .function = std::move(function),
                          .function_name = std::move(name)},
                         std::move(type));
}

void Trace::note_number(const Tensor& tensor, IValue value, int64_t position,
                        graph::NodeKind kind) {
  const graph::ValueId self = value_of_tensor(tensor);
  const graph::ValueId id = graph_.add_value(kind == graph::NodeKind::Int ? "int" : "Scalar");
  // As in PyTorch, directly after the node that makes the tensor.
  const auto maker =
      std::find_if(graph_.nodes.begin(), graph_.nodes.end(), [&](const graph::GraphNode& node) {
        return std::find(node.outputs.begin(), node.outputs.end(), self) != node.outputs.end();
      });
  const auto place = maker == graph_.nodes.end() ? graph_.nodes.begin() : maker + 1;
  graph_.nodes.insert(place, {.kind = kind, .inputs = {self}, .outputs = {id}});
  numbers_.push_back({position, std::move(value), id});
}

// --- Calls ---

size_t Trace::record_call(const OperatorHandle& op, const IValue* arguments) {
  graph::GraphNode node{.kind = graph::NodeKind::Operator, .op = op};
  const auto declared = op.schema().arguments;
  for (size_t i = 0; i < declared.size(); i++) {
    node.inputs.push_back(value_of(arguments[i], declared[i].type, i));
  }
  node.source = line();
  numbers_.clear();
  graph_.nodes.push_back(std::move(node));
  return graph_.nodes.size() - 1;
}

void Trace::record_results(size_t node, const IValue* results, size_t count) {
  std::vector<graph::ValueId> ids;
  std::vector<std::pair<graph::ValueId, const IValue*>> lists;
  for (size_t i = 0; i < count; i++) {
    const IValue& result = results[i];
    if (result.is_tensor() && !result.as_tensor().defined()) {
      ids.push_back(graph_.add_value("Tensor"));  // a gradient that nobody asked for
    } else if (result.is_tensor()) {
      ids.push_back(graph_.add_value(graph::graph_type(result.as_tensor())));
      bind(result.as_tensor(), ids.back());
    } else if (result.tag() == Tag::TensorList || result.is_list()) {
      ids.push_back(graph_.add_value("Tensor[]"));
      lists.emplace_back(ids.back(), &result);
    } else {
      ids.push_back(graph_.add_value(result.is_scalar() ? "Scalar" : "Any"));
    }
  }
  graph_.nodes[node].outputs = std::move(ids);
  for (const auto& [list, value] : lists) {
    const TensorList tensors = detail::unbox_tensor_list(*value);
    std::vector<std::string> types;
    for (const Tensor& tensor : tensors) {
      types.push_back(graph::graph_type(tensor));
    }
    const std::vector<graph::ValueId> items = unpack(list, false, std::move(types));
    for (size_t i = 0; i < items.size(); i++) {
      bind(tensors[i], items[i]);
    }
  }
}

void Trace::drop_call(size_t node) {
  graph_.nodes.erase(graph_.nodes.begin() + static_cast<std::ptrdiff_t>(node), graph_.nodes.end());
}

// --- A function's inputs and outputs ---

graph::ValueId Trace::declare_input(std::string type, const std::string& name) {
  const graph::ValueId value = graph_.add_value(std::move(type));
  graph_.inputs.push_back(value);
  if (!name.empty()) {
    graph_.set_name(value, name);
  }
  return value;
}

std::vector<graph::ValueId> Trace::unpack(graph::ValueId container, bool is_tuple,
                                          std::vector<std::string> types) {
  graph::GraphNode node{
      .kind = is_tuple ? graph::NodeKind::TupleUnpack : graph::NodeKind::ListUnpack,
      .inputs = {container}};
  for (std::string& type : types) {
    node.outputs.push_back(graph_.add_value(std::move(type)));
  }
  graph_.nodes.push_back(node);
  return node.outputs;
}

// Whether the node writes to memory that a live value views. Meta tensors have no memory, so it
// may.
bool Trace::writes_live(const graph::GraphNode& node,
                        const std::unordered_set<const void*>& live) const {
  if (node.kind != graph::NodeKind::Operator) {
    return node.kind ==
           graph::NodeKind::CallFunction;  // writes of the called graph are not examined
  }
  const auto declared = node.op.schema().arguments;
  for (size_t i = 0; i < declared.size(); i++) {
    if (!declared[i].alias.is_write) {
      continue;
    }
    const auto storage = storages_.find(node.inputs[i]);
    if (storage == storages_.end() || live.contains(storage->second)) {
      return true;
    }
  }
  return node.outputs.empty();
}

graph::Graph Trace::finish(graph::ValueId output) {
  graph_.outputs = {output};
  std::vector<bool> is_live(graph_.values.size());
  std::vector<bool> is_kept(graph_.nodes.size());
  std::unordered_set<const void*> storages;
  const auto mark = [&](graph::ValueId value) {
    is_live[value] = true;
    const auto storage = storages_.find(value);
    if (storage != storages_.end()) {
      storages.insert(storage->second);
    }
  };
  std::for_each(graph_.inputs.begin(), graph_.inputs.end(), mark);
  mark(output);
  // A node passed over may write to memory found live later, so repeat until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t n = graph_.nodes.size(); n-- > 0;) {
      const graph::GraphNode& node = graph_.nodes[n];
      const bool is_used = std::any_of(node.outputs.begin(), node.outputs.end(),
                                       [&](graph::ValueId value) { return is_live[value]; });
      if (!is_kept[n] && (is_used || writes_live(node, storages))) {
        is_kept[n] = changed = true;
        std::for_each(node.inputs.begin(), node.inputs.end(), mark);
        std::for_each(node.outputs.begin(), node.outputs.end(), mark);
      }
    }
  }
  graph::Graph graph = std::move(graph_);
  std::vector<graph::GraphNode> kept;
  for (size_t n = 0; n < graph.nodes.size(); n++) {
    if (is_kept[n]) {
      kept.push_back(std::move(graph.nodes[n]));
    }
  }
  graph.nodes = std::move(kept);
  clear();
  return graph;
}

// --- This thread's trace ---

void Trace::clear() {
  generation_++;
  graph_ = graph::Graph();
  known_.clear();
  storages_.clear();
}

std::string Trace::to_string() const {
  graph::Graph graph = graph_;
  const std::vector<size_t> uses = graph.use_counts();
  for (const graph::GraphNode& node : graph.nodes) {
    for (const graph::ValueId output : node.outputs) {
      if (uses[output] == 0) {
        graph.outputs.push_back(output);
      }
    }
  }
  return graph.to_string(true);
}

namespace {

thread_local Trace* function_trace = nullptr;

}  // namespace

Trace& current_trace() {
  static thread_local Trace session;
  return function_trace == nullptr ? session : *function_trace;
}

Trace* set_current_trace(Trace* trace) { return std::exchange(function_trace, trace); }

bool is_tracing_function() {
  const DispatchKey tracer = DispatchKey::Tracer;
  return function_trace != nullptr && tls().included.has(tracer) && !tls().excluded.has(tracer);
}

void warn_of_python_value(std::string_view what) {
  warn_text(ErrorKind::TracerWarning,
            fmt::format("Converting a tensor to a Python {} might cause the trace to be incorrect. "
                        "We can't record the data flow of Python values, so this value will be "
                        "treated as a constant in the future. This means that the trace might not "
                        "generalize to other inputs!",
                        what));
}

namespace {

// Removes the node of a call that throws. A kernel may have cleared the trace.
class CallNode {
 public:
  CallNode(Trace& trace, size_t node)
      : trace_(trace), node_(node), generation_(trace.generation()) {}
  ~CallNode() {
    if (!is_done_ && trace_.generation() == generation_) {
      trace_.drop_call(node_);
    }
  }
  CallNode(const CallNode&) = delete;
  CallNode& operator=(const CallNode&) = delete;

  void finish(const IValue* results, size_t count) {
    is_done_ = true;
    if (trace_.generation() == generation_) {
      trace_.record_results(node_, results, count);
    }
  }

 private:
  Trace& trace_;
  size_t node_;
  uint64_t generation_;
  bool is_done_ = false;
};

}  // namespace

void tracer_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  Trace& trace = current_trace();
  const FunctionSchema& schema = op.schema();
  if (trace.is_function() && schema.name == "aten::item") {
    warn_of_python_value("number");
  }
  CallNode node(trace, trace.record_call(op, stack->last(schema.arguments.size())));
  const ExcludeDispatchKeyGuard below{DispatchKeySet(DispatchKey::Tracer)};
  op.redispatch_boxed(keys & full_after(DispatchKey::Tracer), *stack, RouteForm::Bound);
  const size_t count = schema.returns.size();
  node.finish(stack->last(count), count);
}

}  // namespace tsc::keys
