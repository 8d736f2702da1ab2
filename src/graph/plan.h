// Plan: a graph that runs without the dispatcher, for inputs of given shapes.
//
//   graph --(run once, with every call observed)--> steps: the kernels of the CPU that the calls led
//                                                   to, composites taken apart
//         --(out= forms, views, lifetimes)--------> buffers: memory that is made once, and shared by
//                                                   values whose lifetimes do not meet
//
// A step calls a kernel of the tables (a direct entry point, `tsc::cpu::add_outf`) with arguments
// that were boxed when the plan was made. A view is no step: it is a tensor over its base's buffer.
// Results get memory of their own in each run, and so does what an operator without an out= form
// makes.
//
// What a plan cannot hold is refused with the reason when it is made: tensors whose values decide
// what is called, results whose sizes depend on values, writes to inputs and constants, kernels of
// scripts, other devices and layouts.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace tsc::graph {

// Where the memory of a value comes from.
enum class BufferKind : uint8_t {
  Input,     // the caller's
  Constant,  // a tensor of the graph
  Planned,   // the plan's; a result's is new in each run
  Fresh,     // a kernel's that has no out= form: new in each run
};

struct PlanBuffer {
  static constexpr size_t kNever = static_cast<size_t>(-1);

  BufferKind kind = BufferKind::Planned;
  size_t bytes = 0;
  std::string name;        // of the tensor that it was made for
  size_t index = 0;        // Input: the number of the input
  size_t first = kNever;   // the step that makes it
  size_t last = kNever;    // the last step that reads or writes it
  size_t memory = kNever;  // Planned, and no result: which piece of memory
  bool is_result = false;  // the caller gets it
  uint32_t version = 0;    // of a result: writes in place bump it
  std::vector<size_t> values{};
};

struct PlanValue {
  Tensor tensor;  // the plan's own; of a constant the graph's
  size_t buffer;
  int64_t offset;  // bytes; of an input, behind the input's first element
};

struct PlanStep {
  // A function of `kernel`'s signature that leaves the arguments where they are; null where the
  // kernel is called over the stack.
  void (*call)(AnyFunction function, const IValue* arguments, IValue* returned) = nullptr;
  const KernelFunction* kernel = nullptr;
  OperatorHandle op{};
  std::vector<IValue> arguments{};
  std::vector<size_t> fresh{};     // the values that the kernel returns
  std::vector<size_t> releases{};  // values of Fresh buffers that nothing reads afterwards
  std::string text{};              // "%3 = aten::add.out(%2, x, 1)"
  std::string source{};
};

// What a call of an operator found when the plan was made.
struct PlanRoute {
  const OperatorEntry* entry;
  bool is_call;  // and no redispatch, whose keys are not masked
  DispatchKeySet merged;
  DispatchKeySet masked;
  const KernelFunction* kernel;
};

// An input or a constant as it was when the plan was made.
struct PlanTensor {
  explicit PlanTensor(const Tensor& tensor);
  bool matches(const Tensor& other) const;

  uint64_t kind;
  DimVector sizes;
  DimVector strides;
};

// The tensors within a value, in order; those of lists and tuples, too.
TSC_API void for_each_tensor(const IValue& value, const std::function<void(const Tensor&)>& f);
// The value with each defined tensor replaced.
TSC_API IValue map_tensors(const IValue& value, const std::function<Tensor(const Tensor&)>& f);

// A dense tensor of the CPU whose elements are what its memory holds.
TSC_API bool is_plain(const Tensor& tensor);

class TSC_API Plan {
 public:
  // Runs the graph once. `arguments` are those of Graph::run(). RuntimeError, with the reason, where
  // it cannot be planned.
  static std::unique_ptr<Plan> make(const Graph& graph, const std::vector<IValue>& arguments);

  // Whether a run with these arguments, now, does what the graph would do: they have the shapes that
  // were planned for, and calls would still find the same kernels.
  bool fits(const std::vector<IValue>& arguments) const;
  // The graph's result. RuntimeError where a column is on that acts on calls, and where a gradient
  // would be recorded.
  IValue run(const std::vector<IValue>& arguments);
  // RuntimeError while it runs.
  void check_idle() const;
  std::string to_string() const;

  size_t num_steps() const { return steps_.size(); }

 private:
  friend class PlanBuilder;
  class Run;

  Plan() = default;
  void assign_memory();
  static std::string structure_of(const std::vector<IValue>& arguments);
  void check_state(const std::vector<IValue>& arguments) const;
  void bind_value(PlanValue& value, const Storage& storage, int64_t bytes);
  void bind_inputs(const std::vector<Tensor>& inputs);
  void run_step(PlanStep& step);
  void bind_fresh(PlanStep& step, const std::vector<IValue>& returned);
  void release(size_t value);
  void release_all();
  IValue result_of(const IValue& shape, const std::vector<Tensor>& inputs);
  std::string tensor_text(size_t value) const;

  std::vector<PlanBuffer> buffers_;
  std::vector<PlanValue> values_;
  std::vector<PlanStep> steps_;
  std::vector<PlanRoute> routes_;
  // The tensors among the arguments, in order, and what the arguments look like: structure_of().
  std::vector<PlanTensor> inputs_;
  std::vector<std::string> input_names_;
  std::string structure_;
  std::vector<std::pair<Tensor, PlanTensor>> constants_;
  std::vector<const void*> constant_places_;
  // The result, with the number of a value for each tensor.
  IValue result_;
  std::vector<size_t> memories_;  // bytes
  size_t eager_bytes_ = 0;
  size_t eager_tensors_ = 0;
  ScalarType default_dtype_ = ScalarType::Float;
  Storage nothing_;
  std::atomic<bool> is_running_{false};
};

}  // namespace tsc::graph
