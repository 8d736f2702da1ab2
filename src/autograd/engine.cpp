#include "autograd/engine.h"

#include <algorithm>
#include <queue>

#include "autograd/anomaly.h"
#include "autograd/engine_listener.h"
#include "autograd/reduce_grad.h"
#include "autograd/variable.h"
#include "core/keys/thread_local_state.h"
#include "core/system/interrupt.h"
#include "dispatch/route.h"
#include "gen/calls/add.h"
#include "ops/structured/modes.h"

namespace tsc::autograd {

namespace {

// A map from node to index, by open addressing: a run looks up every edge once or twice.
class NodeIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  NodeIndex() : slots_(32) {}

  uint32_t find(const Node* node) const {
    size_t at = first_slot(node);
    while (slots_[at].node != node && slots_[at].node != nullptr) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return slots_[at].node == nullptr ? kNone : slots_[at].index;
  }
  // The node must not be in the map.
  void insert(const Node* node, uint32_t index) {
    if (2 * (count_ + 1) > slots_.size()) {
      grow();
    }
    place({node, index});
    count_++;
  }

 private:
  struct Slot {
    const Node* node = nullptr;
    uint32_t index = kNone;
  };
  size_t first_slot(const Node* node) const {
    const uint64_t mixed = reinterpret_cast<uintptr_t>(node) * 0x9E3779B97F4A7C15U;
    return (mixed >> 32) & (slots_.size() - 1);
  }
  void place(Slot slot) {
    size_t at = first_slot(slot.node);
    while (slots_[at].node != nullptr) {
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = slot;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.node != nullptr) {
        place(slot);
      }
    }
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
};

// The state of a node during a run.
struct NodeState {
  Node* node;
  uint32_t dependencies = 0;  // edges that have not delivered yet
  uint32_t first_capture = NodeIndex::kNone;
  bool is_needed = false;
  bool has_buffer = false;
  TensorArray buffer{};
};

// A gradient that the caller asked for: input `input_nr` of the node that lists it.
struct Capture {
  uint32_t input_nr;
  uint32_t result;
  uint32_t next;  // of the same node
};

class Run {
 public:
  Run(const RunOptions& options, Run* outer) : options_(options), outer_(outer) {}

  std::vector<Tensor> run(std::span<const Edge> roots, std::span<const Tensor> grads,
                          std::span<const Edge> inputs);
  Run* outer() const { return outer_; }
  bool is_filtered() const { return is_filtered_; }
  bool wants(const Node& node) const {
    const uint32_t index = index_.find(&node);
    return index != NodeIndex::kNone && states_[index].is_needed;
  }

 private:
  struct Ready {
    uint64_t sequence_nr;
    uint32_t index;
    friend bool operator<(const Ready& a, const Ready& b) { return a.sequence_nr < b.sequence_nr; }
  };

  uint32_t state_of(Node* node) {
    uint32_t index = index_.find(node);
    if (index == NodeIndex::kNone) {
      index = static_cast<uint32_t>(states_.size());
      states_.push_back(NodeState{node});
      index_.insert(node, index);
    }
    return index;
  }
  void count_dependencies(std::span<const Edge> roots);
  void mark_wanted(std::span<const Edge> roots, std::span<const Edge> inputs);
  void deliver(const Edge& edge, Tensor grad);
  void evaluate(uint32_t index);
  void capture(const NodeState& state, std::span<Tensor> grads);

  const RunOptions& options_;
  Run* outer_;
  bool is_filtered_ = false;
  NodeIndex index_;
  std::vector<NodeState> states_;
  std::vector<Capture> captures_;
  std::vector<Tensor> results_;
  std::priority_queue<Ready> ready_;
};

constinit thread_local Run* current_run = nullptr;

// Adds a gradient to those that arrived before it; in place where the sum has no other reference.
void accumulate(Tensor& sum, Tensor grad) {
  if (!sum.defined()) {
    sum = std::move(grad);
  } else if (!tls().grad_mode && !calls_are_replayed() && sum.is_non_overlapping_and_dense() &&
             sum.use_count() == 1 && sum.storage().use_count() == 1) {
    add_(sum, grad);
  } else {
    sum = add(sum, grad);
  }
}

void Run::count_dependencies(std::span<const Edge> roots) {
  std::vector<Node*> stack;
  const auto reach = [&](const Edge& edge) {
    if (!edge) {
      return;
    }
    const size_t known = states_.size();
    states_[state_of(edge.node.get())].dependencies++;
    if (states_.size() > known) {
      stack.push_back(edge.node.get());
    }
  };
  for (const Edge& root : roots) {
    reach(root);
  }
  while (!stack.empty()) {
    throw_if_interrupted();
    const Node* node = stack.back();
    stack.pop_back();
    for (const Edge& edge : node->next_edges()) {
      reach(edge);
    }
  }
}

void Run::mark_wanted(std::span<const Edge> roots, std::span<const Edge> inputs) {
  is_filtered_ = true;
  results_.resize(options_.accumulate ? 0 : inputs.size());
  for (uint32_t i = 0; i < inputs.size(); i++) {
    const uint32_t index = inputs[i] ? index_.find(inputs[i].node.get()) : NodeIndex::kNone;
    if (index == NodeIndex::kNone) {
      continue;
    }
    NodeState& state = states_[index];
    state.is_needed = true;
    if (!options_.accumulate) {
      captures_.push_back({inputs[i].input_nr, i, state.first_capture});
      state.first_capture = static_cast<uint32_t>(captures_.size() - 1);
    }
  }

  // Depth first: a node is needed where a node behind one of its edges is.
  struct Frame {
    uint32_t index;
    uint32_t next_edge;
  };
  std::vector<bool> seen(states_.size());
  std::vector<Frame> stack;
  const auto enter = [&](const Edge& edge) {
    if (!edge) {
      return;
    }
    const uint32_t index = index_.find(edge.node.get());
    if (!seen[index]) {
      seen[index] = true;
      stack.push_back({index, 0});
    }
  };
  for (const Edge& root : roots) {
    enter(root);
    while (!stack.empty()) {
      throw_if_interrupted();
      Frame& frame = stack.back();
      NodeState& state = states_[frame.index];
      const auto edges = state.node->next_edges();
      if (frame.next_edge < edges.size()) {
        enter(edges[frame.next_edge++]);
        continue;
      }
      state.is_needed |= std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) {
        return edge && states_[index_.find(edge.node.get())].is_needed;
      });
      stack.pop_back();
    }
  }
}

void Run::deliver(const Edge& edge, Tensor grad) {
  const uint32_t index = index_.find(edge.node.get());
  NodeState& state = states_[index];
  state.dependencies--;
  if (is_filtered_ && !state.is_needed) {
    return;
  }
  if (!state.has_buffer) {
    state.buffer = TensorArray(state.node->num_inputs());
    state.has_buffer = true;
  }
  if (grad.defined()) {
    accumulate(state.buffer[edge.input_nr], std::move(grad));
  }
  if (state.dependencies == 0) {
    ready_.push({state.node->sequence_nr(), index});
  }
}

void Run::capture(const NodeState& state, std::span<Tensor> grads) {
  for (uint32_t i = state.first_capture; i != NodeIndex::kNone; i = captures_[i].next) {
    results_[captures_[i].result] = grads[captures_[i].input_nr];
  }
}

void Run::evaluate(uint32_t index) {
  NodeState& state = states_[index];
  Node& node = *state.node;
  const EngineStep step("autograd::engine::evaluate_function: ", node);
  const NodeInProgress progress(node);
  TensorArray grads = std::move(state.buffer);
  node.run_tensor_hooks(grads);
  if (state.first_capture != NodeIndex::kNone) {
    capture(state, grads);
    const auto edges = node.next_edges();
    const bool leads_on = std::any_of(edges.begin(), edges.end(),
                                      [&](const Edge& edge) { return edge && wants(*edge.node); });
    if (!leads_on) {
      return;
    }
  }
  // Copies for the hooks that run afterwards: apply() may take the gradients.
  std::vector<Tensor> shown;
  if (TSC_UNLIKELY(node.hooks() != nullptr)) {
    run_pre_hooks(*node.hooks(), grads);
    if (!node.hooks()->post.empty()) {
      shown.assign(grads.begin(), grads.end());
    }
  }
  TensorArray grad_inputs(node.num_outputs());
  {
    const EngineStep formula("", node, grads);
    node.apply(grads, grad_inputs);
    progress.check(grad_inputs);
  }
  if (!options_.keep_graph) {
    node.release_variables();
  }
  // Released before the results are passed on, so that sums have no other reference.
  grads = TensorArray();
  for (size_t i = 0; i < node.num_outputs(); i++) {
    const Edge& edge = node.next_edge(i);
    if (edge) {
      complete_gradient(node, i, edge, grad_inputs[i]);
    }
  }
  if (TSC_UNLIKELY(!shown.empty())) {
    run_post_hooks(*node.hooks(), grad_inputs, shown);
    shown.clear();
  }
  for (size_t i = 0; i < node.num_outputs(); i++) {
    const Edge& edge = node.next_edge(i);
    if (edge) {
      deliver(edge, std::move(grad_inputs[i]));
    }
  }
}

std::vector<Tensor> Run::run(std::span<const Edge> roots, std::span<const Tensor> grads,
                             std::span<const Edge> inputs) {
  const AutoGradMode grad_mode(options_.create_graph);
  // Gradients have no names, and formulas ignore those of saved tensors.
  const ExcludeDispatchKeyGuard unnamed{DispatchKeySet(DispatchKey::Named)};
  count_dependencies(roots);
  if (!inputs.empty()) {
    mark_wanted(roots, inputs);
  }
  for (size_t i = 0; i < roots.size(); i++) {
    Tensor grad = grads[i];
    complete_root_gradient(i, roots[i], grad);
    deliver(roots[i], std::move(grad));
  }
  while (!ready_.empty()) {
    throw_if_interrupted();
    const uint32_t index = ready_.top().index;
    ready_.pop();
    evaluate(index);
  }
  return std::move(results_);
}

class CurrentRun {
 public:
  explicit CurrentRun(Run* run) { current_run = run; }
  ~CurrentRun() { current_run = current_run->outer(); }
  CurrentRun(const CurrentRun&) = delete;
  CurrentRun& operator=(const CurrentRun&) = delete;
};

}  // namespace

std::vector<Tensor> run_engine(std::span<const Edge> roots, std::span<const Tensor> grads,
                               std::span<const Edge> inputs, const RunOptions& options) {
  Run run(options, current_run);
  const CurrentRun current(&run);
  return run.run(roots, grads, inputs);
}

bool current_run_is_filtered() { return current_run != nullptr && current_run->is_filtered(); }
bool current_run_wants(const Node& node) { return current_run->wants(node); }

}  // namespace tsc::autograd
