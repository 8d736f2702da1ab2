#include "ops/pointwise/number_on_left.h"

#include "core/tensor_factory.h"
#include "gen/calls/div.h"
#include "gen/calls/empty_like.h"
#include "gen/calls/fill.h"
#include "gen/calls/rsub.h"
#include "gen/calls/sub.h"
#include "ops/structured/modes.h"

namespace tsc {

namespace {

Tensor filled_like(const Tensor& tensor, const Scalar& number) {
  return fill_(empty_like(tensor, {}, MemoryFormat::Preserve), number);
}

}  // namespace

Tensor number_minus(const Scalar& number, const Tensor& tensor) {
  return calls_are_replayed() ? sub_(filled_like(tensor, number), tensor) : rsub(tensor, number);
}

Tensor number_over(const Scalar& number, const Tensor& tensor) {
  return calls_are_replayed() ? div_(filled_like(tensor, number), tensor)
                              : div(wrapped_number_tensor(number), tensor);
}

}  // namespace tsc
