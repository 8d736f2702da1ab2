// Losses of elements, composed of other operators.
#include "core/tensor_factory.h"
#include "gen/calls/abs.h"
#include "gen/calls/add.h"
#include "gen/calls/all.h"
#include "gen/calls/clamp_min.h"
#include "gen/calls/div.h"
#include "gen/calls/ge.h"
#include "gen/calls/le.h"
#include "gen/calls/log.h"
#include "gen/calls/log1p.h"
#include "gen/calls/log_sigmoid.h"
#include "gen/calls/logical_and.h"
#include "gen/calls/lt.h"
#include "gen/calls/mul.h"
#include "gen/calls/neg.h"
#include "gen/calls/rsub.h"
#include "gen/calls/sub.h"
#include "gen/calls/to.h"
#include "gen/calls/where.h"
#include "gen/ops/loss.h"
#include "gen/ops/loss_native.h"
#include "ops/cpu/pointwise/arithmetic_list.h"
#include "ops/nn/loss_reduction.h"
#include "ops/structured/elementwise.h"
#include "ops/structured/tensor_iterator.h"

namespace tsc::native {
namespace {

Tensor weighted(const Tensor& losses, OptionalTensorRef weight) {
  return weight.has_value() ? mul(losses, *weight) : losses;
}

// Losses of two tensors in one pass, by a formula. (float16 and bfloat16 differ in where they round.)
Tensor losses_of(cpu::Ufunc formula, const Tensor& self, const Tensor& target, double bound,
                 const char* name) {
  Tensor losses;
  TensorIterator iterator;
  iterator.allocate_outputs(self.device().type, losses);
  iterator.build_binary_op(self, target);
  if (!iterator.is_meta()) {
    run_elementwise(iterator, formula, name, Scalar(bound));
  }
  return losses;
}
bool has_formula(const Tensor& self, const Tensor& target) {
  const auto fits = [](const Tensor& tensor) {
    return (tensor.dtype() == ScalarType::Float || tensor.dtype() == ScalarType::Double) &&
           (tensor.device().type == DeviceType::CPU || tensor.is_meta());
  };
  return fits(self) && fits(target);
}

// d * d / (2 * beta) below the bound, and its smooth linear continuation above.
Tensor rounded_distance(const Tensor& self, const Tensor& target, double bound) {
  const Tensor distance = abs(sub(self, target));
  const Tensor inside = div(mul(mul(distance, 0.5), distance), bound);
  return where(lt(distance, bound), inside, sub(distance, 0.5 * bound));
}

// Losses of two tensors; those of `dtype` are computed in float32 and rounded once, at the end.
template <class F>
Tensor round_once(ScalarType dtype, const Tensor& self, const Tensor& target, F losses) {
  if (self.dtype() != dtype || target.dtype() != dtype) {
    return losses(self, target);
  }
  return to(losses(to(self, ScalarType::Float), to(target, ScalarType::Float)), dtype);
}

void check_probabilities(const Tensor& tensor, const char* name) {
  if (tensor.is_meta()) {
    return;
  }
  const Tensor inside = logical_and(ge(tensor, 0), le(tensor, 1));
  TSC_CHECK(read_scalar(all(inside)).to_bool(), "all elements of {} should be between 0 and 1",
            name);
}

}  // namespace

Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  return reduce_losses(abs(sub(self, target)), reduction);
}

Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction, double beta) {
  TSC_CHECK(beta >= 0, "smooth_l1_loss does not support negative values for beta.");
  if (beta == 0) {
    return tsc::l1_loss(self, target, reduction);
  }
  if (has_formula(self, target)) {
    return reduce_losses(losses_of(cpu::ufuncs::smooth_l1, self, target, beta, "smooth_l1_cpu"),
                         reduction);
  }
  const auto losses = [&](const Tensor& a, const Tensor& b) {
    return rounded_distance(a, b, beta);
  };
  return reduce_losses(round_once(ScalarType::BFloat16, self, target, losses), reduction);
}

Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction, double delta) {
  TSC_CHECK(delta > 0, "huber_loss does not support non-positive values for delta.");
  if (has_formula(self, target)) {
    return reduce_losses(losses_of(cpu::ufuncs::huber, self, target, delta, "huber_cpu"),
                         reduction);
  }
  const auto losses = [&](const Tensor& a, const Tensor& b) {
    const Tensor distance = abs(sub(a, b));
    const Tensor inside = mul(mul(distance, 0.5), distance);
    const Tensor outside = mul(sub(distance, 0.5 * delta), delta);
    return where(le(distance, delta), inside, outside);
  };
  return reduce_losses(round_once(ScalarType::Half, self, target, losses), reduction);
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
