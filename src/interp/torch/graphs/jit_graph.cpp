#include "interp/torch/graphs/jit_graph.h"

#include "interp/runtime/objects/protocols.h"
#include "interp/torch/dispatcher/schema_object.h"

namespace tsc::interp {

extern const Type kJitGraphType;
extern const Type kJitNodeType;
extern const Type kJitValueType;

namespace {

using SharedGraph = std::shared_ptr<const graph::Graph>;

class GraphObject final : public Object {
 public:
  explicit GraphObject(SharedGraph shown) : Object(kJitGraphType), graph(std::move(shown)) {}
  SharedGraph graph;
};

class NodeObject final : public Object {
 public:
  NodeObject(SharedGraph of, const graph::GraphNode& shown)
      : Object(kJitNodeType), graph(std::move(of)), node(shown) {}
  SharedGraph graph;
  const graph::GraphNode& node;  // within *graph
};

class ValueObject final : public Object {
 public:
  ValueObject(SharedGraph of, graph::ValueId shown)
      : Object(kJitValueType), graph(std::move(of)), value(shown) {}
  SharedGraph graph;
  graph::ValueId value;
};

const GraphObject& jit_graph_of(const IValue& self) { return *self.as_object<GraphObject>(); }
const NodeObject& jit_node_of(const IValue& self) { return *self.as_object<NodeObject>(); }
const ValueObject& value_of(const IValue& self) { return *self.as_object<ValueObject>(); }

IValue values_list(const SharedGraph& graph, const std::vector<graph::ValueId>& ids) {
  std::vector<IValue> values;
  values.reserve(ids.size());
  for (const graph::ValueId id : ids) {
    values.push_back(IValue::adopt(Tag::Object, new ValueObject(graph, id)));
  }
  return make_list(std::move(values));
}

// --- Graph

IValue graph_nodes(Interpreter&, Arguments& arguments) {
  const SharedGraph& graph = jit_graph_of(arguments[0]).graph;
  std::vector<IValue> nodes;
  for (const graph::GraphNode& node : graph->nodes) {
    nodes.push_back(IValue::adopt(Tag::Object, new NodeObject(graph, node)));
  }
  return get_iterator(make_list(std::move(nodes)));
}
IValue graph_inputs(Interpreter&, Arguments& arguments) {
  const SharedGraph& graph = jit_graph_of(arguments[0]).graph;
  return get_iterator(values_list(graph, graph->inputs));
}
IValue graph_outputs(Interpreter&, Arguments& arguments) {
  const SharedGraph& graph = jit_graph_of(arguments[0]).graph;
  return get_iterator(values_list(graph, graph->outputs));
}
std::vector<IValue> nodes_of_kind(const SharedGraph& graph, std::string_view kind) {
  std::vector<IValue> found;
  for (const graph::GraphNode& node : graph->nodes) {
    if (graph->kind_of(node) == kind) {
      found.push_back(IValue::adopt(Tag::Object, new NodeObject(graph, node)));
    }
  }
  return found;
}
// The first node of the kind, or None.
IValue find_node(Interpreter&, Arguments& arguments) {
  const auto found =
      nodes_of_kind(jit_graph_of(arguments[0]).graph, to_text(arguments[1], "findNode", 1));
  return found.empty() ? IValue() : found[0];
}
IValue find_all_nodes(Interpreter&, Arguments& arguments) {
  return make_list(
      nodes_of_kind(jit_graph_of(arguments[0]).graph, to_text(arguments[1], "findAllNodes", 1)));
}
IValue graph_text(Interpreter&, Arguments& arguments) {
  return IValue(jit_graph_of(arguments[0]).graph->to_string());
}
constexpr BuiltinDef kJitGraphMethods[] = {
    {"findAllNodes", &find_all_nodes, 1, 1, {}, "Graph"},
    {"findNode", &find_node, 1, 1, {}, "Graph"},
    {"inputs", &graph_inputs, 0, 0, {}, "Graph"},
    {"nodes", &graph_nodes, 0, 0, {}, "Graph"},
    {"outputs", &graph_outputs, 0, 0, {}, "Graph"},
    {"str", &graph_text, 0, 0, {}, "Graph"},
};

// --- Node

IValue node_kind(Interpreter&, Arguments& arguments) {
  return jit_node_of(arguments[0]).graph->kind_of(jit_node_of(arguments[0]).node);
}
IValue node_schema(Interpreter&, Arguments& arguments) {
  const graph::GraphNode& node = jit_node_of(arguments[0]).node;
  return node.kind == graph::NodeKind::Operator ? IValue(to_string(node.op.schema()))
                                                : IValue("(no schema)");
}
IValue node_inputs(Interpreter&, Arguments& arguments) {
  const NodeObject& object = jit_node_of(arguments[0]);
  return get_iterator(values_list(object.graph, object.node.inputs));
}
IValue node_outputs(Interpreter&, Arguments& arguments) {
  const NodeObject& object = jit_node_of(arguments[0]);
  return get_iterator(values_list(object.graph, object.node.outputs));
}
IValue node_output(Interpreter&, Arguments& arguments) {
  const NodeObject& object = jit_node_of(arguments[0]);
  TSC_CHECK(object.node.outputs.size() == 1, "the node has {} outputs, not one",
            object.node.outputs.size());
  return get_item(values_list(object.graph, object.node.outputs), IValue(0));
}
IValue count_inputs(Interpreter&, Arguments& arguments) {
  return jit_node_of(arguments[0]).node.inputs.size();
}
IValue count_outputs(Interpreter&, Arguments& arguments) {
  return jit_node_of(arguments[0]).node.outputs.size();
}
IValue source_range(Interpreter&, Arguments& arguments) {
  return IValue(jit_node_of(arguments[0]).node.source);
}
constexpr BuiltinDef kJitNodeMethods[] = {
    {"inputs", &node_inputs, 0, 0, {}, "Node"},   {"inputsSize", &count_inputs, 0, 0, {}, "Node"},
    {"kind", &node_kind, 0, 0, {}, "Node"},       {"output", &node_output, 0, 0, {}, "Node"},
    {"outputs", &node_outputs, 0, 0, {}, "Node"}, {"outputsSize", &count_outputs, 0, 0, {}, "Node"},
    {"schema", &node_schema, 0, 0, {}, "Node"},   {"sourceRange", &source_range, 0, 0, {}, "Node"},
};

// --- Value

IValue value_name(Interpreter&, Arguments& arguments) {
  const ValueObject& object = value_of(arguments[0]);
  return object.graph->reference(object.value).substr(1);
}
IValue value_number(Interpreter&, Arguments& arguments) { return value_of(arguments[0]).value; }
IValue value_type(Interpreter&, Arguments& arguments) {
  const ValueObject& object = value_of(arguments[0]);
  const std::string& type = object.graph->values[object.value].type;
  return IValue(graph::python_type(type));
}
constexpr BuiltinDef kValueMethods[] = {
    {"debugName", &value_name, 0, 0, {}, "Value"},
    {"type", &value_type, 0, 0, {}, "Value"},
    {"unique", &value_number, 0, 0, {}, "Value"},
};

constexpr Type make_type(std::string_view name, std::span<const BuiltinDef> methods,
                         void (*repr)(const IValue&, std::string&)) {
  Type type;
  type.name = name;
  type.module = "torch";
  type.methods = methods;
  type.repr = repr;
  return type;
}

}  // namespace

constinit const Type kJitGraphType = make_type(
    "Graph", kJitGraphMethods,
    [](const IValue& self, std::string& out) { out += jit_graph_of(self).graph->to_string(); });
constinit const Type kJitNodeType =
    make_type("Node", kJitNodeMethods, [](const IValue& self, std::string& out) {
      out += jit_node_of(self).graph->node_text(jit_node_of(self).node) + "\n";
    });
constinit const Type kJitValueType =
    make_type("Value", kValueMethods, [](const IValue& self, std::string& out) {
      const ValueObject& object = value_of(self);
      out += fmt::format("{} : {}", object.graph->reference(object.value),
                         object.graph->values[object.value].type);
    });

IValue make_jit_graph(std::shared_ptr<const graph::Graph> graph) {
  return IValue::adopt(Tag::Object, new GraphObject(std::move(graph)));
}

}  // namespace tsc::interp
