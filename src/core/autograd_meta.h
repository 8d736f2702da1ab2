// AutogradMeta: what autograd keeps on a tensor. The record is core's, so that every layer can ask
// a tensor whether it requires grad; what makes and reads the rest is autograd/.
#pragma once

#include <cstdint>
#include <memory>

#include "core/tensor.h"

namespace tsc {

// How a view came to be, which decides whether it may be changed in place.
enum class CreationMeta : uint8_t { Default, MultiOutput, NoGradMode, InferenceMode };

struct TSC_API AutogradMeta {
  virtual ~AutogradMeta();

  // The node that made the tensor (an autograd::Node); null for a leaf.
  intrusive_ptr<RefCounted> grad_fn;
  // Which of the node's outputs this tensor is.
  uint32_t output_nr = 0;
  // Asked for by the user; meaningful on a leaf.
  bool leaf_requires_grad = false;
  bool retains_grad = false;
  CreationMeta creation_meta = CreationMeta::Default;
  // The version at which a view's grad_fn was made: when the base has been written since, it is
  // made anew.
  uint32_t view_version = 0;
  Tensor grad;
  // The tensor that this one is a differentiable view of, always the outermost; undefined where it
  // is none.
  Tensor view_base;
  // The node that adds to `grad` (an autograd::Node), kept alive by those who point to it.
  RefCounted* grad_accumulator = nullptr;

  bool requires_grad() const { return leaf_requires_grad || static_cast<bool>(grad_fn); }

  TSC_USE_FREE_LIST(AutogradMeta)
};

// The tensor's record, made if it has none.
TSC_API AutogradMeta& materialize_autograd_meta(const Tensor& tensor);

// Called by the ADInplaceOrView cell of every view operator: `view` now shows `base`'s memory.
TSC_API void set_view_metadata(const Tensor& base, const Tensor& view, CreationMeta creation_meta);
// Called by the ADInplaceOrView cell of every operator that writes to `tensor`.
inline void increment_version(const Tensor& tensor) {
  if (tensor.defined() && !tensor.is_inference()) {
    tensor.impl()->bump_version();
  }
}

}  // namespace tsc
