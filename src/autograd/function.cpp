#include "autograd/function.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>

#include "autograd/fallback.h"
#include "autograd/kernel_support.h"
#include "gen/calls/alias.h"
#include "gen/calls/zeros.h"

namespace tsc::autograd {

namespace {

bool contains(const TensorVector& tensors, const Tensor& wanted) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [&](const Tensor& tensor) { return tensor.is_same(wanted); });
}

}  // namespace

TensorVector AutogradContext::get_saved_variables() const {
  if (saved_.empty()) {
    return to_save_;
  }
  // A saved output is unpacked with its history, even where backward records nothing.
  const AutoGradMode with_history(true);
  TensorVector tensors;
  for (const SavedVariable& variable : saved_) {
    tensors.push_back(variable.unpack(*node_));
  }
  return tensors;
}

bool AutogradContext::needs_input_grad(size_t i) const { return node_->needs_argument_grad(i); }

FunctionNode::FunctionNode(std::string name, Backward backward)
    : name_(std::move(name)), backward_(backward) {
  context_.node_ = this;
}

void FunctionNode::add_argument(const Tensor& tensor) {
  edge_of_argument_.push_back(num_outputs());
  add_edge(gradient_edge(tensor));
}

bool FunctionNode::needs_argument_grad(size_t i) const {
  TSC_CHECK(i < edge_of_argument_.size(), "{} has {} arguments, and none of number {}", name_,
            edge_of_argument_.size(), i);
  return edge_of_argument_[i] != kNoEdge && should_compute(edge_of_argument_[i]);
}

void FunctionNode::release_variables() {
  for (SavedVariable& variable : context_.saved_) {
    variable.release();
  }
}

void FunctionNode::apply(std::span<Tensor> grads, std::span<Tensor> grad_inputs) {
  TensorVector given(grads.begin(), grads.end());
  for (size_t i = 0; i < given.size() && context_.materialize_grads_; i++) {
    const InputMetadata& metadata = input_metadata(i);
    if (!given[i].defined() && metadata.is_differentiable) {
      given[i] = zeros(metadata.sizes, TensorOptions(metadata.dtype).device(metadata.device));
    }
  }
  TensorVector answer = backward_(&context_, std::move(given));
  while (answer.size() > edge_of_argument_.size() && !answer.back().defined()) {
    answer.pop_back();
  }
  check_gradient_count(name_, edge_of_argument_.size(), answer.size());
  for (size_t i = 0; i < answer.size(); i++) {
    const bool is_tensor = edge_of_argument_[i] != kNoEdge;
    TSC_CHECK(is_tensor || !answer[i].defined(),
              "function {} returned a gradient different from None at position {}, but the "
              "corresponding forward input was not a Variable",
              name_, i + 1);
    if (is_tensor) {
      grad_inputs[edge_of_argument_[i]] = std::move(answer[i]);
    }
  }
}

void FunctionNode::finish(TensorVector& outputs, const TensorVector& inputs, bool is_recorded) {
  for (const Tensor& tensor : context_.dirty_) {
    TSC_CHECK(contains(inputs, tensor), "{}: only inputs of forward can be marked as dirty", name_);
    TSC_CHECK(contains(outputs, tensor), "{}: what was marked as dirty has to be returned", name_);
    if (is_recorded) {
      check_inplace(tensor);
    }
    tensor.impl()->bump_version();
  }
  for (Tensor& output : outputs) {
    const bool is_dirty = contains(context_.dirty_, output);
    if (!is_dirty && contains(inputs, output)) {
      output = alias(output);
    }
    if (!is_recorded || !output.defined()) {
      continue;
    }
    if (contains(context_.non_differentiable_, output)) {
      add_undefined_input();
    } else if (is_dirty) {
      rebase_history(output, intrusive_ptr<Node>::share(this));
    } else {
      set_history(output, *this);
    }
  }
  if (!is_recorded) {
    return;
  }
  for (const Tensor& tensor : context_.to_save_) {
    context_.saved_.emplace_back(tensor, contains(outputs, tensor));
  }
  context_.to_save_.clear();
}

namespace detail {

std::string function_name(const char* mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string type = status == 0 ? text : mangled;
  std::free(text);
  const size_t scope = type.rfind("::");
  return fmt::format("torch::autograd::CppNode<{}>",
                     scope == type.npos ? type : type.substr(scope + 2));
}

bool is_recorded(const TensorVector& inputs) {
  return tls().grad_mode && std::any_of(inputs.begin(), inputs.end(),
                                        [](const Tensor& tensor) { return requires_grad(tensor); });
}

}  // namespace detail

void check_gradient_count(std::string_view name, size_t expected, size_t got) {
  TSC_CHECK(expected == got,
            "function {} returned an incorrect number of gradients (expected {}, got {})", name,
            expected, got);
}

KernelFunction autogradNotImplementedFallback() {  // NOLINT(readability-identifier-naming)
  return boxed_kernel(&not_implemented_fallback, "autogradNotImplementedFallback", __FILE__,
                      __LINE__);
}

}  // namespace tsc::autograd
