#include "interp/torch/autograd/graph_objects.h"

#include <map>
#include <unordered_map>

#include "autograd/accumulate_grad.h"
#include "autograd/saved_variable.h"
#include "interp/runtime/objects/value_types.h"
#include "interp/torch/autograd/hook_objects.h"
#include "interp/torch/autograd/saved_hooks.h"

namespace tsc::interp {

extern const Type kNodeType;

namespace {

class NodeObject;

// Node objects that scripts hold now. Never destroyed: objects may outlive thread-local variables.
std::unordered_map<const autograd::Node*, NodeObject*>& node_objects() {
  static thread_local auto* const objects =
      new std::unordered_map<const autograd::Node*, NodeObject*>();
  return *objects;
}

class NodeObject final : public Object {
 public:
  NodeObject(const Type& type, intrusive_ptr<autograd::Node> shown)
      : Object(type), node(std::move(shown)) {
    node_objects()[node.get()] = this;
  }
  ~NodeObject() override {
    const auto known = node_objects().find(node.get());
    if (known != node_objects().end() && known->second == this) {
      node_objects().erase(known);
    }
  }
  intrusive_ptr<autograd::Node> node;
};

autograd::Node& node_of(const IValue& self) { return *self.as_object<NodeObject>()->node; }

IValue next_functions(const IValue& self) {
  std::vector<IValue> edges;
  for (const autograd::Edge& edge : node_of(self).next_edges()) {
    IValue node = edge.node ? make_node_object(edge.node) : IValue();
    edges.push_back(make_tuple({std::move(node), IValue(edge.input_nr)}));
  }
  return make_tuple(std::move(edges));
}

bool get_saved(const IValue& self, std::string_view name, IValue& result) {
  constexpr std::string_view kPrefix = "_saved_";
  constexpr std::string_view kRawPrefix = "_raw_saved_";
  if (name == "variable") {
    const auto* end = dynamic_cast<const autograd::AccumulateGrad*>(&node_of(self));
    if (end != nullptr) {
      result = IValue(end->variable());
    }
    return end != nullptr;
  }
  if (name.starts_with(kRawPrefix)) {
    return get_raw_saved(node_of(self), name.substr(kRawPrefix.size()), result);
  }
  if (!name.starts_with(kPrefix)) {
    return false;
  }
  for (auto& [saved_name, value] : autograd::saved_values(node_of(self))) {
    if (saved_name == name.substr(kPrefix.size())) {
      result = std::move(value);
      return true;
    }
  }
  return false;
}

void list_saved(const IValue& self, std::vector<std::string>& names) {
  if (dynamic_cast<const autograd::AccumulateGrad*>(&node_of(self)) != nullptr) {
    names.emplace_back("variable");
  }
  for (const auto& [name, value] : autograd::saved_values(node_of(self))) {
    names.push_back("_saved_" + name);
  }
}

IValue node_name(Interpreter&, Arguments& arguments) { return node_of(arguments[0]).name(); }

IValue register_hook(Interpreter& interpreter, Arguments& arguments) {
  return add_node_hook(interpreter, node_of(arguments[0]), arguments[1]);
}
IValue register_prehook(Interpreter& interpreter, Arguments& arguments) {
  return add_node_prehook(interpreter, node_of(arguments[0]), arguments[1]);
}

constexpr BuiltinDef kNodeMethods[] = {
    {"name", &node_name, 0, 0, {}, "Node"},
    {"register_hook", &register_hook, 1, 1, {}, "Node"},
    {"register_prehook", &register_prehook, 1, 1, {}, "Node"},
};
constexpr AttributeDef kNodeAttributes[] = {
    {"next_functions", &next_functions},
};

constexpr Type make_node_type() {
  Type type;
  type.name = "Node";
  type.module = "torch.autograd.graph";
  type.methods = kNodeMethods;
  type.attributes = kNodeAttributes;
  type.get_attribute = &get_saved;
  type.list_attributes = &list_saved;
  return type;
}

// The class of nodes of a name, made when it is first needed.
const Type& class_of(std::string_view name) {
  static thread_local auto* const classes = new std::map<std::string, Type, std::less<>>();
  auto found = classes->find(name);
  if (found == classes->end()) {
    found = classes->emplace(name, kNodeType).first;
    Type& type = found->second;
    type.name = found->first;
    type.module = "builtins";
    type.base = &kNodeType;
  }
  return found->second;
}

}  // namespace

constinit const Type kNodeType = make_node_type();

IValue make_node_object(intrusive_ptr<autograd::Node> node) {
  const auto known = node_objects().find(node.get());
  // An object that is about to be freed has no references.
  if (known != node_objects().end() && known->second->use_count() > 0) {
    return IValue::share(Tag::Object, known->second);
  }
  const Type& type = class_of(autograd::type_name(*node));
  return IValue::adopt(Tag::Object, new NodeObject(type, std::move(node)));
}

}  // namespace tsc::interp
