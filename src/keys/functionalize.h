// The Functionalize column: writes become functions whose results take the place of what was
// written.
//
//   on plain tensors      add_(x, 1) runs as add(x, 1), and copy_(x, ...)
//   in a Functionalized   the tensors are functional ones (functional_tensor.h): neither a write
//   nor
//                         a view is left, and what was written is copied back at the end
#pragma once

#include "keys/functional_tensor.h"

namespace tsc::keys {

// Until the end of the scope: what is made is functional. Calls below it run as if they came from
// outside of the scope, autograd and modes included. `keeps_views`: views stay what they are.
class TSC_API Functionalized {
 public:
  explicit Functionalized(bool keeps_views);
  ~Functionalized();
  Functionalized(const Functionalized&) = delete;
  Functionalized& operator=(const Functionalized&) = delete;

 private:
  ThreadLocalState saved_;
  const ThreadLocalState* outer_;
  bool keeps_views_;
};
TSC_API bool is_functionalizing();

// A functional tensor of `tensor`, which is never written.
TSC_API Tensor to_functional(const Tensor& tensor);
// The tensor without the writes that were not applied yet; a plain one as it is.
TSC_API Tensor from_functional(const Tensor& tensor);
// Copies what was written to `functional`, which was made of `tensor`, to that one.
TSC_API void copy_back(const Tensor& functional, const Tensor& tensor);

void functionalize_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::keys
