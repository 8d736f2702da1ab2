// torch.fx: graphs of operator calls, as values of a script.
//
//   graph --owns--> nodes, in the order of execution
//   node.args --own--> the nodes before it that it uses, inside of lists, tuples and dicts
//
// A node refers to its graph weakly, and there are no cycles of ownership.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kFxNodeType;
extern const Type kFxGraphType;

class FxGraph;

enum class FxOp : uint8_t { Placeholder, GetAttr, CallFunction, Output };
std::string_view to_string(FxOp op);

class FxNode final : public Object {
 public:
  FxNode(FxOp kind, std::string unique_name, IValue callee, IValue positional, IValue named)
      : Object(kFxNodeType),
        op(kind),
        name(std::move(unique_name)),
        target(std::move(callee)),
        args(std::move(positional)),
        kwargs(std::move(named)),
        meta(make_dict()) {}
  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override;

  FxOp op;
  std::string name;
  IValue target;  // a name, or the callee
  IValue args;    // a tuple
  IValue kwargs;  // a dict
  // A dict for readers of the graph; "val" is the node's value without elements.
  IValue meta;
  // "f32[2, 3]" where the node is a tensor.
  std::string tensor_type;
  FxGraph* graph = nullptr;
};

FxNode& fx_node_of(const IValue& value);
// Whether the node has an effect besides its value, so that it is kept without users.
bool is_impure(const FxNode& node);
// The nodes inside of `value`, each once, in the order in which they are met.
std::vector<FxNode*> nodes_in(const IValue& value);
std::vector<FxNode*> inputs_of(const FxNode& node);

class FxGraph final : public Object {
 public:
  FxGraph() : Object(kFxGraphType) {}
  ~FxGraph() override { forget_nodes(); }
  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override { forget_nodes(); }

  // `candidate` is changed to a name that is free and neither a keyword nor a builtin.
  IValue add(FxOp op, std::string_view candidate, IValue target, IValue args, IValue kwargs);
  const std::vector<IValue>& nodes() const { return nodes_; }
  std::vector<FxNode*> users_of(const FxNode& node) const;
  // The neighbours of a node, None at the ends.
  IValue node_after(const FxNode& node, int64_t steps) const;
  // Removes nodes without users that write nothing. False where there were none.
  bool eliminate_dead_code();

  // str(graph), and the source of `forward`.
  std::string text() const;
  std::string code() const;
  // The source of a class, each tensor with its dtype and sizes.
  std::string readable(std::string_view class_name) const;

  // The function's own parameters, where some arguments were containers; their tensors are
  // placeholders of their own.
  std::vector<std::string> tree_parameters;

 private:
  void forget_nodes() noexcept;
  std::string unique_name(std::string_view candidate);
  std::vector<std::string> body(bool with_types) const;

  std::vector<IValue> nodes_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, int64_t> counts_;
};

FxGraph& fx_graph_of(const IValue& value);

// "%x : [num_users=1] = placeholder[target=x]"
std::string node_text(const FxNode& node);

}  // namespace tsc::interp
