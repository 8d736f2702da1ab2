// The Tracer column: while the key is on, every call of an operator becomes a node of a graph
// (graph/graph.h). An operator's inner calls are not traced: the key is off below. An operator that
// works in place has a value of its own, which later nodes refer to.
//
// There are two kinds of traces. A session's (`:on Tracer`) goes on until it is cleared: a tensor
// that no traced call made is an input of the graph, and values without uses are returned. A
// function's (torch.jit.trace) has its inputs and outputs declared; other tensors are constants.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/autograd_meta.h"
#include "graph/graph.h"

namespace tsc::keys {

class TSC_API Trace {
 public:
  Trace() = default;
  // A function's trace asks the language for the current line ("script.tsc:3") and for the variable
  // that holds a tensor ("" for none).
  struct Language {
    std::function<std::string()> line;
    std::function<std::string(const Tensor&)> variable;
  };
  explicit Trace(Language language) : language_(std::move(language)), is_function_(true) {}
  bool is_function() const { return is_function_; }

  // The arguments of a call, before it runs. Returns the number of its node, for record_results().
  size_t record_call(const OperatorHandle& op, const IValue* arguments);
  void record_results(size_t node, const IValue* results, size_t count);
  void drop_call(size_t node);

  // For a function's trace: the values of its inputs, whose containers are taken apart, and of its
  // results.
  graph::ValueId declare_input(std::string type, const std::string& name);
  std::vector<graph::ValueId> unpack(graph::ValueId container, bool is_tuple,
                                     std::vector<std::string> types);
  void bind(const Tensor& tensor, graph::ValueId value);
  bool knows(const Tensor& tensor) const { return find(tensor) != nullptr; }
  graph::ValueId value_of_tensor(const Tensor& tensor);
  graph::ValueId construct(graph::NodeKind kind, std::vector<graph::ValueId> items,
                           std::string type);
  // A tuple of the items; its type is the tuple of theirs.
  graph::ValueId tuple_of(std::vector<graph::ValueId> items);
  graph::ValueId constant(const IValue& value, std::string type);
  // A tensor's size, and its number of elements, as tensors of the graph.
  Tensor size_of(const Tensor& tensor, int64_t dim);
  Tensor numel_of(const Tensor& tensor);
  // A tensor that is about to be passed as a number, an int or a Scalar: at a position of a list,
  // as an argument, or -1 for any argument.
  void note_int(const Tensor& tensor, int64_t value, int64_t position) {
    note_number(tensor, value, position, graph::NodeKind::Int);
  }
  void note_scalar(const Tensor& tensor, const Scalar& value) {
    note_number(tensor, value, -1, graph::NodeKind::Scalar);
  }
  static constexpr int64_t position_of_argument(size_t i) { return -2 - static_cast<int64_t>(i); }
  // A call of a function that was traced before: one node. Returns its value.
  graph::ValueId call_function(std::string name, std::shared_ptr<const graph::Graph> function,
                               const std::vector<graph::ValueId>& arguments, std::string type);
  void set_type(graph::ValueId value, std::string_view type) { graph_.values[value].type = type; }
  // The graph without nodes that neither its result nor its writes depend on.
  graph::Graph finish(graph::ValueId output);

  bool empty() const { return graph_.nodes.empty(); }
  void clear();
  // Changes with each clear(): node numbers are valid for one generation.
  uint64_t generation() const { return generation_; }
  std::string to_string() const;

 private:
  // The value that a living tensor has in the graph. A function's trace keeps its tensors alive, so
  // that a storage identifies all values that a write changes.
  struct Known {
    intrusive_ptr<WeakTensor> tensor;
    Tensor kept;
    graph::ValueId value;
  };

  const Known* find(const Tensor& tensor) const;
  graph::ValueId value_of(const IValue& argument, const SchemaType& type, size_t i);
  graph::ValueId unknown_tensor(const Tensor& tensor);
  void note_number(const Tensor& tensor, IValue value, int64_t position, graph::NodeKind kind);
  graph::ValueId number_or_constant(const IValue& value, int64_t position);
  Tensor number_tensor(graph::ValueId number, int64_t value);
  graph::ValueId list_of(const std::vector<IValue>& items, const SchemaType& type);
  std::string line() const { return is_function_ ? language_.line() : ""; }
  bool writes_live(const graph::GraphNode& node, const std::unordered_set<const void*>& live) const;

  graph::Graph graph_;
  uint64_t generation_ = 0;
  Language language_;
  bool is_function_ = false;
  std::unordered_map<const TensorImpl*, Known> known_;
  std::unordered_map<graph::ValueId, const void*> storages_;
  // Numbers among the next call's arguments that are values of the graph.
  struct NotedNumber {
    int64_t position;
    IValue value;
    graph::ValueId id;
  };
  std::vector<NotedNumber> numbers_;
};

// This thread's trace, which the column appends to.
TSC_API Trace& current_trace();
// Replaces the current trace and returns the previous one; null for the session's.
TSC_API Trace* set_current_trace(Trace* trace);

// Whether a function is being traced: the language then warns of operations that a graph cannot
// hold.
TSC_API bool is_tracing_function();
// Marks a function that PyTorch writes in Python: values of operators that it calls get their names
// from its variables, and not from the script's.
class TSC_API PythonFrame {
 public:
  PythonFrame();
  ~PythonFrame();
  PythonFrame(const PythonFrame&) = delete;
  PythonFrame& operator=(const PythonFrame&) = delete;

  void assign(std::string_view variable, const Tensor& tensor);
  // The first variable that holds the tensor, "" for none.
  std::string name_of(const Tensor& tensor) const;
  // The innermost frame, or null.
  static PythonFrame* current();

 private:
  struct Variable {
    std::string_view name;
    Tensor tensor;
  };
  std::vector<Variable> variables_;
  PythonFrame* outer_;
};

// "Converting a tensor to a Python boolean might cause the trace to be incorrect. ..."
TSC_API TSC_COLD void warn_of_python_value(std::string_view what);

void tracer_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::keys
