// Losses that are made of other operators.
#include "gen/calls/add.h"
#include "gen/calls/bitwise_not.h"
#include "gen/calls/div.h"
#include "gen/calls/eq.h"
#include "gen/calls/index_select.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/masked_select.h"
#include "gen/calls/mul.h"
#include "gen/calls/neg.h"
#include "gen/calls/reshape.h"
#include "gen/calls/sub.h"
#include "gen/calls/sum.h"
#include "gen/calls/view.h"
#include "gen/ops/nn.h"
#include "gen/ops/nn_native.h"

namespace tsc::native {
namespace {

enum Reduction : int64_t { kNone = 0, kMean = 1, kSum = 2 };

int64_t class_dim(const Tensor& input) { return input.dim() == 1 ? 0 : 1; }

// One weight for each class, in a shape that broadcasts to the input.
Tensor weight_for(const Tensor& input, const Tensor& weight) {
  DimVector sizes(static_cast<size_t>(input.dim()), 1);
  sizes[static_cast<size_t>(class_dim(input))] = weight.sizes()[0];
  return view(weight, sizes);
}

Tensor cross_entropy_with_probabilities(const Tensor& self, const Tensor& target,
                                        OptionalTensorRef weight, int64_t reduction,
                                        double label_smoothing) {
  const int64_t dim = class_dim(self);
  TSC_CHECK(is_floating_point(target.dtype()),
            "Expected floating point type for target with class probabilities, got {}",
            target.dtype());
  TSC_CHECK(!weight.has_value() || (weight->dim() == 1 && weight->numel() == self.size(dim)),
            "cross_entropy: weight tensor should be defined either for all {} classes or no "
            "classes but got weight tensor of shape: {}",
            self.size(dim), weight.has_value() ? weight->sizes() : IntArrayRef());
  const Tensor input = tsc::log_softmax(self, dim, self.dtype());
  const int64_t classes = input.size(dim);
  Tensor wanted = target;
  if (label_smoothing > 0) {
    wanted = add(mul(target, Scalar(1 - label_smoothing)),
                 Scalar(label_smoothing / static_cast<double>(classes)));
  }
  Tensor products = mul(input, wanted);
  if (weight.has_value()) {
    products = mul(products, weight_for(input, *weight));
  }
  if (reduction == kNone) {
    return neg(sum(products, {dim}));
  }
  const Tensor total = neg(sum(products));
  // As for any mean of nothing, the loss of an empty input is NaN.
  return reduction == kSum ? total
                           : div(total, Scalar(input.numel() / std::max<int64_t>(classes, 1)));
}

Tensor cross_entropy_with_smoothing(const Tensor& self, const Tensor& target,
                                    OptionalTensorRef weight, int64_t reduction,
                                    int64_t ignore_index, double label_smoothing) {
  const int64_t dim = class_dim(self);
  const Tensor input = tsc::log_softmax(self, dim, self.dtype());
  const Tensor hard = tsc::nll_loss_nd(input, target, weight, reduction, ignore_index);
  Tensor smooth = weight.has_value() ? neg(sum(mul(input, weight_for(input, *weight)), {dim}))
                                     : neg(sum(input, {dim}));
  const Tensor ignored = eq(target, Scalar(ignore_index));
  smooth = masked_fill_(smooth, ignored, Scalar(0.0));
  if (reduction == kMean) {
    const Tensor counted = bitwise_not(ignored);
    const Tensor divisor = weight.has_value()
                               ? sum(index_select(*weight, 0, masked_select(target, counted)))
                               : sum(counted);
    smooth = div(sum(smooth), divisor);
  } else if (reduction == kSum) {
    smooth = sum(smooth);
  }
  const double share = label_smoothing / static_cast<double>(input.size(dim));
  return add(mul(hard, Scalar(1 - label_smoothing)), mul(smooth, Scalar(share)));
}

}  // namespace

Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, OptionalTensorRef weight,
                          int64_t reduction, int64_t ignore_index, double label_smoothing) {
  if (self.sizes() == target.sizes()) {
    TSC_CHECK(ignore_index < 0, "ignore_index is not supported for floating point target");
    return cross_entropy_with_probabilities(self, target, weight, reduction, label_smoothing);
  }
  if (label_smoothing > 0) {
    TSC_CHECK(label_smoothing <= 1, "label_smoothing must be between 0.0 and 1.0. Got: {}",
              label_smoothing);
    return cross_entropy_with_smoothing(self, target, weight, reduction, ignore_index,
                                        label_smoothing);
  }
  return tsc::nll_loss_nd(tsc::log_softmax(self, class_dim(self), self.dtype()), target, weight,
                          reduction, ignore_index);
}

Tensor nll_loss(const Tensor& self, const Tensor& target, OptionalTensorRef weight,
                int64_t reduction, int64_t ignore_index) {
  return std::get<0>(nll_loss_forward(self, target, weight, reduction, ignore_index));
}

Tensor nll_loss2d(const Tensor& self, const Tensor& target, OptionalTensorRef weight,
                  int64_t reduction, int64_t ignore_index) {
  return std::get<0>(tsc::nll_loss2d_forward(self, target, weight, reduction, ignore_index));
}

Tensor nll_loss_nd(const Tensor& self, const Tensor& target, OptionalTensorRef weight,
                   int64_t reduction, int64_t ignore_index) {
  TSC_CHECK_VALUE(self.dim() >= 1, "Expected 1 or more dimensions (got {})", self.dim());
  TSC_CHECK_VALUE(self.dim() == 1 || (target.dim() >= 1 && self.sizes()[0] == target.sizes()[0]),
                  "Expected input batch_size ({}) to match target batch_size ({}).",
                  self.sizes()[0], target.dim() == 0 ? 0 : target.sizes()[0]);
  if (self.dim() <= 2) {
    return tsc::nll_loss(self, target, weight, reduction, ignore_index);
  }
  if (self.dim() == 4) {
    return tsc::nll_loss2d(self, target, weight, reduction, ignore_index);
  }
  // Other shapes are viewed as images of one row.
  const int64_t batch = self.sizes()[0];
  const int64_t classes = self.sizes()[1];
  DimVector out_sizes(self.sizes());
  out_sizes.erase(out_sizes.begin() + 1);
  TSC_CHECK(IntArrayRef(out_sizes) == target.sizes(), "Expected target size {}, got {}",
            IntArrayRef(out_sizes), target.sizes());
  const bool empty = self.numel() == 0;
  const Tensor input = reshape(self, {batch, classes, 1, empty ? 0 : -1});
  const Tensor labels = reshape(target, {batch, 1, empty ? 0 : -1});
  const Tensor loss = tsc::nll_loss2d(input, labels, weight, reduction, ignore_index);
  return reduction == kNone ? view(loss, out_sizes) : loss;
}

Tensor mse_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                         int64_t reduction) {
  const double factor = reduction == kMean ? 2.0 / static_cast<double>(self.numel()) : 2.0;
  return mul(mul(sub(self, target), grad_output), Scalar(factor));
}

}  // namespace tsc::native
