#include "autograd/variable.h"

#include <algorithm>

#include "autograd/accumulate_grad.h"
#include "autograd/copy_slices.h"
#include "core/tensor_factory.h"
#include "gen/calls/detach.h"
#include "ops/structured/type_names.h"

namespace tsc::autograd {

namespace {

AutogradMeta* meta_of(const Tensor& tensor) { return tensor.impl()->autograd_meta(); }

Node* node_of(const AutogradMeta& meta) { return static_cast<Node*>(meta.grad_fn.get()); }

// Raises the error for a recorded operator that may not write a view with `meta`. `object` names
// the tensor that is written: the view itself, or its base.
[[noreturn]] TSC_COLD void throw_view_modified(const AutogradMeta& meta, std::string_view object) {
  const Node* node = node_of(meta);
  const bool in_inference = meta.creation_meta == CreationMeta::InferenceMode;
  std::string text;
  if (node != nullptr) {
    text = fmt::format("Output {} of {} is a view and {} modified inplace.", meta.output_nr,
                       forward_name(*node), object);
  } else if (in_inference) {
    text = fmt::format(
        "A view was created in inference mode and {} modified inplace in normal mode.", object);
  } else {
    text = fmt::format(
        "A view was created in no_grad mode and {} modified inplace with grad mode enabled.",
        object);
  }
  if (meta.creation_meta == CreationMeta::MultiOutput) {
    throw_error(ErrorKind::RuntimeError,
                "{} This view is the output of a function that returns multiple views. Such "
                "functions do not allow the output views to be modified inplace. You should "
                "replace the inplace operation by an out-of-place one.",
                text);
  }
  throw_error(ErrorKind::RuntimeError,
              "{} Given that this use case is ambiguous and error-prone, it is forbidden. You can "
              "clarify your code by moving both the view and the inplace either both inside the {} "
              "block (if you don't want the inplace to be tracked) or both outside (if you want "
              "the inplace to be tracked).",
              text, in_inference ? "inference_mode" : "no_grad");
}

void check_view_may_change(const AutogradMeta& meta, std::string_view object) {
  if (meta.creation_meta != CreationMeta::Default) {
    throw_view_modified(meta, object);
  }
}

// Moves the hooks and retain_grad() of `tensor` to its new grad_fn.
void move_retained(const Tensor& tensor, Node* old_node, Node& node, uint32_t input_nr) {
  const AutogradMeta& meta = *meta_of(tensor);
  if (old_node != nullptr && old_node->hooks() != nullptr) {
    std::erase_if(old_node->hooks()->retained,
                  [&](const auto& entry) { return entry.tensor == meta.weak_self; });
  }
  node.materialize_hooks().retained.push_back({input_nr, meta.weak_self});
}

// Makes the view's grad_fn again after its base was changed in place.
void refresh_view(const Tensor& view, AutogradMeta& meta) {
  if (!meta.grad_fn && !meta.view_base.requires_grad()) {
    return;
  }
  const uint32_t version = view.version();
  if (meta.view_version == version) {
    return;
  }
  check_view_may_change(meta, "its base or another view of its base has been");
  const intrusive_ptr<RefCounted> old = std::move(meta.grad_fn);
  const Edge edge = edge_of_view(meta.view_base, view);
  meta.grad_fn = edge.node;
  meta.output_nr = edge.input_nr;
  meta.view_version = version;
  if (meta.retains_grad) {
    move_retained(view, static_cast<Node*>(old.get()), *edge.node, edge.input_nr);
  }
}

uint64_t next_hook_id() {
  static constinit thread_local uint64_t id = 0;
  return id++;
}

TensorHooks& hooks_of_leaf(AutogradMeta& meta) {
  if (!meta.hooks) {
    meta.hooks = make_intrusive<TensorHooks>();
  }
  return static_cast<TensorHooks&>(*meta.hooks);
}

}  // namespace

Node* grad_fn(const Tensor& tensor) {
  AutogradMeta* meta = meta_of(tensor);
  if (meta == nullptr) {
    return nullptr;
  }
  if (meta->view_base.defined()) {
    refresh_view(tensor, *meta);
  }
  return node_of(*meta);
}

bool is_leaf(const Tensor& tensor) { return grad_fn(tensor) == nullptr; }

intrusive_ptr<Node> grad_accumulator(const Tensor& tensor) {
  AutogradMeta* meta = meta_of(tensor);
  if (meta == nullptr || !meta->leaf_requires_grad || meta->grad_fn) {
    return nullptr;
  }
  if (meta->grad_accumulator != nullptr) {
    return intrusive_ptr<Node>::share(static_cast<Node*>(meta->grad_accumulator));
  }
  auto node = make_intrusive<AccumulateGrad>(tensor);
  meta->grad_accumulator = node.get();
  return node;
}

void break_cycle(AutogradMeta& meta, Node& node) {
  node.release_variables();
  if (meta.grad_accumulator != nullptr) {
    static_cast<AccumulateGrad*>(static_cast<Node*>(meta.grad_accumulator))->let_go();
    meta.grad_accumulator = nullptr;
  }
}

Edge gradient_edge(const Tensor& tensor) {
  if (Node* node = grad_fn(tensor)) {
    return {intrusive_ptr<Node>::share(node), meta_of(tensor)->output_nr};
  }
  return {grad_accumulator(tensor), 0};
}

void set_requires_grad(const Tensor& tensor, bool requires_grad) {
  const AutogradMeta* meta = meta_of(tensor);
  if (!requires_grad && !is_leaf(tensor)) {
    throw_error(ErrorKind::RuntimeError,
                "you can only change requires_grad flags of leaf variables. If you want to use a "
                "computed variable in a subgraph that doesn't require differentiation use "
                "var_no_grad = var.detach().");
  }
  if (meta == nullptr && !requires_grad) {
    return;
  }
  TSC_CHECK(!requires_grad || is_differentiable(tensor.dtype()),
            "only Tensors of floating point dtype can require gradients");
  TSC_CHECK(!requires_grad || !tensor.is_inference() || tls().inference_mode,
            "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  if (is_leaf(tensor)) {
    materialize_autograd_meta(tensor).leaf_requires_grad = requires_grad;
  }
}

void require_grad_of_new(const Tensor& tensor) {
  TSC_CHECK(is_differentiable(tensor.dtype()),
            "Only Tensors of floating point and complex dtype can require gradients");
  set_requires_grad(tensor, true);
}

void assign_requires_grad(const Tensor& tensor, bool requires_grad) {
  TSC_CHECK(is_leaf(tensor), "you can only change requires_grad flags of leaf variables.{}",
            requires_grad ? ""
                          : " If you want to use a computed variable in a subgraph that doesn't "
                            "require differentiation use var_no_grad = var.detach().");
  set_requires_grad(tensor, requires_grad);
}

Tensor grad(const Tensor& tensor) {
  const AutogradMeta* meta = meta_of(tensor);
  if (meta == nullptr) {
    return {};
  }
  if (!meta->grad.defined() && !meta->retains_grad && !is_leaf(tensor)) {
    warn(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
        "attribute won't be populated during autograd.backward(). If you indeed want the .grad "
        "field to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. "
        "If you access the non-leaf Tensor by mistake, make sure you access the leaf Tensor "
        "instead. See github.com/pytorch/pytorch/pull/30531 for more information.");
  }
  return meta->grad;
}

void set_grad(const Tensor& tensor, const Tensor& grad) {
  if (grad.defined()) {
    TSC_CHECK(!grad.is_same(tensor), "can't assign Variable as its own grad");
    TSC_CHECK(grad.dtype() == tensor.dtype(),
              "attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}'. "
              "The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). "
              "You can set the tensor's grad_dtype attribute with a specific dtype, or None to "
              "allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and "
              "its gradient may break downstream systems that assume they match.",
              cpp_type_name(grad.dtype()), to_string(tensor.dtype()));
    TSC_CHECK(grad.device() == tensor.device(),
              "attempting to assign a gradient located on device '{}' to a tensor located on "
              "device '{}'. Please ensure that the gradient and the tensor are on the same device",
              to_string(grad.device()), to_string(tensor.device()));
    TSC_CHECK(grad.sizes() == tensor.sizes(),
              "attempting to assign a gradient of size '{}' to a tensor of size '{}'. Please "
              "ensure that the gradient and the tensor are the same size",
              grad.sizes(), tensor.sizes());
  } else if (meta_of(tensor) == nullptr) {
    return;
  }
  materialize_autograd_meta(tensor).grad = grad;
}

void retain_grad(const Tensor& tensor) {
  TSC_CHECK(tensor.requires_grad(), "can't retain_grad on Tensor that has requires_grad=False");
  Node* node = grad_fn(tensor);
  AutogradMeta& meta = *meta_of(tensor);
  if (node == nullptr || meta.retains_grad) {
    return;
  }
  meta.retains_grad = true;
  node->materialize_hooks().retained.push_back({meta.output_nr, weak_reference(tensor)});
}

uint64_t register_hook(const Tensor& tensor, TensorHook hook) {
  TSC_CHECK(tensor.requires_grad(),
            "cannot register a hook on a tensor that doesn't require gradient");
  hook.id = next_hook_id();
  const uint64_t id = hook.id;
  Node* node = grad_fn(tensor);
  AutogradMeta& meta = *meta_of(tensor);
  if (node != nullptr) {
    node->materialize_hooks().before.push_back({meta.output_nr, std::move(hook)});
  } else {
    hooks_of_leaf(meta).before.push_back(std::move(hook));
  }
  return id;
}

uint64_t register_post_accumulate_grad_hook(const Tensor& tensor, TensorHook hook) {
  TSC_CHECK(tensor.requires_grad(),
            "cannot register a hook on a tensor that doesn't require gradient");
  TSC_CHECK(is_leaf(tensor), "post accumulate grad hooks cannot be registered on non-leaf tensors");
  hook.id = next_hook_id();
  const uint64_t id = hook.id;
  hooks_of_leaf(*meta_of(tensor)).after_accumulation.push_back(std::move(hook));
  return id;
}

void remove_hook(const Tensor& tensor, uint64_t id) {
  AutogradMeta* meta = meta_of(tensor);
  if (meta == nullptr) {
    return;
  }
  const auto has_id = [id](const TensorHook& hook) { return hook.id == id; };
  if (meta->hooks) {
    TensorHooks& hooks = hooks_of_leaf(*meta);
    std::erase_if(hooks.before, has_id);
    std::erase_if(hooks.after_accumulation, has_id);
  }
  if (Node* node = node_of(*meta); node != nullptr && node->hooks() != nullptr) {
    std::erase_if(node->hooks()->before, [&](const auto& entry) { return has_id(entry.hook); });
  }
}

uint64_t register_hook(Node& node, NodePreHook hook) {
  hook.id = next_hook_id();
  node.materialize_hooks().pre.push_back(std::move(hook));
  return node.hooks()->pre.back().id;
}

uint64_t register_hook(Node& node, NodePostHook hook) {
  hook.id = next_hook_id();
  node.materialize_hooks().post.push_back(std::move(hook));
  return node.hooks()->post.back().id;
}

void remove_hook(const Node& node, uint64_t id) {
  const auto has_id = [id](const auto& hook) { return hook.id == id; };
  if (NodeHooks* hooks = node.hooks()) {
    std::erase_if(hooks->pre, has_id);
    std::erase_if(hooks->post, has_id);
  }
}

void detach_in_place(const Tensor& tensor) {
  AutogradMeta* meta = meta_of(tensor);
  if (meta == nullptr) {
    return;
  }
  TSC_CHECK(!meta->view_base.defined(),
            "Can't detach views in-place. Use detach() instead. If you are using "
            "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as "
            "True, gradients are views of DDP buckets, and hence detach_() cannot be called on "
            "these gradients. To fix this error, please refer to the Optimizer.zero_grad() "
            "function in torch/optim/optimizer.py as the solution.");
  meta->leaf_requires_grad = false;
  meta->grad_fn.reset();
  meta->output_nr = 0;
}

int64_t version_of(const Tensor& tensor) {
  TSC_CHECK(!tensor.is_inference(), "Inference tensors do not track version counter.");
  return tensor.version();
}

Tensor tensor_data(const Tensor& tensor) {
  return view_tensor(tensor, tensor.sizes(), tensor.strides(), tensor.storage_offset());
}

Tensor visible_tensor_data(const Tensor& tensor) {
  const AutoDispatchBelowADInplaceOrView below;
  return detach(tensor);
}

Tensor variable_data(const Tensor& tensor) {
  Tensor data = tensor_data(tensor);
  data.impl()->detach_version();
  if (TSC_UNLIKELY(tensor.has_names())) {
    data.impl()->set_names(DimnameVector(tensor.names().begin(), tensor.names().end()));
  }
  return data;
}

std::string type_string(const Tensor& tensor) {
  return fmt::format("torch.{}{}{}Tensor",
                     tensor.is_cpu() ? "" : fmt::format("{}.", to_string(tensor.device().type)),
                     tensor.is_sparse()      ? "sparse."
                     : tensor.is_quantized() ? "quantized."
                                             : "",
                     to_string(tensor.dtype()));
}

std::string type_in_messages(const Tensor& tensor) {
  const ScalarType dtype = tensor.dtype();
  if (!tensor.is_cpu() ||
      !(is_complex(dtype) || dtype == ScalarType::Bool || dtype == ScalarType::BFloat16)) {
    return type_string(tensor);
  }
  return fmt::format("CPU{}Type", to_string(dtype));
}

void set_gradient_edge(const Tensor& tensor, Edge edge) {
  AutogradMeta& meta = materialize_autograd_meta(tensor);
  meta.grad_fn = std::move(edge.node);
  meta.output_nr = edge.input_nr;
  if (meta.view_base.defined()) {
    meta.view_version = tensor.version();
  }
}

void check_inplace(const Tensor& tensor) {
  const AutogradMeta* meta = meta_of(tensor);
  if (meta == nullptr) {
    return;
  }
  if (meta->view_base.defined()) {
    check_view_may_change(*meta, "is being");
    TSC_CHECK(!tensor.requires_grad() || !is_leaf(meta->view_base),
              "a view of a leaf Variable that requires grad is being used in an in-place "
              "operation.");
  }
  TSC_CHECK(!tensor.requires_grad() || !is_leaf(tensor),
            "a leaf Variable that requires grad is being used in an in-place operation.");
}

void extend_history(const Tensor& tensor, intrusive_ptr<Node> node) {
  const AutogradMeta& meta = materialize_autograd_meta(tensor);
  Node* const old_node = node_of(meta);
  const intrusive_ptr<RefCounted> keep_old = meta.grad_fn;
  const uint32_t input_nr = node->add_input(tensor);
  if (meta.retains_grad) {
    move_retained(tensor, old_node, *node, input_nr);
  }
  set_gradient_edge(tensor, {std::move(node), input_nr});
}

void rebase_history(const Tensor& tensor, intrusive_ptr<Node> node) {
  AutogradMeta& meta = materialize_autograd_meta(tensor);
  if (!meta.view_base.defined()) {
    extend_history(tensor, std::move(node));
    return;
  }
  const Tensor written = meta.view_base;
  AutogradMeta& written_meta = materialize_autograd_meta(written);
  Node* const old_node = node_of(written_meta);
  const intrusive_ptr<RefCounted> keep_old = written_meta.grad_fn;
  node->add_input(tensor);
  meta.output_nr = 0;
  auto slices = make_intrusive<CopySlices>(written, tensor, std::move(node));
  if (written_meta.retains_grad) {
    move_retained(written, old_node, *slices, 0);
  }
  set_gradient_edge(written, {std::move(slices), 0});
  grad_fn(tensor);  // made anew now, while the versions differ
}

}  // namespace tsc::autograd
