// What autograd knows of a tensor, and the record of how it came to be.
#pragma once

#include <string>

#include "autograd/node.h"
#include "core/autograd_meta.h"
#include "core/thread_local_state.h"

namespace tsc::autograd {

// Floating point and complex tensors have gradients.
inline bool is_differentiable(ScalarType dtype) {
  return is_floating_point(dtype) || is_complex(dtype);
}

// -- what a tensor is ----------------------------------------------------------------------------

// The node that made `tensor`, or null for a leaf. Of a view whose base was changed in place since,
// a new node is made.
TSC_API Node* grad_fn(const Tensor& tensor);
TSC_API bool is_leaf(const Tensor& tensor);
// The node that adds to `tensor.grad`; null where `tensor` is no leaf that requires grad.
TSC_API intrusive_ptr<Node> grad_accumulator(const Tensor& tensor);
// Where a gradient of `tensor` goes: its grad_fn or its accumulator, or nowhere.
TSC_API Edge gradient_edge(const Tensor& tensor);

// -- what a script asks --------------------------------------------------------------------------

// `t.requires_grad_(value)`. RuntimeError for integers, and for False on a tensor with a grad_fn.
TSC_API void set_requires_grad(const Tensor& tensor, bool requires_grad);
// What `requires_grad=True` of a factory does to the tensor that it has made.
TSC_API void require_grad_of_new(const Tensor& tensor);
// `t.requires_grad = value`, in its own words.
TSC_API void assign_requires_grad(const Tensor& tensor, bool requires_grad);
// `t.grad`; warns where it will never be filled.
TSC_API Tensor grad(const Tensor& tensor);
// `t.grad = grad` (undefined for None). RuntimeError for another size, dtype or device.
TSC_API void set_grad(const Tensor& tensor, const Tensor& grad);
TSC_API void retain_grad(const Tensor& tensor);
// Both return an id for remove_hook(). RuntimeError where `tensor` requires no grad.
TSC_API uint64_t register_hook(const Tensor& tensor, TensorHook hook);
TSC_API uint64_t register_post_accumulate_grad_hook(const Tensor& tensor, TensorHook hook);
TSC_API void remove_hook(const Tensor& tensor, uint64_t id);
// Of a node itself: `grad_fn.register_prehook(f)` and `grad_fn.register_hook(f)`.
TSC_API uint64_t register_hook(Node& node, NodePreHook hook);
TSC_API uint64_t register_hook(Node& node, NodePostHook hook);
TSC_API void remove_hook(const Node& node, uint64_t id);
// `t.detach_()`: forgets how it came to be. RuntimeError for a view.
TSC_API void detach_in_place(const Tensor& tensor);
// `t._version`. RuntimeError for an inference tensor.
TSC_API int64_t version_of(const Tensor& tensor);
// The same values in the same memory, with the same version counter and no history.
TSC_API Tensor tensor_data(const Tensor& tensor);
// Whether calls go to dispatch modes. What is done without a call otherwise is a call then, for
// them to see, as in PyTorch; and nothing is written in place that they may know.
inline bool modes_see_calls() { return tls().included.has(Functionality::Python); }
// The same as tensor_data(), by a call of detach() where there are modes.
TSC_API Tensor visible_tensor_data(const Tensor& tensor);
// The same without the version counter: `t.data`.
TSC_API Tensor variable_data(const Tensor& tensor);
// "torch.FloatTensor".
TSC_API std::string type_string(const Tensor& tensor);
// The same in messages, where dtypes that are younger than such names are "CPUBoolType".
std::string type_in_messages(const Tensor& tensor);

// -- what kernels record -------------------------------------------------------------------------

// Makes `edge` where the gradient of `tensor` goes.
TSC_API void set_gradient_edge(const Tensor& tensor, Edge edge);
// RuntimeError where an operator that is being recorded may not write to `tensor`: a leaf that
// requires grad, a view of one, one of several views.
TSC_API void check_inplace(const Tensor& tensor);
// `tensor` was written in place by the operator that `node` stands for. Of a view, it is the base
// whose history goes on.
TSC_API void rebase_history(const Tensor& tensor, intrusive_ptr<Node> node);
// `tensor` became another view of its memory (transpose_, squeeze_): no element changed, so that
// its own history goes on, and not its base's.
TSC_API void extend_history(const Tensor& tensor, intrusive_ptr<Node> node);

// A kernel returned the tensor it was given, which has a place in the graph and gets `node` above
// itself: what is below, and what `node` saved, must not hold it.
TSC_API TSC_COLD void break_cycle(AutogradMeta& meta, Node& node);
// `tensor` is the next output of the operator that `node` stands for.
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
