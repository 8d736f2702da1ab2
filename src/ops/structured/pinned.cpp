#include "ops/structured/pinned.h"

#include "core/cuda_hooks.h"
#include "core/tensor_factory.h"
#include "ops/structured/dense_strides.h"
#include "ops/structured/fill.h"

namespace tsc {

Tensor copy_to_pinned(const Tensor& self) {
  TSC_CHECK(self.is_cpu() && self.layout() == Layout::Strided,
            "cannot pin 'torch.{}{}Tensor' only dense CPU tensors can be pinned",
            self.is_cpu() ? "" : fmt::format("{}.", Device(self.device().type)), self.dtype());
  CudaHooks* const hooks = cuda_hooks();
  TSC_CHECK(hooks != nullptr, "this program was built without CUDA, which pins memory");
  void* const memory = hooks->allocate_pinned(std::max<size_t>(1, self.nbytes()));
  const Tensor line = from_blob(memory, {self.numel()}, self.dtype(),
                                [hooks, memory] { hooks->free_pinned(memory); });
  const Tensor result = view_tensor(line, self.sizes(), dense_strides_like(self), 0);
  copy_elements(result, self);
  return result;
}

Tensor pinned_result(const Tensor& result) {
  TSC_CHECK(result.is_cpu() && result.layout() == Layout::Strided,
            "Only dense CPU tensors can be pinned");
  return copy_to_pinned(result);
}

}  // namespace tsc
