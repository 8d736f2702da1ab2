// AutogradMeta: the record of autograd in a tensor. It is core's, so that every layer can ask
// whether a tensor requires grad; autograd/ fills and reads the rest.
#pragma once

#include <cstdint>
#include <memory>

#include "core/keys/thread_local_state.h"
#include "core/tensor.h"

namespace tsc {

// How a view came to be, which decides whether it may be changed in place.
enum class CreationMeta : uint8_t { Default, MultiOutput, NoGradMode, InferenceMode };

// Points to a tensor without keeping it: null once the tensor is gone.
struct TSC_API WeakTensor final : RefCounted {
  TensorImpl* tensor = nullptr;
};

struct TSC_API AutogradMeta final {
  ~AutogradMeta();

  // The node that made the tensor (an autograd::Node); null for a leaf. Of a view it may be out of
  // date: autograd::grad_fn() looks.
  intrusive_ptr<RefCounted> grad_fn;
  Tensor grad;
  // The tensor that this one is a differentiable view of, always the outermost; undefined where it
  // is none.
  Tensor view_base;
  // The node that adds to `grad` (an autograd::AccumulateGrad), kept alive by those who point to
  // it; it takes itself out when it goes.
  RefCounted* grad_accumulator = nullptr;
  // A leaf's hooks (an autograd::TensorHooks); another tensor's are with its grad_fn.
  intrusive_ptr<RefCounted> hooks;
  // A weak reference to this tensor; made by weak_reference().
  intrusive_ptr<WeakTensor> weak_self;
  // The index of this tensor among the node's outputs.
  uint32_t output_nr = 0;
  // The version at which a view's grad_fn was made: when the base has been written since, it is
  // made anew.
  uint32_t view_version = 0;
  // Asked for by the user; meaningful on a leaf.
  bool leaf_requires_grad = false;
  // retain_grad() asked for `grad` although the tensor is no leaf.
  bool retains_grad = false;
  CreationMeta creation_meta = CreationMeta::Default;

  bool requires_grad() const {
    return leaf_requires_grad || static_cast<bool>(grad_fn) ||
           (view_base.defined() && view_base.requires_grad());
  }

  TSC_USE_FREE_LIST(AutogradMeta)
};

// The tensor's record, made if it has none.
TSC_API AutogradMeta& materialize_autograd_meta(const Tensor& tensor);

// The tensor's only WeakTensor, made at the first call.
TSC_API intrusive_ptr<WeakTensor> weak_reference(const Tensor& tensor);

// Called by the ADInplaceOrView cell of every view operator: `view` now shows `base`'s memory.
TSC_API void set_view_metadata(const Tensor& base, const Tensor& view, CreationMeta creation_meta);

// How a view that is made now may be changed later: `differentiable` where grad mode is on.
inline CreationMeta creation_meta(CreationMeta differentiable) {
  const ThreadLocalState& state = tls();
  return state.inference_mode ? CreationMeta::InferenceMode
         : state.grad_mode    ? differentiable
                              : CreationMeta::NoGradMode;
}

// RuntimeError outside inference mode.
TSC_API TSC_COLD void check_inference_update();

// Called by the ADInplaceOrView cell of every operator that writes to `tensor`. RuntimeError for an
// inference tensor outside inference mode; inside, it has no version.
inline void increment_version(const Tensor& tensor) {
  if (!tensor.defined()) {
    return;
  }
  if (TSC_UNLIKELY(tensor.is_inference())) {
    return check_inference_update();
  }
  tensor.impl()->bump_version();
}

}  // namespace tsc
