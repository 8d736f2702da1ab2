#include "interp/torch/graphs/fx_graph.h"

#include <algorithm>
#include <charconv>

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/builtins.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/syntax/token.h"
#include "interp/torch/dispatcher/ops_objects.h"

namespace tsc::interp {

std::string_view to_string(FxOp op) {
  static constexpr std::string_view kNames[] = {"placeholder", "get_attr", "call_function",
                                                "output"};
  return kNames[static_cast<size_t>(op)];
}

void FxNode::traverse(ChildVisitor visit, void* context) {
  visit_child(target, visit, context);
  visit_child(args, visit, context);
  visit_child(kwargs, visit, context);
  visit_child(meta, visit, context);
}

void FxNode::clear() noexcept {
  target = IValue();
  args = IValue();
  kwargs = IValue();
  meta = IValue();
}

FxNode& fx_node_of(const IValue& value) { return *value.as_object<FxNode>(); }
FxGraph& fx_graph_of(const IValue& value) { return *value.as_object<FxGraph>(); }

namespace {

void collect_nodes(const IValue& value, std::vector<FxNode*>& nodes) {
  if (is_object_of(value, kFxNodeType)) {
    FxNode* node = &fx_node_of(value);
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
      nodes.push_back(node);
    }
  } else if (value.is_list() || value.is_tuple()) {
    for_each_item(value, [&](const IValue& item) {
      collect_nodes(item, nodes);
      return true;
    });
  } else if (value.tag() == Tag::Dict) {
    for (const DictObject::Entry& entry : as_dict(value)->entries()) {
      if (!entry.is_removed()) {
        collect_nodes(entry.value, nodes);
      }
    }
  }
}

}  // namespace

std::vector<FxNode*> nodes_in(const IValue& value) {
  std::vector<FxNode*> nodes;
  collect_nodes(value, nodes);
  return nodes;
}

std::vector<FxNode*> inputs_of(const FxNode& node) {
  std::vector<FxNode*> nodes;
  collect_nodes(node.args, nodes);
  collect_nodes(node.kwargs, nodes);
  return nodes;
}

// --- Names: "add", "add_1"; "sum_1" at once, since `sum` is Python's ---

namespace {

// Names that the generated code itself uses.
constexpr std::string_view kOwnNames[] = {"NoneType", "device", "fx_pytree", "inf",
                                          "nan",      "pytree", "torch"};

constexpr std::string_view kKeywords[] = {
#define TSC_TEXT(name, text) text,
    TSC_FORALL_KEYWORDS(TSC_TEXT)
#undef TSC_TEXT
};

bool is_taken_by_python(std::string_view name) {
  IValue builtin;
  return std::find(std::begin(kOwnNames), std::end(kOwnNames), name) != std::end(kOwnNames) ||
         std::find(std::begin(kKeywords), std::end(kKeywords), name) != std::end(kKeywords) ||
         find_builtin(name, builtin);
}

// "max_1" is "max" and 1; a name without a number has -1.
std::pair<std::string, int64_t> split_number(const std::string& name) {
  const size_t at = name.find_last_not_of("0123456789");
  int64_t number = 0;
  if (at == name.npos || at == 0 || name[at] != '_' || at + 1 == name.size() ||
      std::from_chars(&name[at + 1], name.data() + name.size(), number).ec != std::errc()) {
    return {name, -1};
  }
  return {name.substr(0, at), number};
}

std::string as_identifier(std::string_view candidate) {
  std::string name(candidate);
  for (char& c : name) {
    const bool legal =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    c = legal ? c : '_';
  }
  return name.empty() || (name[0] >= '0' && name[0] <= '9') ? "_" + name : name;
}

}  // namespace

std::string FxGraph::unique_name(std::string_view candidate) {
  std::string name = as_identifier(candidate);
  auto [base, number] = split_number(name);
  if (number < 0 || names_.contains(name)) {
    const auto counted = counts_.find(name);
    number = counted == counts_.end() ? 0 : counted->second;
    if (is_taken_by_python(name)) {
      name = fmt::format("{}_{}", base, ++number);
    }
  }
  while (names_.contains(name)) {
    name = fmt::format("{}_{}", base, ++number);
  }
  names_.insert(name);
  counts_[base] = number;
  return name;
}

// --- Nodes ---

IValue FxGraph::add(FxOp op, std::string_view candidate, IValue target, IValue args,
                    IValue kwargs) {
  auto* node =
      new FxNode(op, unique_name(candidate), std::move(target), std::move(args), std::move(kwargs));
  node->graph = this;
  nodes_.push_back(IValue::adopt(Tag::Object, node));
  return nodes_.back();
}

void FxGraph::traverse(ChildVisitor visit, void* context) {
  for (const IValue& node : nodes_) {
    visit_child(node, visit, context);
  }
}

void FxGraph::forget_nodes() noexcept {
  for (const IValue& node : nodes_) {
    fx_node_of(node).graph = nullptr;
  }
  // Released from the last one on: each is used by later ones only, so that no node is freed inside
  // of another.
  while (!nodes_.empty()) {
    nodes_.pop_back();
  }
}

std::vector<FxNode*> FxGraph::users_of(const FxNode& node) const {
  std::vector<FxNode*> users;
  for (const IValue& other : nodes_) {
    const std::vector<FxNode*> inputs = inputs_of(fx_node_of(other));
    if (std::find(inputs.begin(), inputs.end(), &node) != inputs.end()) {
      users.push_back(&fx_node_of(other));
    }
  }
  return users;
}

IValue FxGraph::node_after(const FxNode& node, int64_t steps) const {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const IValue& other) { return &fx_node_of(other) == &node; });
  const int64_t at = found - nodes_.begin() + steps;
  const bool is_there = found != nodes_.end() && at >= 0 && at < std::ssize(nodes_);
  return is_there ? nodes_[static_cast<size_t>(at)] : IValue();
}

bool is_impure(const FxNode& node) {
  if (node.op == FxOp::Placeholder || node.op == FxOp::Output) {
    return true;
  }
  if (!is_object_of(node.target, kOpOverloadType)) {
    return false;
  }
  const ArrayRef<Argument> arguments = operator_of(node.target).schema().arguments;
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const Argument& argument) { return argument.alias.is_write; });
}

bool FxGraph::eliminate_dead_code() {
  std::unordered_set<const FxNode*> used;
  std::vector<IValue> dead;  // from the last, which none of the others uses
  for (size_t i = nodes_.size(); i-- > 0;) {
    FxNode& node = fx_node_of(nodes_[i]);
    if (!is_impure(node) && !used.contains(&node)) {
      node.graph = nullptr;
      dead.push_back(std::exchange(nodes_[i], IValue()));
      continue;
    }
    for (const FxNode* input : inputs_of(node)) {
      used.insert(input);
    }
  }
  std::erase_if(nodes_, [](const IValue& node) { return node.is_none(); });
  for (IValue& node : dead) {
    node = IValue();
  }
  return !dead.empty();
}

}  // namespace tsc::interp
