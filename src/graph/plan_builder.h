// What makes a Plan: a listener that writes down the kernels which run while a graph runs.
#pragma once

#include <functional>
#include <unordered_map>

#include "dispatch/route.h"
#include "dispatch/static_operator.h"
#include "graph/plan.h"

namespace tsc::graph {

class PlanBuilder final : public RouteListener {
 public:
  explicit PlanBuilder(const Graph& graph) : graph_(graph), plan_(new Plan) {}

  std::unique_ptr<Plan> build(const std::vector<IValue>& arguments);

  void on_enter(const RouteHop& hop) override;
  void on_leave(const RouteHop& hop, const IValue* returns, size_t num_returns,
                int64_t nanoseconds) override;

 private:
  // A hop under way.
  struct Open {
    // What there was before it.
    size_t steps;
    size_t values;
    size_t buffers;
    bool has_inner = false;  // there are hops inside of it
    std::vector<PlanTensor> written{};
  };
  // What is known of a tensor that has appeared.
  struct Known {
    Tensor tensor;  // keeps the address taken
    size_t value;
  };

  IValue declare_input(const IValue& argument, const std::string& name);
  void note_value(ValueId id, const IValue& value);
  size_t add_buffer(BufferKind kind, const Tensor& tensor, std::string name);
  size_t add_value(const Tensor& tensor, size_t buffer);
  size_t add_constant(const Tensor& tensor, bool is_number);
  // Forgets what was made inside of a hop.
  void forget_inside(const Open& open);
  const Known* find(const Tensor& tensor) const;
  // The value of a step's argument; a number that stands for a tensor becomes a constant.
  std::optional<size_t> value_of(const Tensor& tensor);

  void refuse(std::string reason);
  void check_kernel(const RouteHop& hop);
  // The row's own record of the kernel that a hop runs; null for what is none of them.
  static const StaticKernel* row_kernel(const RouteHop& hop);
  bool all_known(const IValue* returns, size_t count) const;
  void add_call(const RouteHop& hop, const Open& open, const IValue* returns, size_t count);
  bool is_writable(const RouteHop& hop, const Open& open);
  bool are_views(const IValue* returns, size_t count) const;
  void add_views(const IValue* returns, size_t count);
  bool are_numbers(const RouteHop& hop);
  void add_step(const RouteHop& hop, const OperatorHandle& op, const KernelFunction& kernel,
                std::vector<IValue> arguments, const IValue* returns, size_t count,
                BufferKind kind);
  void finish(const IValue& result);
  void note_lifetimes();
  std::string call_text(const OperatorHandle& op, const std::vector<IValue>& arguments);

  const Graph& graph_;
  std::unique_ptr<Plan> plan_;
  std::string refusal_;
  std::vector<Open> open_;
  std::unordered_map<const TensorImpl*, Known> known_;
  std::unordered_map<const StorageImpl*, size_t> buffer_of_;
  std::vector<bool> is_number_;  // of a buffer: a constant that follows from shapes
  std::unordered_map<ValueId, IValue> graph_values_;
  std::unordered_map<ValueId, size_t> maker_;  // the node that makes a value
  size_t current_node_ = 0;
};

}  // namespace tsc::graph
