// A graph as a Python function. A value that is used once, right behind where it is made, becomes
// part of the expression that uses it, unless a script had a name for it or the line grows long.
#include <algorithm>
#include <set>

#include "graph/graph.h"

namespace tsc::graph {

namespace {

// The types within "(Float(2, 3), int[])".
std::vector<std::string_view> parts_of_tuple(std::string_view type) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t start = 1;
  for (size_t i = 1; i < type.size(); i++) {
    if ((type[i] == ',' && depth == 0) || i + 1 == type.size()) {
      parts.push_back(type.substr(start, i - start));
      start = i + 2;
    }
    depth += type[i] == '(' || type[i] == '[' ? 1 : type[i] == ')' || type[i] == ']' ? -1 : 0;
  }
  return parts;
}

std::string joined_types(std::string_view tuple, std::string (*text)(std::string_view)) {
  std::string parts;
  for (const std::string_view part : parts_of_tuple(tuple)) {
    parts += (parts.empty() ? "" : ", ") + text(part);
  }
  return parts;
}

}  // namespace

std::string python_type(std::string_view type) {
  if (type.ends_with("[]")) {
    return fmt::format("List[{}]", python_type(type.substr(0, type.size() - 2)));
  }
  if (type.starts_with("Dict(")) {
    return fmt::format("Dict[{}]", type.substr(5, type.size() - 6));
  }
  if (type.starts_with('(')) {
    return fmt::format("Tuple[{}]", joined_types(type, &python_type));
  }
  return std::string(type.find('(') == type.npos ? type : "Tensor");
}

std::string schema_type(std::string_view type) {
  if (type.starts_with('(')) {
    return fmt::format("({})", joined_types(type, &schema_type));
  }
  return python_type(type) == "Tensor" ? "Tensor" : std::string(type);
}

namespace {

constexpr size_t kLongLine = 40;
constexpr size_t kIndent = 2;

bool same_constant(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && constant_text(a) == constant_text(b) && a.sizes() == b.sizes() &&
         constant_text(a) != "value=<Tensor>";
}

bool is_default(const Argument& argument, const IValue& value) {
  if (!argument.has_default()) {
    return false;
  }
  const IValue expected = default_ivalue(argument);
  if (value.is_scalar() && expected.is_scalar()) {
    return value.tag() == expected.tag() && constant_text(value) == constant_text(expected);
  }
  return value.tag() == expected.tag() && constant_text(value) == constant_text(expected) &&
         (value.is_none() || !constant_text(value).empty());
}

class PythonPrinter {
 public:
  explicit PythonPrinter(const Graph& graph) : graph_(graph), uses_(graph.values.size()) {}
  std::string function(const std::string& name);

 private:
  // A use of a value: the node's number (the number of nodes stands for the return) and the index
  // of the input.
  struct Use {
    size_t user;
    size_t offset;
  };

  void find_uses();
  void find_inlined();
  size_t scan_node(size_t node);
  size_t node_before(size_t node) const;
  bool can_inline(ValueId value) const;
  const std::vector<ValueId>& inputs_of(size_t node) const {
    return node < graph_.nodes.size() ? graph_.nodes[node].inputs : graph_.outputs;
  }
  bool is_constant(size_t node) const {
    const NodeKind kind = graph_.nodes[node].kind;
    return kind == NodeKind::Constant || kind == NodeKind::Function;
  }

  void print_node(size_t node);
  void define(size_t node);
  void split_long(ValueId value);
  void scan_long(size_t user, int64_t offset, std::vector<size_t>& reversed);

  std::string fresh_name(ValueId value);
  std::string expression_of(size_t node);
  std::string call_text(const GraphNode& node);
  std::string function_call(const GraphNode& node);
  std::string list_text(const GraphNode& node);
  std::string constant_of(const GraphNode& node);
  std::string joined(const std::vector<ValueId>& ids) const;

  const Graph& graph_;
  std::vector<std::vector<Use>> uses_;
  std::vector<size_t> maker_;          // of each value; the number of nodes for an input
  std::vector<bool> inlined_;          // of each node
  std::vector<std::string> text_;      // of each value: a name, or an expression
  std::map<size_t, int64_t> scanned_;  // which uses were looked at for long expressions
  std::set<std::string> names_;
  std::map<std::string, int> next_;
  std::vector<Tensor> constants_;
  std::string body_;
};

void PythonPrinter::find_uses() {
  maker_.assign(graph_.values.size(), graph_.nodes.size());
  for (size_t n = 0; n <= graph_.nodes.size(); n++) {
    const std::vector<ValueId>& inputs = inputs_of(n);
    for (size_t i = 0; i < inputs.size(); i++) {
      uses_[inputs[i]].push_back({n, i});
    }
    if (n < graph_.nodes.size()) {
      for (const ValueId output : graph_.nodes[n].outputs) {
        maker_[output] = n;
      }
    }
  }
}

bool PythonPrinter::can_inline(ValueId value) const {
  const size_t node = maker_[value];
  if (node == graph_.nodes.size() || graph_.nodes[node].outputs.size() != 1 ||
      uses_[value].size() != 1) {
    return false;
  }
  // A value that a script named keeps its line, unless it is returned at once.
  return graph_.values[value].name.empty() || uses_[value][0].user == graph_.nodes.size();
}

// The last node before this one that is not a constant; a number beyond all nodes where there is
// none.
size_t PythonPrinter::node_before(size_t node) const {
  while (node > 0) {
    node--;
    if (!is_constant(node)) {
      return node;
    }
  }
  return graph_.nodes.size() + 1;
}

// Inlines the inputs of a node that were made directly before it, last one first. Returns the node
// before those.
size_t PythonPrinter::scan_node(size_t node) {
  // An explicit stack, because expressions may be as deep as the graph is long.
  struct Frame {
    size_t node;
    size_t left;  // inputs to look at
  };
  size_t point = node_before(node);
  std::vector<Frame> frames{{node, inputs_of(node).size()}};
  while (!frames.empty()) {
    Frame& frame = frames.back();
    if (frame.left == 0) {
      frames.pop_back();
      continue;
    }
    const ValueId input = inputs_of(frame.node)[--frame.left];
    const size_t maker = maker_[input];
    if (maker == point && maker < graph_.nodes.size() && !inlined_[maker] && can_inline(input)) {
      inlined_[maker] = true;
      point = node_before(maker);
      frames.push_back({maker, inputs_of(maker).size()});
    }
  }
  return point;
}

void PythonPrinter::find_inlined() {
  inlined_.assign(graph_.nodes.size(), false);
  for (size_t n = graph_.nodes.size() + 1; n-- > 0;) {
    const bool is_return = n == graph_.nodes.size();
    if (is_return || (!is_constant(n) && !inlined_[n])) {
      scan_node(n);
    }
  }
}

std::string PythonPrinter::fresh_name(ValueId value) {
  std::string base = graph_.values[value].name;
  base = base.substr(0, base.find('.'));
  base = base.empty() ? "_" : base;
  std::string name = base;
  while (name == "_" || names_.contains(name)) {
    name = fmt::format("{}{}", base, next_[name]++);
  }
  names_.insert(name);
  return name;
}

std::string PythonPrinter::joined(const std::vector<ValueId>& ids) const {
  std::string text;
  for (const ValueId id : ids) {
    text += (text.empty() ? "" : ", ") + text_[id];
  }
  return text;
}

std::string PythonPrinter::constant_of(const GraphNode& node) {
  if (node.kind == NodeKind::Function) {
    return fmt::format("__torch__.{}", node.function_name);
  }
  const IValue& constant = node.constant;
  if (constant.is_tensor()) {
    const auto found = std::find_if(constants_.begin(), constants_.end(), [&](const Tensor& known) {
      return same_constant(known, constant.as_tensor());
    });
    const auto index = static_cast<size_t>(found - constants_.begin());
    if (found == constants_.end()) {
      constants_.push_back(constant.as_tensor());
    }
    return fmt::format("CONSTANTS.c{}", index);
  }
  if (constant.is_none() || constant.tag() == Tag::Generator) {
    return "None";
  }
  if (constant.is_bool()) {
    return constant.as_bool() ? "True" : "False";
  }
  const std::string text = constant_text(constant).substr(std::string_view("value=").size());
  return constant.tag() == Tag::Device ? fmt::format("torch.device({})", text) : text;
}

// Omits trailing arguments that equal their default, except those for results.
std::string PythonPrinter::call_text(const GraphNode& node) {
  const FunctionSchema& schema = node.op.schema();
  size_t last = node.inputs.size();
  while (last > 0 && schema.arguments[last - 1].is_out) {
    last--;
  }
  const size_t results = last;
  while (last > 0) {
    const size_t maker = maker_[node.inputs[last - 1]];
    const bool is_omitted = maker < graph_.nodes.size() && is_constant(maker) &&
                            is_default(schema.arguments[last - 1], graph_.nodes[maker].constant);
    if (!is_omitted) {
      break;
    }
    last--;
  }
  std::string arguments;
  for (size_t i = 0; i < node.inputs.size(); i++) {
    if (i >= last && i < results) {
      continue;
    }
    const Argument& argument = schema.arguments[i];
    arguments += arguments.empty() ? "" : ", ";
    arguments += argument.kwarg_only ? fmt::format("{}=", argument.name) : "";
    arguments += text_[node.inputs[i]];
  }
  const std::string_view space = schema.namespace_name();
  return fmt::format("{}{}({})", space == "aten" ? "torch." : fmt::format("ops.{}.", space),
                     schema.base_name(), arguments);
}

std::string PythonPrinter::list_text(const GraphNode& node) {
  const std::string items = fmt::format("[{}]", joined(node.inputs));
  const std::string& type = graph_.values[node.outputs[0]].type;
  if (type == "Tensor?[]") {
    return fmt::format("annotate(List[Optional[Tensor]], {})", items);
  }
  return node.inputs.empty() && type != "Tensor[]"
             ? fmt::format("annotate({}, [])", python_type(type))
             : items;
}

std::string PythonPrinter::function_call(const GraphNode& node) {
  std::string arguments;
  for (size_t i = 1; i < node.inputs.size(); i++) {
    arguments += text_[node.inputs[i]] + ", ";
  }
  return fmt::format("{}({})", text_[node.inputs[0]], arguments);
}

std::string PythonPrinter::expression_of(size_t index) {
  const GraphNode& node = graph_.nodes[index];
  switch (node.kind) {
    case NodeKind::Operator: return call_text(node);
    case NodeKind::Constant:
    case NodeKind::Function: return constant_of(node);
    case NodeKind::CallFunction: return function_call(node);
    case NodeKind::DictItem:
      return fmt::format("{}[{}]", text_[node.inputs[0]], text_[node.inputs[1]]);
    case NodeKind::ListConstruct: return list_text(node);
    case NodeKind::TupleConstruct:
      return fmt::format("({}{})", joined(node.inputs), node.inputs.size() == 1 ? "," : "");
    case NodeKind::ListUnpack:
    case NodeKind::TupleUnpack: return text_[node.inputs[0]];
    case NodeKind::Size: return fmt::format("torch.size({})", joined(node.inputs));
    case NodeKind::Numel: return fmt::format("torch.numel({})", joined(node.inputs));
    case NodeKind::NumToTensor: return fmt::format("ops.prim.NumToTensor({})", joined(node.inputs));
    case NodeKind::Int: return fmt::format("int({})", joined(node.inputs));
    case NodeKind::Scalar: return fmt::format("annotate(number, {})", joined(node.inputs));
    case NodeKind::DictConstruct: {
      std::string items;
      for (size_t i = 0; i + 1 < node.inputs.size(); i += 2) {
        items += fmt::format("{}{}: {}", items.empty() ? "" : ", ", text_[node.inputs[i]],
                             text_[node.inputs[i + 1]]);
      }
      return fmt::format("{{{}}}", items);
    }
  }
  return "";
}

// Writes the node's expression as a line of its own and names its values.
void PythonPrinter::define(size_t index) {
  const GraphNode& node = graph_.nodes[index];
  const std::string expression = inlined_[index] ? text_[node.outputs[0]] : expression_of(index);
  for (const ValueId output : node.outputs) {
    text_[output] = fresh_name(output);
  }
  const bool unpacks = node.kind == NodeKind::ListUnpack || node.kind == NodeKind::TupleUnpack;
  const std::string names = joined(node.outputs);
  body_ += names.empty() ? fmt::format("  {}\n", expression)
                         : fmt::format("  {}{} = {}\n", names, unpacks ? "," : "", expression);
}

// Puts a long expression on a line of its own, and likewise the expressions before it in the
// statement that uses it: the order of calls stays.
void PythonPrinter::split_long(ValueId value) {
  std::vector<size_t> reversed;
  const Use use = uses_[value][0];
  scan_long(use.user, static_cast<int64_t>(use.offset), reversed);
  for (size_t i = reversed.size(); i-- > 0;) {
    define(reversed[i]);
  }
}

void PythonPrinter::scan_long(size_t user, int64_t offset, std::vector<size_t>& reversed) {
  while (true) {
    const auto known = scanned_.find(user);
    const bool was_scanned = known != scanned_.end();
    for (int64_t i = offset; i >= (was_scanned ? known->second + 1 : 0); i--) {
      const size_t maker = maker_[inputs_of(user)[static_cast<size_t>(i)]];
      if (maker < graph_.nodes.size() && inlined_[maker]) {
        reversed.push_back(maker);
      }
    }
    scanned_[user] = offset;
    if (was_scanned || user == graph_.nodes.size() || !inlined_[user]) {
      return;
    }
    // The expression of the use itself is still being written.
    const Use outer = uses_[graph_.nodes[user].outputs[0]][0];
    user = outer.user;
    offset = static_cast<int64_t>(outer.offset) - 1;
  }
}

void PythonPrinter::print_node(size_t index) {
  const GraphNode& node = graph_.nodes[index];
  if (is_constant(index)) {
    if (!uses_[node.outputs[0]].empty()) {
      text_[node.outputs[0]] = constant_of(node);
    }
    return;
  }
  if (!inlined_[index]) {
    define(index);
    return;
  }
  text_[node.outputs[0]] = expression_of(index);
  if (text_[node.outputs[0]].size() + kIndent >= kLongLine) {
    split_long(node.outputs[0]);
  }
}

std::string PythonPrinter::function(const std::string& name) {
  find_uses();
  find_inlined();
  text_.resize(graph_.values.size());
  std::string parameters;
  size_t number = 0;
  for (const ValueId input : graph_.inputs) {
    const bool is_named = !graph_.values[input].name.empty();
    text_[input] = is_named ? fresh_name(input) : fmt::format("argument_{}", number);
    parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : ",\n    ", text_[input],
                              python_type(graph_.values[input].type));
    number++;
  }
  for (size_t n = 0; n < graph_.nodes.size(); n++) {
    print_node(n);
  }
  std::string results;
  for (const ValueId output : graph_.outputs) {
    results += (results.empty() ? "" : ", ") + python_type(graph_.values[output].type);
  }
  return fmt::format("def {}({}) -> {}:\n{}  return {}\n", name, parameters,
                     results.empty() ? "None" : results, body_, joined(graph_.outputs));
}

}  // namespace

std::string Graph::code(const std::string& function) const {
  return PythonPrinter(*this).function(function);
}

}  // namespace tsc::graph
