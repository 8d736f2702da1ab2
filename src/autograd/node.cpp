#include "autograd/node.h"

#include <array>

#include "autograd/anomaly.h"
#include "autograd/engine.h"
#include "autograd/saved_variable.h"
#include "core/allocator.h"
#include "gen/calls/add.h"

namespace tsc::autograd {

namespace {

constinit thread_local uint64_t next_number = 0;

// Nodes that died while another one was being freed, and whether one is being freed.
constinit thread_local Node* disposed = nullptr;
constinit thread_local bool is_disposing = false;

// Free lists by size, in steps of kStep bytes.
constexpr size_t kStep = 64;
constexpr size_t kSteps = 12;

template <size_t... Steps>
constexpr auto make_allocators(std::index_sequence<Steps...>) {
  return std::array<void* (*)(), sizeof...(Steps)>{
      &FreeList<(Steps + 1) * kStep, alignof(std::max_align_t)>::allocate...};
}
template <size_t... Steps>
constexpr auto make_deallocators(std::index_sequence<Steps...>) {
  return std::array<void (*)(void*) noexcept, sizeof...(Steps)>{
      &FreeList<(Steps + 1) * kStep, alignof(std::max_align_t)>::deallocate...};
}
constexpr auto kAllocators = make_allocators(std::make_index_sequence<kSteps>());
constexpr auto kDeallocators = make_deallocators(std::make_index_sequence<kSteps>());

constexpr size_t step_of(size_t size) { return (size - 1) / kStep; }

}  // namespace

void* Node::operator new(size_t size) {
  const size_t step = step_of(size);
  return TSC_LIKELY(step < kSteps) ? kAllocators[step]() : ::operator new(size);
}

void Node::operator delete(void* pointer, size_t size) noexcept {
  const size_t step = step_of(size);
  if (TSC_LIKELY(step < kSteps)) {
    kDeallocators[step](pointer);
  } else {
    ::operator delete(pointer);
  }
}

uint64_t Node::next_sequence_nr() { return next_number++; }

uint64_t newest_node_number() { return next_number - 1; }

Node::~Node() = default;

void Node::dispose() {
  if (is_disposing) {
    next_disposed_ = disposed;
    disposed = this;
    return;
  }
  is_disposing = true;
  delete this;
  while (disposed != nullptr) {
    Node* const node = disposed;
    disposed = node->next_disposed_;
    delete node;
  }
  is_disposing = false;
}

void Node::visit_saved(SavedVisitor&) {}

void Node::release_variables() {
  SavedVisitor release;
  visit_saved(release);
}

void Node::run_tensor_hooks(std::span<Tensor> grads) {
  if (TSC_LIKELY(hooks_ == nullptr)) {
    return;
  }
  // Copies: a hook may add and remove hooks.
  const auto before = hooks_->before;
  for (const auto& [input_nr, hook] : before) {
    run_hook(hook, grads[input_nr]);
  }
  const auto retained = hooks_->retained;
  for (const auto& [input_nr, weak] : retained) {
    const Tensor& grad = grads[input_nr];
    if (weak->tensor == nullptr || !grad.defined()) {
      continue;
    }
    Tensor& kept = weak->tensor->autograd_meta()->grad;
    kept = kept.defined() ? add(kept, grad) : grad;
  }
}

bool Node::is_run_filtered() { return current_run_is_filtered(); }
bool Node::is_wanted(const Node& node) { return current_run_wants(node); }

uint32_t Node::add_other_input(InputMetadata metadata) {
  if (other_inputs_ == nullptr) {
    other_inputs_ = std::make_unique<std::vector<InputMetadata>>();
  }
  other_inputs_->push_back(std::move(metadata));
  return num_inputs_++;
}

void Node::add_other_edge(Edge edge) {
  if (other_edges_ == nullptr) {
    other_edges_ = std::make_unique<std::vector<Edge>>();
    other_edges_->reserve(2 * size_t{kInlineEdges});
    for (Edge& inline_edge : inline_edges_) {
      other_edges_->push_back(std::move(inline_edge));
    }
  }
  other_edges_->push_back(std::move(edge));
  num_edges_++;
}

std::string forward_name(const Node& node) {
  constexpr std::string_view kMark = "Backward";
  const std::string_view name = node.name();
  const size_t end = name.rfind(kMark);
  if (end == name.npos || end == 0) {
    return std::string(name);
  }
  const std::string_view number = name.substr(end + kMark.size());
  if (number.find_first_not_of("0123456789") != number.npos) {
    return std::string(name);
  }
  return fmt::format("{}{}", name.substr(0, end), number == "0" ? "" : number);
}

std::string_view type_name(const Node& node) {
  const std::string_view name = node.name();
  const size_t colons = name.rfind("::");
  return colons == name.npos ? name : name.substr(colons + 2);
}

}  // namespace tsc::autograd
