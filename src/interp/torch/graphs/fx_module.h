// torch.fx.GraphModule: a graph that can be called, with the tensors that it refers to.
#pragma once

#include "interp/torch/graphs/fx_graph.h"

namespace tsc::interp {

extern const Type kGraphModuleType;

// A value taken apart: its leaves, and the structure that puts them together again.
struct FlatTree {
  std::vector<IValue> leaves;
  IValue shape;  // the value, with None for each leaf
  bool is_leaf = true;
};
FlatTree flatten_tree(const IValue& value);
// `next` is the first leaf that was not taken yet.
IValue unflatten_tree(const IValue& shape, const std::vector<IValue>& leaves, size_t& next);

class GraphModule final : public Object {
 public:
  GraphModule(IValue traced, std::string class_name)
      : Object(kGraphModuleType), graph(std::move(traced)), name(std::move(class_name)) {}
  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override;

  // The source is that of the graph as it was then.
  void recompile() { code = fx_graph_of(graph).code(); }
  IValue run(const std::vector<IValue>& arguments) const;
  const IValue* find_constant(std::string_view constant) const;

  IValue graph;
  std::string name;
  std::string code;
  std::vector<std::pair<std::string, IValue>> constants;
  // Of the result, where arguments were containers.
  IValue out_shape;
};

// operator.getitem: takes one result of several.
IValue getitem_function();

}  // namespace tsc::interp
