#include "graph/graph.h"

#include <algorithm>

#include "core/tensor_factory.h"
#include "dispatch/visit.h"
#include "gen/calls/copy.h"
#include "gen/calls/item.h"
#include "gen/calls/to.h"

namespace tsc::graph {

// --- Types and constants ---

std::string graph_type(const Tensor& tensor) {
  std::string text(to_string(tensor.dtype()));
  text += '(';
  for (const int64_t size : tensor.sizes()) {
    text += fmt::format("{}, ", size);
  }
  if (tensor.dim() > 0) {
    text += fmt::format("strides={}, ", tensor.strides());
  }
  text += fmt::format("requires_grad={}, device={})", tensor.requires_grad() ? 1 : 0,
                      to_string(tensor.device()));
  return text;
}

Tensor size_tensor(int64_t size) {
  Tensor tensor = empty_tensor({}, ScalarType::Long);
  *tensor.data_ptr<int64_t>() = size;
  return tensor;
}

std::string graph_double(double value) {
  const std::string text = fmt::format("{:.17g}", value);
  return text.find_first_of(".en") == text.npos ? text + "." : text;
}

namespace {

// A number between the braces of a tensor constant.
std::string element_text(const Scalar& value) {
  if (value.is_complex()) {
    return fmt::format("({:g},{:g})", value.to_complex().real(), value.to_complex().imag());
  }
  return value.is_double() ? fmt::format("{:g}", value.to_double())
                           : fmt::format("{}", value.to_int());
}

std::string tensor_constant_text(const Tensor& tensor) {
  constexpr int64_t kMostElements = 10;
  if (tensor.is_meta() || tensor.numel() > kMostElements) {
    return "<Tensor>";
  }
  if (tensor.numel() == 1) {
    return fmt::format("{{{}}}", element_text(read_scalar(tensor)));
  }
  std::string text = elements_text(tensor, fmt::format("CPU{}Type", to_string(tensor.dtype())));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string value_text(const IValue& constant) {
  // TorchScript has no types for enumerators: they are their numbers.
  return visit(constant,
               Overloaded{[](bool value) { return std::string(value ? "1" : "0"); },
                          [](int64_t value) { return fmt::format("{}", value); },
                          [](double value) { return graph_double(value); },
                          [](std::complex<double> value) { return element_text(Scalar(value)); },
                          [](std::string_view value) { return fmt::format("\"{}\"", value); },
                          [](Device value) { return fmt::format("\"{}\"", to_string(value)); },
                          [](const Tensor& value) { return tensor_constant_text(value); },
                          [](const auto& value) {
                            if constexpr (std::is_enum_v<std::decay_t<decltype(value)>>) {
                              return fmt::format("{}", static_cast<int>(value));
                            } else {
                              return std::string();
                            }
                          }});
}

}  // namespace

std::string constant_text(const IValue& constant) {
  const std::string text = value_text(constant);
  return text.empty() ? text : fmt::format("value={}", text);
}

// --- Building ---

ValueId Graph::add_value(std::string type) {
  values.push_back({std::move(type), {}});
  return static_cast<ValueId>(values.size() - 1);
}

ValueId Graph::add_node(GraphNode node, std::string type) {
  const ValueId value = add_value(std::move(type));
  node.outputs = {value};
  nodes.push_back(std::move(node));
  return value;
}

void Graph::set_name(ValueId value, const std::string& name) {
  owner_of_name_.erase(values[value].name);
  const auto other = owner_of_name_.find(name);
  if (other != owner_of_name_.end()) {
    // The newest value keeps the bare name.
    const std::string base = name.substr(0, name.find('.'));
    size_t& suffix = next_suffix_[base];
    do {
      suffix++;
    } while (owner_of_name_.contains(fmt::format("{}.{}", base, suffix)));
    const ValueId renamed = other->second;
    owner_of_name_.erase(other);
    values[renamed].name = fmt::format("{}.{}", base, suffix);
    owner_of_name_[values[renamed].name] = renamed;
    suffix++;
  }
  values[value].name = name;
  owner_of_name_[name] = value;
}

std::vector<size_t> Graph::use_counts() const {
  std::vector<size_t> counts(values.size());
  for (const GraphNode& node : nodes) {
    for (const ValueId input : node.inputs) {
      counts[input]++;
    }
  }
  for (const ValueId output : outputs) {
    counts[output]++;
  }
  return counts;
}

// --- Printing ---

std::string Graph::reference(ValueId value) const {
  const std::string& name = values[value].name;
  return name.empty() ? fmt::format("%{}", value) : "%" + name;
}

std::string Graph::references(const std::vector<ValueId>& ids) const {
  std::string text;
  for (const ValueId id : ids) {
    text += (text.empty() ? "" : ", ") + reference(id);
  }
  return text;
}

std::string Graph::declarations(const std::vector<ValueId>& ids, std::string_view separator) const {
  std::string text;
  for (const ValueId id : ids) {
    text += fmt::format("{}{} : {}", text.empty() ? "" : separator, reference(id), values[id].type);
  }
  return text;
}

std::string Graph::kind_of(const GraphNode& node, bool overloads) const {
  switch (node.kind) {
    case NodeKind::Operator:
      return overloads ? node.op.qualified_name() : std::string(node.op.schema().name);
    case NodeKind::Constant: return "prim::Constant";
    case NodeKind::ListConstruct: return "prim::ListConstruct";
    case NodeKind::ListUnpack: return "prim::ListUnpack";
    case NodeKind::TupleConstruct: return "prim::TupleConstruct";
    case NodeKind::TupleUnpack: return "prim::TupleUnpack";
    case NodeKind::DictConstruct: return "prim::DictConstruct";
    case NodeKind::DictItem: return "aten::__getitem__";
    case NodeKind::Size: return "aten::size";
    case NodeKind::Numel: return "aten::numel";
    case NodeKind::Function: return "prim::Constant";
    case NodeKind::CallFunction: return "prim::CallFunction";
    case NodeKind::NumToTensor: return "prim::NumToTensor";
    case NodeKind::Int: return "aten::Int";
    case NodeKind::Scalar: return "aten::ScalarImplicit";
  }
  return "";
}

std::string Graph::node_text(const GraphNode& node, bool overloads) const {
  std::string text = node.outputs.empty() ? " = " : declarations(node.outputs, ", ") + " = ";
  const std::string constant = node.kind == NodeKind::Function
                                   ? fmt::format("name=\"{}\"", node.function_name)
                                   : constant_text(node.constant);
  text +=
      fmt::format("{}{}({})", kind_of(node, overloads),
                  constant.empty() ? "" : fmt::format("[{}]", constant), references(node.inputs));
  return node.source.empty() ? text : fmt::format("{} # {}:0", text, node.source);
}

std::string Graph::to_string(bool overloads) const {
  std::string text = fmt::format("graph({}):\n", declarations(inputs, ",\n      "));
  for (const GraphNode& node : nodes) {
    text += fmt::format("  {}\n", node_text(node, overloads));
  }
  return text + fmt::format("  return ({})\n", references(outputs));
}

// --- Inlining of functions ---

namespace {

bool is_constant(const GraphNode& node) {
  return node.kind == NodeKind::Constant || node.kind == NodeKind::Function;
}

// Copies nodes from one graph to another, and renumbers their values.
class GraphCopy {
 public:
  GraphCopy(const Graph& from, Graph& to) : from_(from), to_(to), numbers_(from.values.size()) {}

  void bind(ValueId value, ValueId number) { numbers_[value] = number; }
  ValueId add(ValueId value) {
    numbers_[value] = to_.add_value(from_.values[value].type);
    if (!from_.values[value].name.empty()) {
      to_.set_name(numbers_[value], from_.values[value].name);
    }
    return numbers_[value];
  }
  std::vector<ValueId> numbers_of(const std::vector<ValueId>& values) const {
    std::vector<ValueId> numbers;
    numbers.reserve(values.size());
    for (const ValueId value : values) {
      numbers.push_back(numbers_[value]);
    }
    return numbers;
  }
  GraphNode& copy(const GraphNode& node) {
    GraphNode copied = node;
    copied.inputs = numbers_of(node.inputs);
    for (ValueId& output : copied.outputs) {
      output = add(output);
    }
    to_.nodes.push_back(std::move(copied));
    return to_.nodes.back();
  }

 private:
  const Graph& from_;
  Graph& to_;
  std::vector<ValueId> numbers_;
};

// The nodes of a function: constants before all others, in reverse order, as PyTorch leaves them.
std::vector<ValueId> inline_call(const Graph& function, const std::vector<ValueId>& arguments,
                                 Graph& to) {
  const Graph body = function.inlined();
  GraphCopy copy(body, to);
  for (size_t i = 0; i < arguments.size(); i++) {
    copy.bind(body.inputs[i], arguments[i]);
  }
  for (size_t n = body.nodes.size(); n-- > 0;) {
    if (is_constant(body.nodes[n])) {
      copy.copy(body.nodes[n]);
    }
  }
  for (const GraphNode& node : body.nodes) {
    if (!is_constant(node)) {
      copy.copy(node);
    }
  }
  return copy.numbers_of(body.outputs);
}

}  // namespace

Graph Graph::inlined() const {
  Graph result;
  GraphCopy copy(*this, result);
  for (const ValueId input : inputs) {
    result.inputs.push_back(copy.add(input));
  }
  for (const GraphNode& node : nodes) {
    copy.copy(node);
  }
  result.outputs = copy.numbers_of(outputs);
  std::vector<GraphNode> calls = std::exchange(result.nodes, {});
  for (GraphNode& node : calls) {
    if (node.kind == NodeKind::CallFunction) {
      const std::vector<ValueId> arguments(node.inputs.begin() + 1, node.inputs.end());
      result.replace(node.outputs[0], inline_call(*node.function, arguments, result)[0], calls);
    } else {
      result.nodes.push_back(std::move(node));
    }
  }
  return result;
}

// Uses of a call's value become uses of the function's result, which takes over its name.
void Graph::replace(ValueId value, ValueId by, std::vector<GraphNode>& users) {
  for (GraphNode& node : users) {
    std::replace(node.inputs.begin(), node.inputs.end(), value, by);
  }
  std::replace(outputs.begin(), outputs.end(), value, by);
  const std::string name = std::exchange(values[value].name, "");
  if (!name.empty()) {
    owner_of_name_.erase(name);
    set_name(by, name);
  }
}

// --- Running ---

namespace {

// A list of the type's items; other values as they are.
IValue make_typed_list(const std::string& type, const std::vector<IValue>& items) {
  if (type == "int[]") {
    DimVector ints;
    for (const IValue& item : items) {
      ints.push_back(item.as_int());
    }
    return IntArrayRef(ints);
  }
  if (type == "float[]") {
    std::vector<double> doubles;
    doubles.reserve(items.size());
    for (const IValue& item : items) {
      doubles.push_back(item.as_double());
    }
    return ArrayRef<double>(doubles);
  }
  if (type == "bool[]") {
    SmallVector<bool, 8> bools;
    for (const IValue& item : items) {
      bools.push_back(item.as_bool());
    }
    return ArrayRef<bool>(bools);
  }
  return make_list(items);
}

std::vector<IValue> items_of_container(const IValue& container) {
  if (container.is_tuple()) {
    return {container.as_tuple()->begin(), container.as_tuple()->end()};
  }
  std::vector<IValue> items;
  if (container.is_list()) {
    return container.as_list()->items;
  }
  for (const Tensor& tensor : detail::unbox_tensor_list(container)) {
    items.emplace_back(tensor);
  }
  return items;
}

std::vector<IValue> call(const OperatorHandle& op, const std::vector<IValue>& arguments) {
  const FunctionSchema& schema = op.schema();
  TSC_CHECK(schema.arguments.size() == arguments.size(),
            "{} was defined anew with other arguments after the graph was made",
            op.qualified_name());
  Stack& stack = Stack::current();
  const StackHeight height(stack);
  for (const IValue& argument : arguments) {
    stack.push(argument);
  }
  op.call_boxed(stack);
  return {stack.last(schema.returns.size()), stack.top()};
}

bool has_meta(const std::vector<IValue>& values) {
  return std::any_of(values.begin(), values.end(), [](const IValue& value) {
    return value.is_tensor() && value.as_tensor().defined() && value.as_tensor().is_meta();
  });
}

// The constant on the meta device, for runs that compute shapes only.
IValue meta_constant(const IValue& constant) {
  if (constant.tag() == Tag::Device) {
    return Device(DeviceType::Meta);
  }
  if (constant.is_tensor() && !constant.as_tensor().is_wrapped_number()) {
    return tsc::to(constant.as_tensor(), Device(DeviceType::Meta), constant.as_tensor().dtype());
  }
  return constant;
}

// The item of a dict, which is passed as a list of keys and values in turn.
IValue item_of_dict(const IValue& dict, std::string_view key) {
  const std::vector<IValue>& items = dict.as_list()->items;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].is_string() && items[i].as_string() == key) {
      return items[i + 1];
    }
  }
  throw_error(ErrorKind::KeyError, "{}", key);
}

// Read from memory where possible, without a call.
Scalar element_of(const Tensor& tensor) {
  return tensor.is_cpu() ? read_scalar(tensor) : item(tensor);
}

std::vector<IValue> run_node(const Graph& graph, const GraphNode& node,
                             const std::vector<IValue>& inputs, bool on_meta) {
  switch (node.kind) {
    case NodeKind::Operator: return call(node.op, inputs);
    case NodeKind::Constant: return {on_meta ? meta_constant(node.constant) : node.constant};
    case NodeKind::ListConstruct:
      return {make_typed_list(graph.values[node.outputs[0]].type, inputs)};
    case NodeKind::TupleConstruct: return {make_tuple(inputs)};
    case NodeKind::ListUnpack:
    case NodeKind::TupleUnpack: {
      std::vector<IValue> items = items_of_container(inputs[0]);
      TSC_CHECK(items.size() == node.outputs.size(), "Expected {} elements in a list but found {}",
                node.outputs.size(), items.size());
      return items;
    }
    // Stands for a dict as a list of keys and values; the caller of run() makes the language's dict
    // of it.
    case NodeKind::DictConstruct: return {make_list(inputs)};
    case NodeKind::DictItem: return {item_of_dict(inputs[0], inputs[1].as_string())};
    case NodeKind::Size: return {inputs[0].as_tensor().size(inputs[1].as_int())};
    case NodeKind::Numel: return {inputs[0].as_tensor().numel()};
    case NodeKind::Function: return {IValue()};
    case NodeKind::CallFunction: return node.function->run({inputs.begin() + 1, inputs.end()});
    case NodeKind::NumToTensor: return {size_tensor(inputs[0].as_int())};
    case NodeKind::Int: return {element_of(inputs[0].as_tensor()).to_int()};
    case NodeKind::Scalar: return {element_of(inputs[0].as_tensor())};
  }
  return {};
}

}  // namespace

std::vector<IValue> Graph::run(const std::vector<IValue>& arguments,
                               const std::function<void(ValueId, const IValue&)>& visit) const {
  std::vector<IValue> computed(values.size());
  std::vector<size_t> uses = use_counts();
  const auto set = [&](ValueId id, const IValue& value) {
    visit(id, value);
    computed[id] = value;
  };
  for (size_t i = 0; i < inputs.size(); i++) {
    set(inputs[i], arguments[i]);
  }
  const bool on_meta = has_meta(arguments);
  std::vector<IValue> node_inputs;
  for (const GraphNode& node : nodes) {
    node_inputs.clear();
    for (const ValueId input : node.inputs) {
      node_inputs.push_back(computed[input]);
      if (--uses[input] == 0) {
        computed[input] = IValue();  // memory goes as soon as it can
      }
    }
    const std::vector<IValue> results = run_node(*this, node, node_inputs, on_meta);
    for (size_t i = 0; i < node.outputs.size(); i++) {
      set(node.outputs[i], results[i]);
    }
  }
  std::vector<IValue> returned;
  for (const ValueId output : outputs) {
    returned.push_back(computed[output]);
  }
  return returned;
}

std::vector<IValue> Graph::run(const std::vector<IValue>& arguments) const {
  return run(arguments, [](ValueId, const IValue&) {});
}

}  // namespace tsc::graph
