// The Functionalize column: calls that write become functional calls, whose results take the place
// of the tensors that were written.
//
//   plain tensors         add_(x, 1) runs as add(x, 1), then copy_(x, ...)
//   in a Functionalized   tensors are functional ones (functional_tensor.h): no write and no view
//                         is left; changed inputs are copied back at the end
#pragma once

#include "keys/functional_tensor.h"

namespace tsc::keys {

// Until the end of the scope, new tensors are functional. Calls below the column run as if they
// came from outside of the scope, autograd and modes included. `keeps_views`: views are not turned
// into copies.
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
// True inside of a Functionalized scope of this thread.
TSC_API bool is_functionalizing();

// A functional tensor of `tensor`, which is never written.
TSC_API Tensor to_functional(const Tensor& tensor);
// The tensor without the writes that were not applied yet; a plain one as it is.
TSC_API Tensor from_functional(const Tensor& tensor);
// Copies the values written to `functional`, which was made from `tensor`, to `tensor`.
TSC_API void copy_back(const Tensor& functional, const Tensor& tensor);

void functionalize_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::keys
