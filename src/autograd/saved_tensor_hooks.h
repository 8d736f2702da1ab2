// Hooks that pack the tensors that nodes save: torch.autograd.graph.saved_tensors_hooks.
#pragma once

#include <string>

#include "autograd/node.h"
#include "core/tensor_impl.h"
#include "dispatch/ivalue.h"

namespace tsc::autograd {

class TSC_API SavedTensorHooks : public RefCounted {
 public:
  // Called when a node saves a tensor; may not write to it.
  virtual IValue pack(const Tensor& tensor) = 0;
  // Returns the tensor; called whenever a formula or a reader of the graph needs it.
  virtual Tensor unpack(const IValue& packed) = 0;
};

// Applies to the nodes that the thread makes now.
struct SavedTensorHooksState {
  // Null outside of every scope.
  SavedTensorHooks* hooks = nullptr;
  // The reason why hooks are forbidden; null where they are allowed.
  const std::string* forbidden = nullptr;
};
// This thread's state.
TSC_API SavedTensorHooksState& saved_tensor_hooks();
// RuntimeError where hooks are forbidden.
TSC_API void check_hooks_may_be_set();

// Takes the place of a saved tensor: it has no elements, but holds the result of pack().
class PackedTensor final : public TensorImpl {
 public:
  PackedTensor(const Tensor& tensor, intrusive_ptr<SavedTensorHooks> hooks, IValue packed)
      : TensorImpl(Storage(), DispatchKeySet(), tensor.dtype(), tensor.device(), tensor.layout()),
        hooks_(std::move(hooks)),
        packed_(std::move(packed)) {}
  TSC_USE_FREE_LIST(PackedTensor)

  Tensor unpack() const { return hooks_->unpack(packed_); }

  // The destination of the tensor's gradient; none for an output of the node that saves it.
  Edge edge;
  bool is_output = false;
  uint32_t output_nr = 0;

 private:
  intrusive_ptr<SavedTensorHooks> hooks_;
  IValue packed_;
};

}  // namespace tsc::autograd
