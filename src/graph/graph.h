// Graph: calls of operators as a program: values with names and types, and the nodes that make
// them.
//
//   graph(%x : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)):
//     %1 : int = prim::Constant[value=1]() # script.tsc:3:0
//     %2 : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu) = aten::add(%x, %x, %1)
//     return (%2)
//
// The Tracer writes graphs down; they print as TorchScript prints its own, run on other inputs, and
// read as Python.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dispatch/operator_handle.h"

namespace tsc::graph {

using ValueId = uint32_t;

struct GraphValue {
  std::string type;  // as it prints: "int[]", "Float(2, 3, strides=[3, 1], ...)"
  std::string name;  // "" for one that goes by its number
};

enum class NodeKind : uint8_t {
  Operator,
  Constant,
  ListConstruct,
  ListUnpack,
  TupleConstruct,
  TupleUnpack,
  DictConstruct,  // keys and values in turn
  DictItem,       // the value of a key
  Size,           // of a tensor's dimension
  Numel,          // of a tensor's elements
  NumToTensor,    // an int as a tensor, for arithmetic
  Int,            // a tensor as an int
  Scalar,         // a tensor as a number of its dtype's kind
  Function,       // a graph of its own
  CallFunction,   // of the first input, a Function, with the others
};

class Graph;

struct GraphNode {
  NodeKind kind;
  OperatorHandle op{};  // of an Operator
  IValue constant{};    // of a Constant
  std::vector<ValueId> inputs{};
  std::vector<ValueId> outputs{};
  std::string source{};                     // "script.tsc:3"; "" where there is none
  std::shared_ptr<const Graph> function{};  // of a Function, and where it is called
  std::string function_name{};
};

class TSC_API Graph {
 public:
  ValueId add_value(std::string type);
  // Adds a node with one output of the type.
  ValueId add_node(GraphNode node, std::string type);
  // Names the value; another one that has the name gets a suffix: "x.1".
  void set_name(ValueId value, const std::string& name);
  // "%x", or "%3".
  std::string reference(ValueId value) const;
  // The number of nodes that use each value; a return counts.
  std::vector<size_t> use_counts() const;
  // "aten::add", or "prim::Constant".
  std::string kind_of(const GraphNode& node, bool overloads = false) const;
  // A node as a line, without its indentation. `overloads`: "aten::add.Tensor" for "aten::add".
  std::string node_text(const GraphNode& node, bool overloads = false) const;
  std::string to_string(bool overloads = false) const;
  // As a Python function over `torch`.
  std::string code(const std::string& function) const;
  // With values numbered anew, and functions inlined at their calls.
  Graph inlined() const;
  // Takes one value for each input and returns one for each output. Where an input is on the meta
  // device, constants are moved there, too.
  std::vector<IValue> run(const std::vector<IValue>& arguments) const;
  // Calls `visit` with each value as it is made, while the graph runs.
  std::vector<IValue> run(const std::vector<IValue>& arguments,
                          const std::function<void(ValueId, const IValue&)>& visit) const;

  std::vector<GraphValue> values;
  std::vector<ValueId> inputs;
  std::vector<GraphNode> nodes;
  std::vector<ValueId> outputs;

 private:
  std::string declarations(const std::vector<ValueId>& ids, std::string_view separator) const;
  std::string references(const std::vector<ValueId>& ids) const;
  void replace(ValueId value, ValueId by, std::vector<GraphNode>& users);

  std::unordered_map<std::string, ValueId> owner_of_name_;
  std::unordered_map<std::string, size_t> next_suffix_;
};

// A size as a tensor; in a traced function sizes are tensors.
TSC_API Tensor size_tensor(int64_t size);
// "Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)".
TSC_API std::string graph_type(const Tensor& tensor);
// The type in Python's notation: "Tensor" for a type that prints as "Float(2, 3, ...)",
// "List[Tensor]".
TSC_API std::string python_type(std::string_view type);
// As a schema has it: "(Tensor, Tensor[])".
TSC_API std::string schema_type(std::string_view type);
// A constant as it prints between brackets: "value=2", "value={2.5}"; "" for None.
TSC_API std::string constant_text(const IValue& constant);
// A double as TorchScript prints it: "2." for 2.0, "0.10000000000000001".
TSC_API std::string graph_double(double value);
// The elements of a small tensor, a row a line, and its type: " 1  2\n 3  4\n[ CPULongType{2,2} ]".
std::string elements_text(const Tensor& tensor, const std::string& type_name);

}  // namespace tsc::graph
