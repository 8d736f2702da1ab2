// Inner calls: the steps of a kernel that are operators of their own.
//
// PyTorch's kernels leave many a step to another operator: as_strided makes every strided view,
// _to_copy converts an operand of another dtype, fill_ writes a sum's zeros. Kernels here do such
// steps themselves, which is faster. Where somebody looks on (a profile, the watch), they call the
// operator instead, so that what is seen is what PyTorch shows; the results are the same:
//
//   if (shows_inner_calls()) {
//     const InnerCallScope scope;
//     return as_strided(self, sizes, strides, offset);
//   }
//   return view_tensor(self, sizes, strides, offset);
//
// What costs nothing worth counting is always a call.
#pragma once

#include "core/tensor.h"
#include "core/thread_local_state.h"

namespace tsc {

TSC_ALWAYS_INLINE bool shows_inner_calls() { return is_watched(tls()); }

// A kernel's own call goes to a kernel of its backend: the columns above have had their turn, those
// that were switched on included.
class InnerCallScope : ExcludeDispatchKeyGuard {
 public:
  InnerCallScope() : ExcludeDispatchKeyGuard(kColumns | (tls().included - kDefaultIncluded)) {}

 private:
  static constexpr DispatchKeySet kColumns =
      kAutogradKeys | DispatchKeySet{DispatchKey::ADInplaceOrView, DispatchKey::Named};
};

// `tensor` in another dtype, by `to`; it lives until the kernel returns. The tensor itself where
// nobody looks on, or it has the dtype already.
TSC_API const Tensor& shown_conversion(const Tensor& tensor, ScalarType dtype);

// The call of `to` that PyTorch makes even where the tensor has the dtype already.
TSC_API void show_conversion(const Tensor& tensor, ScalarType dtype);
// A new tensor, for kernels whose counterparts in PyTorch get it from the operator `empty`.
TSC_API Tensor shown_empty(IntArrayRef sizes, ScalarType dtype, Device device = DeviceType::CPU);

}  // namespace tsc
