// Graphs as text: as a list of nodes, and as the source of a function.
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/dispatcher/ops_objects.h"
#include "interp/torch/graphs/fx_graph.h"

namespace tsc::interp {

namespace {

void append_joined(std::string& out, std::string_view text) {
  out += out.empty() ? "" : ", ";
  out += text;
}

// --- The list of nodes: "%add : [num_users=1] = call_function[target=...](args = (%x, 1), ...)"
// ---

std::string marked_text(const IValue& value);

std::string marked_items(const IValue& values) {
  std::string text;
  for_each_item(values, [&](const IValue& item) {
    append_joined(text, marked_text(item));
    return true;
  });
  return text;
}

std::string marked_dict(const IValue& dict) {
  std::string text;
  for (const DictObject::Entry& entry : as_dict(dict)->entries()) {
    if (!entry.is_removed()) {
      append_joined(text, fmt::format("{}: {}", str(entry.key), marked_text(entry.value)));
    }
  }
  return fmt::format("{{{}}}", text);
}

std::string marked_text(const IValue& value) {
  if (is_object_of(value, kFxNodeType)) {
    return "%" + fx_node_of(value).name;
  }
  if (value.is_tuple()) {
    const bool is_single = value.as_tuple()->size() == 1;
    return fmt::format("({}{})", marked_items(value), is_single ? "," : "");
  }
  if (value.is_list()) {
    return fmt::format("[{}]", marked_items(value));
  }
  return value.tag() == Tag::Dict ? marked_dict(value) : str(value);
}

// The target's name in a program.
std::string target_name(const FxNode& node) {
  if (node.op != FxOp::CallFunction) {
    return str(node.target);
  }
  return is_object_of(node.target, kOpOverloadType) ? "torch.ops." + str(node.target)
                                                    : "operator.getitem";
}

const IValue& returned_value(const FxNode& output) { return (*output.args.as_tuple())[0]; }

// --- The source of a function ---

struct LastUses {
  // The nodes whose last user is the key, so that their values can be released after it.
  std::unordered_map<const FxNode*, std::vector<const FxNode*>> ended_by;
  std::unordered_set<const FxNode*> used;
};

LastUses last_uses(const std::vector<IValue>& nodes) {
  LastUses uses;
  for (size_t i = nodes.size(); i-- > 0;) {
    const FxNode& user = fx_node_of(nodes[i]);
    for (const FxNode* input : inputs_of(user)) {
      if (uses.used.insert(input).second) {
        uses.ended_by[&user].push_back(input);
      }
    }
  }
  return uses;
}

// Complex numbers that a sum cannot express (a zero's sign, nan) are built from their parts.
std::string source_text(const IValue& value) {
  if (!value.is_complex()) {
    return repr(value);
  }
  const auto [real, imag] = std::pair(value.as_complex().real(), value.as_complex().imag());
  const bool is_sum = real != 0 && imag != 0 && std::isfinite(real) && std::isfinite(imag);
  return is_sum ? repr(value) : fmt::format("complex({}, {})", repr(real), repr(imag));
}

std::string expression_of(const FxNode& node) {
  if (node.op == FxOp::GetAttr) {
    return "self." + str(node.target);
  }
  const auto& args = *node.args.as_tuple();
  if (!is_object_of(node.target, kOpOverloadType)) {
    return fmt::format("{}[{}]", repr(args[0]), repr(args[1]));
  }
  std::string arguments;
  for (const IValue& argument : args) {
    append_joined(arguments, source_text(argument));
  }
  for (const DictObject::Entry& entry : as_dict(node.kwargs)->entries()) {
    append_joined(arguments, fmt::format("{} = {}", str(entry.key), source_text(entry.value)));
  }
  return fmt::format("{}({})", target_name(node), arguments);
}

std::string with_type(const FxNode& node) {
  return node.tensor_type.empty() ? node.name
                                  : fmt::format("{}: \"{}\"", node.name, node.tensor_type);
}

std::string joined(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& part : texts) {
    append_joined(text, part);
  }
  return text;
}

}  // namespace

namespace {

std::string text_with_users(const FxNode& node, size_t users) {
  if (node.op == FxOp::Output) {
    return "return " + str(returned_value(node));
  }
  std::string text = fmt::format("%{} : [num_users={}] = {}[target={}]", node.name, users,
                                 to_string(node.op), target_name(node));
  if (node.op == FxOp::CallFunction) {
    text +=
        fmt::format("(args = {}, kwargs = {})", marked_text(node.args), marked_text(node.kwargs));
  }
  return text;
}

}  // namespace

std::string node_text(const FxNode& node) {
  return text_with_users(node, node.graph == nullptr ? 0 : node.graph->users_of(node).size());
}

std::string FxGraph::text() const {
  std::unordered_map<const FxNode*, size_t> users;
  for (const IValue& node : nodes_) {
    for (const FxNode* input : inputs_of(fx_node_of(node))) {
      users[input]++;
    }
  }
  std::string text = "graph():";
  for (const IValue& node : nodes_) {
    text += "\n    " + text_with_users(fx_node_of(node), users[&fx_node_of(node)]);
  }
  return text;
}

std::vector<std::string> FxGraph::body(bool with_types) const {
  std::vector<std::string> lines;
  std::string placeholders;
  const LastUses uses = last_uses(nodes_);
  bool has_calls = false;
  for (const IValue& value : nodes_) {
    const FxNode& node = fx_node_of(value);
    if (node.op == FxOp::Placeholder) {
      placeholders += node.name + ", ";
      continue;
    }
    if (node.op == FxOp::Output) {
      const std::string result = repr(returned_value(node));
      lines.push_back(
          tree_parameters.empty()
              ? "return " + result
              : fmt::format("return pytree.tree_unflatten({}, self._out_spec)", result));
      continue;
    }
    if (with_types && !has_calls) {
      lines.emplace_back("# No stacktrace found for following nodes");
      has_calls = true;
    }
    std::string line =
        fmt::format("{} = {}", with_types ? with_type(node) : node.name, expression_of(node));
    std::string dead;
    if (const auto found = uses.ended_by.find(&node); found != uses.ended_by.end()) {
      for (const FxNode* input : found->second) {
        dead += input->name + " = ";
      }
    }
    dead += uses.used.contains(&node) ? "" : node.name + " = ";
    lines.push_back(dead.empty() ? line : fmt::format("{};  {}None", line, dead));
  }
  if (!tree_parameters.empty()) {
    lines.insert(lines.begin(), fmt::format("{}= fx_pytree.tree_flatten_spec([{}], self._in_spec)",
                                            placeholders, joined(tree_parameters)));
  }
  return lines;
}

std::string FxGraph::code() const {
  std::vector<std::string> parameters = {"self"};
  for (const std::string& name : tree_parameters) {
    parameters.push_back(name);
  }
  for (const IValue& node : nodes_) {
    if (tree_parameters.empty() && fx_node_of(node).op == FxOp::Placeholder) {
      parameters.push_back(fx_node_of(node).name);
    }
  }
  std::string text = fmt::format("\n\n\ndef forward({}):\n", joined(parameters));
  for (const std::string& line : body(false)) {
    text += fmt::format("    {}\n", line);
  }
  return text + "    ";
}

std::string FxGraph::readable(std::string_view class_name) const {
  std::vector<std::string> parameters = {"self"};
  std::string declared;
  for (const std::string& name : tree_parameters) {
    parameters.push_back(name);
  }
  for (const IValue& value : nodes_) {
    const FxNode& node = fx_node_of(value);
    if (node.op != FxOp::Placeholder) {
      continue;
    }
    if (tree_parameters.empty()) {
      parameters.push_back(with_type(node));
    } else if (!node.tensor_type.empty()) {
      declared += fmt::format("{}{};", declared.empty() ? "" : " ", with_type(node));
    }
  }
  std::string text = fmt::format("class {}(torch.nn.Module):\n    def forward({}):\n", class_name,
                                 joined(parameters));
  if (!declared.empty()) {
    text += fmt::format("        {}\n\n", declared);
  }
  for (const std::string& line : body(true)) {
    text += fmt::format("        {}\n", line);
  }
  return text;
}

}  // namespace tsc::interp
