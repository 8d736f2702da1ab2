#include "ops/number_on_left.h"

#include "core/tensor_factory.h"
#include "gen/ops/binary.h"
#include "gen/ops/copy.h"
#include "gen/ops/factory.h"
#include "ops/modes.h"

namespace tsc {

namespace {

Tensor filled_like(const Tensor& tensor, const Scalar& number) {
  return fill_(empty_like(tensor, {}, MemoryFormat::Preserve), number);
}

}  // namespace

Tensor number_minus(const Scalar& number, const Tensor& tensor) {
  return is_mode_on() ? sub_(filled_like(tensor, number), tensor) : rsub(tensor, number);
}

Tensor number_over(const Scalar& number, const Tensor& tensor) {
  return is_mode_on() ? div_(filled_like(tensor, number), tensor)
                      : div(wrapped_number_tensor(number), tensor);
}

}  // namespace tsc
