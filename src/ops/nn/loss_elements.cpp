// Losses of elements, composed of other operators.
#include "core/tensor_factory.h"
#include "gen/calls/abs.h"
#include "gen/calls/add.h"
#include "gen/calls/all.h"
#include "gen/calls/clamp_min.h"
#include "gen/calls/ge.h"
#include "gen/calls/le.h"
#include "gen/calls/log.h"
#include "gen/calls/log1p.h"
#include "gen/calls/log_sigmoid.h"
#include "gen/calls/logical_and.h"
#include "gen/calls/mul.h"
#include "gen/calls/neg.h"
#include "gen/calls/rsub.h"
#include "gen/calls/sub.h"
#include "gen/ops/loss.h"
#include "gen/ops/loss_native.h"
#include "ops/nn/loss_reduction.h"

namespace tsc::native {
namespace {

Tensor weighted(const Tensor& losses, OptionalTensorRef weight) {
  return weight.has_value() ? mul(losses, *weight) : losses;
}

void check_probabilities(const Tensor& tensor, const char* name) {
  if (tensor.is_meta()) {
    return;
  }
  const Tensor inside = logical_and(ge(tensor, 0), le(tensor, 1));
  TSC_CHECK(holds(all(inside)), "all elements of {} should be between 0 and 1", name);
}

}  // namespace

Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  return reduce_losses(abs(sub(self, target)), reduction);
}

Tensor binary_cross_entropy(const Tensor& self, const Tensor& target, OptionalTensorRef weight,
                            int64_t reduction) {
  check_probabilities(self, "input");
  check_probabilities(target, "target");
  // Logarithms are clamped to -100, so that a loss is never infinite.
  const Tensor hit = mul(target, clamp_min(log(self), -100));
  const Tensor miss = mul(rsub(target, 1), clamp_min(log1p(neg(self)), -100));
  return reduce_losses(weighted(neg(add(hit, miss)), weight), reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target,
                                        OptionalTensorRef weight, OptionalTensorRef pos_weight,
                                        int64_t reduction) {
  const Tensor log_probability = log_sigmoid(self);
  const Tensor miss = mul(rsub(target, 1), self);
  const Tensor hit = pos_weight.has_value()
                         ? mul(add(mul(sub(*pos_weight, 1), target), 1), log_probability)
                         : log_probability;
  return reduce_losses(weighted(sub(miss, hit), weight), reduction);
}

}  // namespace tsc::native
