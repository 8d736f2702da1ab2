#include "autograd/manual_kernels.h"

#include "autograd/variable.h"
#include "core/keys/thread_local_state.h"
#include "gen/calls/resize.h"
#include "gen/calls/resize_as.h"
#include "gen/calls/view.h"
#include "ops/structured/modes.h"

namespace tsc::autograd {

static void check_resizable(const Tensor& self) {
  TSC_CHECK(!self.requires_grad(), "cannot resize variables that require grad");
}

const Tensor& detach_kernel(DispatchKeySet, const Tensor& self) {
  detach_in_place(self);
  return self;
}

const Tensor& resize_kernel(DispatchKeySet keys, const Tensor& self, IntArrayRef size,
                            std::optional<MemoryFormat> memory_format) {
  check_resizable(self);
  const AutoDispatchBelowAutograd below;
  return ops::resize_::redispatch(keys & kAfterAutograd, self, size, memory_format);
}

const Tensor& resize_as_kernel(DispatchKeySet keys, const Tensor& self, const Tensor& the_template,
                               std::optional<MemoryFormat> memory_format) {
  check_resizable(self);
  const AutoDispatchBelowAutograd below;
  return ops::resize_as_::redispatch(keys & kAfterAutograd, self, the_template, memory_format);
}

Tensor view_dtype_kernel(DispatchKeySet keys, const Tensor& self, ScalarType dtype) {
  Tensor result = [&] {
    const AutoDispatchBelowAutograd below;
    return ops::view_dtype::redispatch(keys & kAfterAutograd, self, dtype);
  }();
  // What a mode gives back may have a graph of its own.
  return result.requires_grad() || calls_are_replayed() ? visible_tensor_data(result) : result;
}

}  // namespace tsc::autograd
