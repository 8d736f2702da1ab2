// Node: one step of the recorded computation, run backwards: it computes the gradients of an
// operator's inputs from the gradients of its outputs.
//
//   z = mul(x, y);  loss = sum(z)
//
//     forward     x ──┐
//                     ├──► mul ──► z ──► sum ──► loss
//                 y ──┘
//
//     backward    AccumulateGrad (x.grad) ◄──┐
//                                            ├── MulBackward0 ◄── SumBackward0 ◄── gradient of loss
//                 AccumulateGrad (y.grad) ◄──┘   z.grad_fn        loss.grad_fn
//
// The engine's terms are those of the backward direction: a node's inputs are gradients of the
// operator's outputs (`num_inputs()`), and its outputs are gradients of the operator's inputs
// (`next_edges()`, one edge for each).
//
// A tensor owns its grad_fn; a node owns the tensors that it saved and the nodes at the end of its
// edges. Nothing points the other way, so a graph is freed with its last tensor. Freeing is
// iterative, however deep the graph is: dispose() queues the nodes that die while another one is
// dying.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "autograd/hooks.h"
#include "core/small_vector.h"
#include "core/tensor.h"

namespace tsc::autograd {

class Node;
class SavedVisitor;

// The destination of a gradient: input `input_nr` of `node`; none where the node is null.
struct Edge {
  intrusive_ptr<Node> node;
  uint32_t input_nr = 0;
  explicit operator bool() const { return static_cast<bool>(node); }
};

// Sizes, dtype and device of an operator's output, by which the engine checks and completes its
// gradient.
struct InputMetadata {
  DimVector sizes;
  ScalarType dtype = ScalarType::Undefined;
  Device device{};
  // False for an output that has no gradient (an index, say).
  bool is_differentiable = false;

  InputMetadata() = default;
  explicit InputMetadata(const Tensor& tensor)
      : sizes(tensor.sizes()),
        dtype(tensor.dtype()),
        device(tensor.device()),
        is_differentiable(true) {}
};

class TSC_API Node : public RefCounted {
 public:
  Node() : sequence_nr_(next_sequence_nr()) {}

  // "MulBackward0"; "torch::autograd::AccumulateGrad" for the nodes that no formula made.
  virtual std::string_view name() const = 0;
  // `grads` has a gradient for each input, undefined where none came, and may be moved from;
  // `grad_inputs` has a slot for each edge, to be filled. Both belong to the caller.
  virtual void apply(std::span<Tensor> grads, std::span<Tensor> grad_inputs) = 0;
  // Shows every saved value under its name, in the order of the formula.
  virtual void visit_saved(SavedVisitor& visit);
  // Releases saved tensors; applying the node again is then an error.
  virtual void release_variables();

  // Runs the hooks of the tensors that the operator returned on their gradients.
  virtual void run_tensor_hooks(std::span<Tensor> grads);

  // Later operators have higher numbers, and their nodes are applied first.
  uint64_t sequence_nr() const { return sequence_nr_; }

  size_t num_inputs() const { return num_inputs_; }
  const InputMetadata& input_metadata(size_t i) const {
    return i == 0 ? first_input_ : (*other_inputs_)[i - 1];
  }
  // Each returns the new input's number.
  uint32_t add_input(const Tensor& output) {
    if (TSC_LIKELY(num_inputs_ == 0)) {
      first_input_.sizes.assign(output.sizes());
      first_input_.dtype = output.dtype();
      first_input_.device = output.device();
      first_input_.is_differentiable = true;
      return num_inputs_++;
    }
    return add_other_input(InputMetadata(output));
  }
  uint32_t add_undefined_input() {
    return num_inputs_ == 0 ? num_inputs_++ : add_other_input(InputMetadata());
  }

  std::span<const Edge> next_edges() const { return {edges(), num_edges_}; }
  const Edge& next_edge(size_t i) const { return edges()[i]; }
  size_t num_outputs() const { return num_edges_; }
  void add_edge(Edge edge) {
    if (TSC_LIKELY(num_edges_ < kInlineEdges)) {
      inline_edges_[num_edges_++] = std::move(edge);
    } else {
      add_other_edge(std::move(edge));
    }
  }
  void set_edge(size_t i, Edge edge) { edges()[i] = std::move(edge); }

  bool has_edge(size_t i) const { return num_edges_ > i && static_cast<bool>(edges()[i]); }
  // Whether the gradient of input `i` is needed: there is an edge, and, if the current run computes
  // certain gradients only, the edge's node is on the way to one of them.
  bool should_compute(size_t i) const {
    return has_edge(i) && (!is_run_filtered() || is_wanted(*edges()[i].node));
  }

  NodeHooks* hooks() const { return hooks_.get(); }
  NodeHooks& materialize_hooks() {
    if (hooks_ == nullptr) {
      hooks_ = std::make_unique<NodeHooks>();
    }
    return *hooks_;
  }

  // Nodes of a size share a free list.
  static void* operator new(size_t size);
  static void operator delete(void* pointer, size_t size) noexcept;

 protected:
  enum AtTheEnd { kAtTheEnd };
  // A node that is applied as soon as it is ready, before all others.
  explicit Node(AtTheEnd) : sequence_nr_(UINT64_MAX) {}
  ~Node() override;
  void dispose() override;

 private:
  static constexpr uint32_t kInlineEdges = 3;

  static uint64_t next_sequence_nr();
  static bool is_run_filtered();
  static bool is_wanted(const Node& node);
  uint32_t add_other_input(InputMetadata metadata);
  void add_other_edge(Edge edge);
  const Edge* edges() const {
    return TSC_LIKELY(other_edges_ == nullptr) ? inline_edges_ : other_edges_->data();
  }
  Edge* edges() {
    return TSC_LIKELY(other_edges_ == nullptr) ? inline_edges_ : other_edges_->data();
  }

  uint32_t num_inputs_ = 0;
  uint32_t num_edges_ = 0;
  union {
    uint64_t sequence_nr_;
    Node* next_disposed_;  // once the count is zero
  };
  std::unique_ptr<NodeHooks> hooks_;
  // All edges, once there are more than kInlineEdges.
  std::unique_ptr<std::vector<Edge>> other_edges_;
  std::unique_ptr<std::vector<InputMetadata>> other_inputs_;
  Edge inline_edges_[kInlineEdges];
  InputMetadata first_input_;
};

// "Mul" of "MulBackward0", "Fill2" of "FillBackward2": the name of a node's operator in messages.
TSC_API std::string forward_name(const Node& node);
// The name without its namespace, as tensors print it: `grad_fn=<CopySlices>`.
TSC_API std::string_view type_name(const Node& node);

}  // namespace tsc::autograd
