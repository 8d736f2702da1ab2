#include "interp/torch/graphs/fx_module.h"

#include <unordered_map>

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/recursion.h"
#include "interp/torch/dispatcher/ops_objects.h"
#include "interp/torch/dispatcher/script_kernel.h"

namespace tsc::interp {

// --- Trees ---

namespace {

// A result that operators return as a named tuple counts as a tuple.
bool is_sequence_node(const IValue& value) {
  return value.is_list() || is_subtype(type_of(value), kTupleType);
}

IValue shape_of(const IValue& value, std::vector<IValue>& leaves) {
  const RecursionGuard recursion("in a tree of containers");
  if (is_sequence_node(value)) {
    std::vector<IValue> parts;
    for_each_item(value, [&](const IValue& item) {
      parts.push_back(shape_of(item, leaves));
      return true;
    });
    return value.is_list() ? make_list(std::move(parts)) : make_tuple(std::move(parts));
  }
  if (value.tag() == Tag::Dict) {
    IValue shape = make_dict();
    for (const DictObject::Entry& entry : as_dict(value)->entries()) {
      if (!entry.is_removed()) {
        as_dict(shape)->set(entry.key, shape_of(entry.value, leaves));
      }
    }
    return shape;
  }
  leaves.push_back(value);
  return IValue();
}

}  // namespace

FlatTree flatten_tree(const IValue& value) {
  FlatTree tree;
  tree.shape = shape_of(value, tree.leaves);
  tree.is_leaf = tree.shape.is_none();
  return tree;
}

IValue unflatten_tree(const IValue& shape, const std::vector<IValue>& leaves, size_t& next) {
  if (shape.is_none()) {
    return leaves[next++];
  }
  if (shape.tag() == Tag::Dict) {
    IValue dict = make_dict();
    for (const DictObject::Entry& entry : as_dict(shape)->entries()) {
      as_dict(dict)->set(entry.key, unflatten_tree(entry.value, leaves, next));
    }
    return dict;
  }
  std::vector<IValue> items;
  for_each_item(shape, [&](const IValue& part) {
    items.push_back(unflatten_tree(part, leaves, next));
    return true;
  });
  return shape.is_list() ? make_list(std::move(items)) : make_tuple(std::move(items));
}

// --- Running ---

namespace {

IValue getitem(Interpreter&, Arguments& arguments) { return get_item(arguments[0], arguments[1]); }
constexpr BuiltinDef kGetItem{"getitem", &getitem, 2, 2};

// The values of the nodes run so far.
class Values {
 public:
  void set(const FxNode& node, IValue value) { values_[&node] = std::move(value); }
  // `value` with the nodes in it replaced.
  IValue of(const IValue& value) const;
  IValue call(const FxNode& node) const;

 private:
  std::unordered_map<const FxNode*, IValue> values_;
};

IValue Values::of(const IValue& value) const {
  if (is_object_of(value, kFxNodeType)) {
    return values_.at(&fx_node_of(value));
  }
  if (value.is_list() || value.is_tuple()) {
    std::vector<IValue> items;
    for_each_item(value, [&](const IValue& item) {
      items.push_back(of(item));
      return true;
    });
    return value.is_list() ? make_list(std::move(items)) : make_tuple(std::move(items));
  }
  if (value.tag() == Tag::Dict) {
    IValue dict = make_dict();
    for (const DictObject::Entry& entry : as_dict(value)->entries()) {
      as_dict(dict)->set(entry.key, of(entry.value));
    }
    return dict;
  }
  return value;
}

IValue Values::call(const FxNode& node) const {
  std::vector<IValue> arguments = items_of(of(node.args));
  std::vector<std::string_view> names;
  for (const DictObject::Entry& entry : as_dict(node.kwargs)->entries()) {
    names.push_back(entry.key.as_string());
    arguments.push_back(of(entry.value));
  }
  return call_script(node.target, std::move(arguments), names);
}

}  // namespace

IValue getitem_function() { return make_builtin(kGetItem); }

void GraphModule::traverse(ChildVisitor visit, void* context) {
  visit_child(graph, visit, context);
  visit_child(out_shape, visit, context);
}

void GraphModule::clear() noexcept {
  graph = IValue();
  constants.clear();
}

const IValue* GraphModule::find_constant(std::string_view constant) const {
  for (const auto& [known, value] : constants) {
    if (known == constant) {
      return &value;
    }
  }
  return nullptr;
}

IValue GraphModule::run(const std::vector<IValue>& arguments) const {
  const FxGraph& traced = fx_graph_of(graph);
  const bool has_trees = !traced.tree_parameters.empty();
  const std::vector<IValue> inputs =
      has_trees ? flatten_tree(make_tuple(arguments)).leaves : arguments;
  Values values;
  size_t next = 0;
  for (const IValue& value : traced.nodes()) {
    const FxNode& node = fx_node_of(value);
    switch (node.op) {
      case FxOp::Placeholder:
        TSC_CHECK_TYPE(next < inputs.size(),
                       "forward() missing 1 required positional argument: '{}'", node.name);
        values.set(node, inputs[next++]);
        break;
      case FxOp::GetAttr: values.set(node, *find_constant(node.target.as_string())); break;
      case FxOp::CallFunction: values.set(node, values.call(node)); break;
      case FxOp::Output: {
        const IValue result = values.of((*node.args.as_tuple())[0]);
        size_t leaf = 0;
        TSC_CHECK_TYPE(next == inputs.size(),
                       "forward() takes {} positional arguments but {} were given", next + 1,
                       inputs.size() + 1);
        return has_trees ? unflatten_tree(out_shape, items_of(result), leaf) : result;
      }
    }
  }
  return IValue();
}

// --- The types ---

namespace {

const FxNode& node_of(const IValue& self) { return fx_node_of(self); }
FxGraph& graph_of(const IValue& self) { return fx_graph_of(self); }
GraphModule& module_of(const IValue& self) { return *self.as_object<GraphModule>(); }

// The node as a value.
IValue node_value(FxNode* node) { return IValue::share(Tag::Object, node); }

IValue users_dict(const IValue& self) {
  IValue users = make_dict();
  if (node_of(self).graph != nullptr) {
    for (FxNode* user : node_of(self).graph->users_of(node_of(self))) {
      as_dict(users)->set(node_value(user), IValue());
    }
  }
  return users;
}

// Copies of the containers, so that a script that changes them does not change the graph.
IValue copied(const IValue& value) {
  const FlatTree tree = flatten_tree(value);
  size_t next = 0;
  return unflatten_tree(tree.shape, tree.leaves, next);
}

IValue input_list(const IValue& self) {
  std::vector<IValue> inputs;
  for (FxNode* input : inputs_of(node_of(self))) {
    inputs.push_back(node_value(input));
  }
  return make_list(std::move(inputs));
}

IValue graph_of_node(const IValue& self) {
  FxGraph* graph = node_of(self).graph;
  return graph == nullptr ? IValue() : IValue::share(Tag::Object, graph);
}
IValue neighbour(const IValue& self, int64_t steps) {
  const FxGraph* graph = node_of(self).graph;
  return graph == nullptr ? IValue() : graph->node_after(node_of(self), steps);
}

constexpr AttributeDef kNodeAttributes[] = {
    {"all_input_nodes", &input_list},
    {"args", [](const IValue& self) { return copied(node_of(self).args); }},
    {"graph", &graph_of_node},
    {"kwargs", [](const IValue& self) { return copied(node_of(self).kwargs); }},
    {"meta", [](const IValue& self) { return node_of(self).meta; }},
    {"name", [](const IValue& self) { return IValue(node_of(self).name); }},
    {"next", [](const IValue& self) { return neighbour(self, 1); }},
    {"op", [](const IValue& self) { return IValue(to_string(node_of(self).op)); }},
    {"prev", [](const IValue& self) { return neighbour(self, -1); }},
    {"target", [](const IValue& self) { return node_of(self).target; }},
    {"users", &users_dict},
};
constexpr BuiltinDef kNodeMethods[] = {
    {"format_node",
     [](Interpreter&, Arguments& arguments) -> IValue { return node_text(node_of(arguments[0])); },
     0,
     0,
     {},
     "Node"},
    {"is_impure",
     [](Interpreter&, Arguments& arguments) -> IValue { return is_impure(node_of(arguments[0])); },
     0,
     0,
     {},
     "Node"},
};

IValue eliminate_dead_code(Interpreter&, Arguments& arguments) {
  return graph_of(arguments[0]).eliminate_dead_code();
}
// Always valid: graphs are made complete, and nodes can only be removed.
IValue lint(Interpreter&, Arguments&) { return IValue(); }
IValue output_node(Interpreter&, Arguments& arguments) {
  return graph_of(arguments[0]).nodes().back();
}
// find_nodes(*, op, target=None)
IValue find_nodes(Interpreter&, Arguments& arguments) {
  const std::string_view op = to_text(arguments[1]);
  std::vector<IValue> found;
  for (const IValue& node : graph_of(arguments[0]).nodes()) {
    if (to_string(node_of(node).op) == op &&
        (!has_value(arguments, 2) || values_equal(node_of(node).target, arguments[2]))) {
      found.push_back(node);
    }
  }
  return make_list(std::move(found));
}

constexpr AttributeDef kGraphAttributes[] = {
    {"nodes", [](const IValue& self) { return make_list(graph_of(self).nodes()); }},
};
constexpr BuiltinDef kGraphMethods[] = {
    {"eliminate_dead_code", &eliminate_dead_code, 0, 0, {}, "Graph"},
    {"find_nodes", &find_nodes, 1, 2, "op target", "Graph"},
    {"lint", &lint, 0, 0, {}, "Graph"},
    {"output_node", &output_node, 0, 0, {}, "Graph"},
};

IValue run_module(Interpreter&, const IValue& self, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments.keywords == 0, "forward() got an unexpected keyword argument '{}'",
                 arguments.names[0]->view());
  return module_of(self).run({arguments.values, arguments.values + arguments.positional});
}
IValue forward(Interpreter& interpreter, Arguments& arguments) {
  Arguments rest = arguments;
  rest.values++;
  rest.positional--;
  return run_module(interpreter, arguments[0], rest);
}
// print_readable(print_output=True)
IValue print_readable(Interpreter& interpreter, Arguments& arguments) {
  const GraphModule& module = module_of(arguments[0]);
  std::string text = graph_of(module.graph).readable(module.name);
  if (!given(arguments, 1) || is_true(arguments[1])) {
    interpreter.write(text + "\n");
  }
  return text;
}
IValue recompile(Interpreter&, Arguments& arguments) {
  module_of(arguments[0]).recompile();
  return IValue();
}
bool find_module_constant(const IValue& self, std::string_view name, IValue& result) {
  const IValue* constant = module_of(self).find_constant(name);
  if (constant != nullptr) {
    result = *constant;
  }
  return constant != nullptr;
}
constexpr AttributeDef kModuleAttributes[] = {
    {"code", [](const IValue& self) { return IValue(module_of(self).code); }},
    {"graph", [](const IValue& self) { return module_of(self).graph; }},
};
constexpr BuiltinDef kModuleMethods[] = {
    {.name = "forward", .function = &forward, .owner = "GraphModule", .raw = true},
    {"print_readable", &print_readable, 0, 1, "print_output", "GraphModule"},
    {"recompile", &recompile, 0, 0, {}, "GraphModule"},
};

constexpr Type make_node_type() {
  Type type;
  type.name = "Node";
  type.module = "torch.fx.node";
  type.attributes = kNodeAttributes;
  type.methods = kNodeMethods;
  type.repr = [](const IValue& self, std::string& out) { out += node_of(self).name; };
  return type;
}
constexpr Type make_graph_type() {
  Type type;
  type.name = "Graph";
  type.module = "torch.fx.graph";
  type.attributes = kGraphAttributes;
  type.methods = kGraphMethods;
  type.str = [](const IValue& self, std::string& out) { out += graph_of(self).text(); };
  return type;
}
constexpr Type make_module_type() {
  Type type;
  type.name = "GraphModule";
  type.module = "torch.fx.graph_module";
  type.attributes = kModuleAttributes;
  type.methods = kModuleMethods;
  type.get_attribute = &find_module_constant;
  type.call = &run_module;
  type.repr = [](const IValue& self, std::string& out) { out += module_of(self).name + "()"; };
  type.str = [](const IValue& self, std::string& out) {
    const GraphModule& module = module_of(self);
    out += fmt::format(
        "{}()\n{}\n# To see more debug info, please use `graph_module.print_readable()`",
        module.name, module.code);
  };
  return type;
}

}  // namespace

constinit const Type kFxNodeType = make_node_type();
constinit const Type kFxGraphType = make_graph_type();
constinit const Type kGraphModuleType = make_module_type();

}  // namespace tsc::interp
