#include "ops/inner_call.h"

#include "core/tensor_factory.h"
#include "dispatch/route.h"
#include "gen/ops/copy.h"
#include "gen/ops/factory.h"

namespace tsc {

const Tensor& shown_conversion(const Tensor& tensor, ScalarType dtype) {
  WatchedHop* hop = WatchedHop::innermost();
  if (!shows_inner_calls() || hop == nullptr || tensor.dtype() == dtype) {
    return tensor;
  }
  const InnerCallScope scope;
  return hop->keep(to(tensor, dtype));
}

void show_conversion(const Tensor& tensor, ScalarType dtype) {
  if (shows_inner_calls()) {
    const InnerCallScope scope;
    to(tensor, dtype);
  }
}

Tensor shown_empty(IntArrayRef sizes, ScalarType dtype, Device device) {
  if (!shows_inner_calls()) {
    return empty_tensor(sizes, dtype, device);
  }
  const InnerCallScope scope;
  return empty(sizes, TensorOptions(dtype, Layout::Strided, device));
}

}  // namespace tsc
