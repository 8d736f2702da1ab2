#include "autograd/accumulate_grad.h"

#include "autograd/variable.h"
#include "gen/calls/add.h"
#include "gen/calls/clone.h"
#include "gen/calls/copy.h"
#include "gen/calls/detach.h"
#include "gen/calls/new_empty_strided.h"

namespace tsc::autograd {

namespace {

// A gradient has its leaf's strides where those are dense, and is contiguous otherwise.
bool has_expected_strides(const Tensor& grad, const Tensor& variable) {
  if (!variable.is_non_overlapping_and_dense()) {
    return grad.is_contiguous();
  }
  for (size_t i = 0; i < grad.sizes().size(); i++) {
    const bool is_single = grad.sizes()[i] == 1;
    if (is_single ? grad.strides()[i] == 0 : grad.strides()[i] != variable.strides()[i]) {
      return false;
    }
  }
  return true;
}

Tensor clone_with_expected_strides(const Tensor& grad, const Tensor& variable) {
  if (!variable.is_non_overlapping_and_dense()) {
    return clone(grad, MemoryFormat::Contiguous);
  }
  const Tensor copy = new_empty_strided(grad, variable.sizes(), variable.strides(), grad.options());
  return copy_(copy, grad);
}

// Whether this is the only reference to the tensor, so that it may be kept as `.grad`. As in
// PyTorch, its memory may still be that of a gradient given to backward().
bool is_sole_owner(const Tensor& tensor) { return tensor.use_count() == 1; }

void accumulate(const Tensor& variable, Tensor& grad, const Tensor& new_grad) {
  if (grad.defined() && grad.is_sparse() && !new_grad.is_sparse()) {
    grad = add(new_grad, grad);
  } else if (grad.defined() && !tls().grad_mode) {
    add_(grad, new_grad);
  } else if (grad.defined()) {
    grad = add(grad, new_grad);
  } else if (!tls().grad_mode && is_sole_owner(new_grad) &&
             has_expected_strides(new_grad, variable)) {
    grad = visible_tensor_data(new_grad);
  } else {
    grad = clone_with_expected_strides(new_grad, variable);
  }
}

}  // namespace

AccumulateGrad::AccumulateGrad(const Tensor& variable) : Node(kAtTheEnd), variable_(variable) {
  add_input(variable);
}

void AccumulateGrad::run_tensor_hooks(std::span<Tensor> grads) {
  if (!variable_.defined()) {
    return;
  }
  const AutogradMeta* meta = variable_.impl()->autograd_meta();
  if (!meta->hooks) {
    return;
  }
  // A copy: a hook may remove hooks.
  const auto hooks = static_cast<const TensorHooks&>(*meta->hooks).before;
  for (const TensorHook& hook : hooks) {
    run_hook(hook, grads[0]);
  }
}

void AccumulateGrad::apply(std::span<Tensor> grads, std::span<Tensor>) {
  if (!grads[0].defined()) {
    return;
  }
  TSC_CHECK(variable_.defined(), "leaf variable has been moved into the graph interior");
  if (!variable_.requires_grad()) {
    return;
  }
  AutogradMeta& meta = materialize_autograd_meta(variable_);
  accumulate(variable_, meta.grad, grads[0]);
  if (meta.hooks) {
    const auto hooks = static_cast<const TensorHooks&>(*meta.hooks).after_accumulation;
    for (const TensorHook& hook : hooks) {
      hook.call(variable_);
    }
  }
}

void AccumulateGrad::dispose() {
  // Cleared before this node may wait in the queue of disposed nodes: the leaf must not return a
  // dead one.
  if (variable_.defined()) {
    variable_.impl()->autograd_meta()->grad_accumulator = nullptr;
  }
  Node::dispose();
}

}  // namespace tsc::autograd
