// A tensor's place in the graph: reading it, changing it, recording it.
#pragma once

#include <string>

#include "autograd/node.h"
#include "core/autograd_meta.h"
#include "core/keys/thread_local_state.h"

namespace tsc::autograd {

// Floating point and complex tensors have gradients.
inline bool is_differentiable(ScalarType dtype) {
  return is_floating_point(dtype) || is_complex(dtype);
}

// --- Reading

// The node that made `tensor`, or null for a leaf. For a view whose base has been changed in place
// since, a new node is made.
TSC_API Node* grad_fn(const Tensor& tensor);
// True where `tensor` has no grad_fn.
TSC_API bool is_leaf(const Tensor& tensor);
// The node that adds to `tensor.grad`; null unless `tensor` is a leaf that requires grad.
TSC_API intrusive_ptr<Node> grad_accumulator(const Tensor& tensor);
// The destination of a gradient of `tensor`: its grad_fn, its accumulator, or nowhere.
TSC_API Edge gradient_edge(const Tensor& tensor);

// --- Called by scripts

// `t.requires_grad_(value)`. RuntimeError for integers, and for False on a tensor with a grad_fn.
TSC_API void set_requires_grad(const Tensor& tensor, bool requires_grad);
// The effect of a factory's `requires_grad=True` on the tensor that it has made.
TSC_API void require_grad_of_new(const Tensor& tensor);
// `t.requires_grad = value`, with its own error messages.
TSC_API void assign_requires_grad(const Tensor& tensor, bool requires_grad);
// `t.grad`; warns where it will never be filled.
TSC_API Tensor grad(const Tensor& tensor);
// `t.grad = grad` (undefined for None). RuntimeError for another size, dtype or device.
TSC_API void set_grad(const Tensor& tensor, const Tensor& grad);
TSC_API void retain_grad(const Tensor& tensor);
// Both return an id for remove_hook(). RuntimeError where `tensor` does not require grad.
TSC_API uint64_t register_hook(const Tensor& tensor, TensorHook hook);
TSC_API uint64_t register_post_accumulate_grad_hook(const Tensor& tensor, TensorHook hook);
TSC_API void remove_hook(const Tensor& tensor, uint64_t id);
// Hooks of a node itself: `grad_fn.register_prehook(f)` and `grad_fn.register_hook(f)`.
TSC_API uint64_t register_hook(Node& node, NodePreHook hook);
TSC_API uint64_t register_hook(Node& node, NodePostHook hook);
TSC_API void remove_hook(const Node& node, uint64_t id);
// `t.detach_()`: drops the history. RuntimeError for a view.
TSC_API void detach_in_place(const Tensor& tensor);
// `t._version`. RuntimeError for an inference tensor.
TSC_API int64_t version_of(const Tensor& tensor);
// The same values in the same memory, with the same version counter and no history.
TSC_API Tensor tensor_data(const Tensor& tensor);
// The same as tensor_data(), by a call of detach().
TSC_API Tensor visible_tensor_data(const Tensor& tensor);
// The same with a version counter of its own: `t.data`.
TSC_API Tensor variable_data(const Tensor& tensor);
// "torch.FloatTensor".
TSC_API std::string type_string(const Tensor& tensor);
// The same in messages, where PyTorch calls newer dtypes "CPUBoolType".
std::string type_in_messages(const Tensor& tensor);

// --- Recording

// Makes `edge` the destination of the gradient of `tensor`.
TSC_API void set_gradient_edge(const Tensor& tensor, Edge edge);
// RuntimeError where an operator that is being recorded must not write to `tensor`: a leaf that
// requires grad, a view of one, one of several views.
TSC_API void check_inplace(const Tensor& tensor);
// `tensor` was written in place by the operator of `node`. If it is a view, its base's history is
// changed, too.
TSC_API void rebase_history(const Tensor& tensor, intrusive_ptr<Node> node);
// `tensor` became another view of its memory (transpose_, squeeze_): no element changed, so only
// its own history is extended, and not its base's.
TSC_API void extend_history(const Tensor& tensor, intrusive_ptr<Node> node);

// For a kernel that returned its argument, which is in the graph already and gets `node` above
// itself: its old history, and the tensors that `node` saved, must not own it.
TSC_API TSC_COLD void break_cycle(AutogradMeta& meta, Node& node);
// `tensor` is the next output of the operator of `node`.
inline void set_history(const Tensor& tensor, Node& node) {
  if (TSC_UNLIKELY(!tensor.defined() || !is_differentiable(tensor.dtype()))) {
    node.add_undefined_input();
    return;
  }
  AutogradMeta& meta = materialize_autograd_meta(tensor);
  if (TSC_UNLIKELY(meta.grad_fn || meta.grad_accumulator != nullptr)) {
    break_cycle(meta, node);
  }
  meta.output_nr = node.add_input(tensor);
  meta.grad_fn = intrusive_ptr<RefCounted>::share(&node);
  if (meta.view_base.defined()) {
    meta.view_version = tensor.version();
  }
}

}  // namespace tsc::autograd
