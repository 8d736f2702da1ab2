// What a tensor becomes while a node keeps it: torch.autograd.graph.saved_tensors_hooks.
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
  // The tensor again, whenever a formula or a reader of the graph asks for it.
  virtual Tensor unpack(const IValue& packed) = 0;
};

// What holds for the nodes that the thread makes now.
struct SavedTensorHooksState {
  // Null outside of every scope.
  SavedTensorHooks* hooks = nullptr;
  // Why there may be no hooks; null where there may.
  const std::string* forbidden = nullptr;
};
TSC_API SavedTensorHooksState& saved_tensor_hooks();
// RuntimeError where hooks are forbidden.
TSC_API void check_hooks_may_be_set();

// Stands where a saved tensor would: it has no elements, and what pack() gave.
class PackedTensor final : public TensorImpl {
 public:
  PackedTensor(const Tensor& tensor, intrusive_ptr<SavedTensorHooks> hooks, IValue packed)
      : TensorImpl(Storage(), DispatchKeySet(), tensor.dtype(), tensor.device(), tensor.layout()),
        hooks_(std::move(hooks)),
        packed_(std::move(packed)) {}
  TSC_USE_FREE_LIST(PackedTensor)

  Tensor unpack() const { return hooks_->unpack(packed_); }

  // Where the gradient of the tensor goes; nowhere for an output of the node that keeps it.
  Edge edge;
  bool is_output = false;
  uint32_t output_nr = 0;

 private:
  intrusive_ptr<SavedTensorHooks> hooks_;
  IValue packed_;
};

}  // namespace tsc::autograd
