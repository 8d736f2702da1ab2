#include "ops/autogen.h"
#include "gen/ops/copy.h"
#include "ops/resize.h"
#include "ops/result_type.h"

namespace tsc {

const Tensor& store_result(const Tensor& result, const Tensor& out) {
  check_result_cast(result.dtype(), out.dtype());
  resize_output(out, result.sizes());
  return copy_(out, result);
}

const Tensor& store_in_place(const Tensor& result, const Tensor& self) {
  check_result_cast(result.dtype(), self.dtype());
  return copy_(self, result);
}

}  // namespace tsc
