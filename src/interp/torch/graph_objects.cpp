#include "interp/torch/graph_objects.h"

#include "autograd/saved_variable.h"
#include "autograd/variable.h"
#include "interp/torch/types.h"

namespace tsc::interp {

extern const Type kNodeType;
extern const Type kHookHandleType;

namespace {

class NodeObject final : public Object {
 public:
  explicit NodeObject(intrusive_ptr<autograd::Node> node_)
      : Object(kNodeType), node(std::move(node_)) {}
  intrusive_ptr<autograd::Node> node;
};

class HookHandle final : public Object {
 public:
  HookHandle(const Tensor& tensor_, uint64_t id_)
      : Object(kHookHandleType), tensor(tensor_), id(id_) {}
  Tensor tensor;
  uint64_t id;
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
  if (name == "variable" && node_of(self).name() == "AccumulateGrad") {
    name = "_saved_variable";
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

IValue node_name(Interpreter&, Arguments& arguments) { return node_of(arguments[0]).name(); }
constexpr BuiltinDef kNodeMethods[] = {
    {"name", &node_name, 0, 0, {}, "Node"},
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
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("<{} object at {:#x}>", node_of(self).name(),
                       reinterpret_cast<uintptr_t>(&node_of(self)));
  };
  type.hash = [](const IValue& self) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(&node_of(self)) >> 4);
  };
  type.compare = [](CompareOp op, const IValue& left, const IValue& right, IValue& result) {
    if ((op != CompareOp::Equal && op != CompareOp::NotEqual) || !is_object_of(right, kNodeType)) {
      return false;
    }
    result = IValue((&node_of(left) == &node_of(right)) == (op == CompareOp::Equal));
    return true;
  };
  type.get_attribute = &get_saved;
  type.list_attributes = [](const IValue& self, std::vector<std::string>& names) {
    for (const auto& [name, value] : autograd::saved_values(node_of(self))) {
      names.push_back("_saved_" + name);
    }
  };
  return type;
}

IValue remove_hook(Interpreter&, Arguments& arguments) {
  const auto& handle = *arguments[0].as_object<HookHandle>();
  autograd::remove_hook(handle.tensor, handle.id);
  return IValue();
}
constexpr BuiltinDef kHookHandleMethods[] = {
    {"remove", &remove_hook, 0, 0, {}, "RemovableHandle"},
};

constexpr Type make_hook_handle_type() {
  Type type;
  type.name = "RemovableHandle";
  type.module = "torch.utils.hooks";
  type.methods = kHookHandleMethods;
  return type;
}

}  // namespace

constinit const Type kNodeType = make_node_type();
constinit const Type kHookHandleType = make_hook_handle_type();

IValue make_node_object(intrusive_ptr<autograd::Node> node) {
  return IValue::adopt(Tag::Object, new NodeObject(std::move(node)));
}

IValue make_hook_handle(const Tensor& tensor, uint64_t id) {
  return IValue::adopt(Tag::Object, new HookHandle(tensor, id));
}

}  // namespace tsc::interp
