// The Tracer column: while the key is on, every call of an operator becomes a line of a graph, in
// the text of TorchScript's graphs with the overload at the operator's name:
//
//   graph(%0 : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)):
//     %1 : int = prim::Constant[value=1]()
//     %2 : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu) = aten::add.Tensor(%0, %0, %1)
//     return (%2)
//
// A tensor that no traced call made is an input of the graph; what nothing used is returned. An
// operator that works in place has a value of its own, which later lines name. What an operator is
// made of is not traced: the key is off below.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/autograd_meta.h"
#include "dispatch/kernel_function.h"

namespace tsc::keys {

class TSC_API Trace {
 public:
  // The arguments of a call, before it runs. Returns the number of its line, for record_results().
  size_t record_call(const OperatorHandle& op, const IValue* arguments);
  void record_results(size_t line, const IValue* results, size_t count);
  void drop_call(size_t line);

  bool empty() const { return lines_.empty(); }
  void clear();
  std::string to_string() const;

 private:
  using ValueId = uint32_t;
  struct Value {
    std::string type;
    bool is_used = false;
  };
  struct Line {
    std::string op;
    std::vector<ValueId> arguments;
    std::vector<ValueId> results;
  };
  // The value that a living tensor has in the graph.
  struct Known {
    intrusive_ptr<WeakTensor> tensor;
    ValueId value;
  };

  ValueId new_value(std::string type);
  ValueId constant(std::string type, std::string attributes);
  ValueId value_of(const IValue& argument, bool is_tensor_list);
  ValueId value_of_tensor(const Tensor& tensor);
  ValueId list_of(std::string type, const std::vector<ValueId>& items);
  void bind(const Tensor& tensor, ValueId value);

  std::vector<Value> values_;
  std::vector<ValueId> inputs_;
  std::vector<Line> lines_;
  std::unordered_map<const TensorImpl*, Known> known_;
};

// This thread's graph, which the column appends to.
TSC_API Trace& current_trace();

void tracer_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::keys
