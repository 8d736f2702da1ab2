// Losses of distances and margins, composed of other operators.
#include <cmath>
#include <numbers>

#include "core/dispatch_types.h"
#include "core/keys/thread_local_state.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/add.h"
#include "gen/calls/any.h"
#include "gen/calls/broadcast_tensors.h"
#include "gen/calls/clamp_min.h"
#include "gen/calls/clone.h"
#include "gen/calls/detach.h"
#include "gen/calls/div.h"
#include "gen/calls/eq.h"
#include "gen/calls/exp.h"
#include "gen/calls/gather.h"
#include "gen/calls/gt.h"
#include "gen/calls/index_select.h"
#include "gen/calls/is_floating_point.h"
#include "gen/calls/le.h"
#include "gen/calls/linalg_vector_norm.h"
#include "gen/calls/log.h"
#include "gen/calls/log1p.h"
#include "gen/calls/lt.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/mean.h"
#include "gen/calls/minimum.h"
#include "gen/calls/mul.h"
#include "gen/calls/ne.h"
#include "gen/calls/neg.h"
#include "gen/calls/norm.h"
#include "gen/calls/reshape.h"
#include "gen/calls/scalar_tensor.h"
#include "gen/calls/scatter.h"
#include "gen/calls/sigmoid.h"
#include "gen/calls/sqrt.h"
#include "gen/calls/square.h"
#include "gen/calls/sub.h"
#include "gen/calls/sum.h"
#include "gen/calls/to.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/where.h"
#include "gen/calls/xlogy.h"
#include "gen/calls/zeros_like.h"
#include "gen/ops/loss.h"
#include "gen/ops/loss_native.h"
#include "ops/cpu/kernels.h"
#include "ops/nn/loss_reduction.h"
#include "ops/pointwise/number_on_left.h"
#include "ops/structured/device_map.h"
#include "ops/structured/fill.h"
#include "ops/structured/result_type.h"

namespace tsc::native {
namespace {

void check_triplet(const Tensor& anchor, const Tensor& positive, const Tensor& negative) {
  TSC_CHECK(anchor.dim() == positive.dim() && anchor.dim() == negative.dim(),
            "The anchor, positive, and negative tensors are expected to have the same number of "
            "dimensions, but got: anchor {}D, positive {}D, and negative {}D inputs",
            anchor.dim(), positive.dim(), negative.dim());
}

// The amounts by which each class's score exceeds the target's less the margin.
struct MultiMargin {
  MultiMargin(const Tensor& scores, const Tensor& targets, const Scalar& margin) {
    const int64_t batch = scores.dim() == 2 ? scores.size(0) : 1;
    const Tensor rows = reshape(scores, {batch, -1});
    places = reshape(targets, {batch, 1});
    distances = add(sub(rows, gather(rows, 1, places)), margin);
  }
  Tensor weights_of_targets(const Tensor& weight) const {
    return reshape(index_select(weight, 0, reshape(places, {-1})), places.sizes());
  }

  Tensor places;
  Tensor distances;
};

// multi_margin_loss of contiguous rows on the CPU: the mean over the classes of each row.
template <class T>
struct MarginRows {
  const T* scores;
  const int64_t* targets;
  const T* weight;  // null: every class counts one
  int64_t classes;
  T margin;
  bool squares;

  T loss(int64_t row) const {
    const T* const score = scores + row * classes;
    const int64_t target = targets[row];
    TSC_CHECK(target >= 0 && target < classes, "target out of range");
    const T least = margin - score[target];
    T sum = 0;
    const auto add = [&](int64_t begin, int64_t end, auto excess_of) {
      for (int64_t i = begin; i < end; i++) {
        const T distance = least + score[i];
        sum += distance > 0 ? excess_of(distance) : T(0);
      }
    };
    const auto add_others = [&](auto excess_of) {
      add(0, target, excess_of);
      add(target + 1, classes, excess_of);
    };
    if (weight == nullptr && !squares) {
      add_others([](T distance) { return distance; });
    } else {
      const T factor = weight == nullptr ? T(1) : weight[target];
      add_others([&](T distance) { return (squares ? distance * distance : distance) * factor; });
    }
    return sum / static_cast<T>(classes);
  }
};

// The sum or mean of losses, which is added up in double.
template <class T>
void reduce_rows(const Tensor& losses, int64_t reduction, const Tensor& out) {
  const T* const from = losses.data_ptr<T>();
  double sum = 0;
  for_pieces(losses.numel(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      sum += static_cast<double>(from[i]);
    }
  });
  const auto count = static_cast<double>(losses.numel());
  *out.data_ptr<T>() = static_cast<T>(reduction == kMeanReduction ? sum / count : sum);
}

Tensor margin_losses(const Tensor& self, const Tensor& target, bool squares, const Scalar& margin,
                     OptionalTensorRef weight, int64_t reduction) {
  const int64_t batch = target.numel();
  const Tensor scores = contiguous_as(self, self.dtype());
  const Tensor targets = contiguous_as(target, ScalarType::Long);
  const Tensor weights = weight.has_value() ? contiguous_as(*weight, self.dtype()) : Tensor();
  Tensor losses = empty_tensor(target.sizes(), self.dtype());
  const bool is_reduced = reduction != kNoReduction;
  const Tensor out = is_reduced ? empty_tensor(IntArrayRef(), self.dtype()) : losses;
  dispatch_floating_types(self.dtype(), "multi_margin_loss", [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>) {
      const MarginRows<T> rows{scores.data_ptr<T>(),
                               targets.data_ptr<int64_t>(),
                               weights.defined() ? weights.data_ptr<T>() : nullptr,
                               self.numel() / batch,
                               margin.to<T>(),
                               squares};
      T* const to = losses.data_ptr<T>();
      parallel_for(0, batch, std::max<int64_t>(1, kParallelGrain / (2 * rows.classes)),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t row = begin; row < end; row++) {
                       throw_if_interrupted();
                       to[row] = rows.loss(row);
                     }
                   });
      if (is_reduced) {
        reduce_rows<T>(losses, reduction, out);
      }
    }
  });
  return out;
}

// The same on a device: a row a thread.
Tensor margin_losses_on_device(const Tensor& self, const Tensor& target, bool squares,
                               const Scalar& margin, OptionalTensorRef weight, int64_t reduction) {
  const int64_t batch = target.numel();
  const Tensor losses = empty_tensor(target.sizes(), self.dtype(), self.device());
  run_device_map(
      {self.device(),
       "losses",
       "multi_margin_loss",
       cpu::compute_type(self.dtype()),
       batch,
       {losses, contiguous_as(self, self.dtype()), contiguous_as(target, ScalarType::Long),
        weight.has_value() ? contiguous_as(*weight, self.dtype()) : Tensor()},
       {self.numel() / batch, squares ? 1 : 0},
       {margin.to_double()}});
  return reduce_losses(losses, reduction);
}
Tensor margin_gradients_on_device(const Tensor& grad_output, const Tensor& self,
                                  const Tensor& target, bool squares, const Scalar& margin,
                                  OptionalTensorRef weight, int64_t reduction) {
  const int64_t batch = target.numel();
  const int64_t classes = self.numel() / batch;
  const Tensor gradients = empty_tensor(self.sizes(), self.dtype(), self.device());
  const int64_t examples = reduction == kMeanReduction ? batch : 1;
  run_device_map(
      {self.device(),
       "losses",
       "multi_margin_loss_backward",
       cpu::compute_type(self.dtype()),
       batch,
       {gradients, contiguous_as(self, self.dtype()), contiguous_as(target, ScalarType::Long),
        weight.has_value() ? contiguous_as(*weight, self.dtype()) : Tensor(),
        contiguous_as(grad_output, self.dtype())},
       {classes, squares ? 1 : 0, grad_output.numel() > 1 ? 1 : 0},
       {margin.to_double(), static_cast<double>(classes * examples)}});
  return gradients;
}
}  // namespace

Tensor kl_div(const Tensor& self, const Tensor& target, int64_t reduction, bool log_target) {
  TSC_CHECK(!self.is_complex() && !target.is_complex(),
            "kl_div: input and target should not be complex");
  const Tensor losses = log_target ? mul(exp(target), sub(target, self))
                                   : sub(xlogy(target, target), mul(target, self));
  return reduce_losses(losses, reduction);
}

Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin,
                            int64_t reduction) {
  const Tensor none = zeros_like(self, {}, MemoryFormat::Contiguous);
  const Tensor short_of_margin = clamp_min_(number_minus(Scalar(margin), self), Scalar(0));
  const Tensor far = where(ne(target, Scalar(1)), short_of_margin, none);
  const Tensor near = where(ne(target, Scalar(-1)), self, none);
  return reduce_losses(add(far, near), reduction);
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           double margin, int64_t reduction) {
  TSC_CHECK(input1.dim() == input2.dim() && input1.dim() == target.dim(),
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            "input1: {}, input2: {}, target: {} ",
            input1.sizes(), input2.sizes(), target.sizes());
  const Tensor wrong = mul(neg(target), sub(input1, input2));
  return reduce_losses(clamp_min_(add(wrong, Scalar(margin)), Scalar(0)), reduction);
}

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                        double eps, int64_t reduction) {
  Tensor losses = log_input ? sub(exp(input), mul(target, input))
                            : sub(input, mul(target, log(add(input, Scalar(eps)))));
  if (full) {
    // Stirling's approximation of the logarithm of the factorial.
    const Tensor stirling = add(sub(mul(target, log(target)), target),
                                mul(log(mul(target, Scalar(2 * std::numbers::pi))), Scalar(0.5)));
    add_(losses, masked_fill(stirling, le(target, Scalar(1)), Scalar(0)));
  }
  return reduce_losses(losses, reduction);
}

Tensor _gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var, bool full,
                          double eps, int64_t reduction) {
  Tensor variance = var;
  if (!(var.sizes() == input.sizes()) && var.dim() + 1 == input.dim() &&
      var.sizes() == input.sizes().slice(0, var.sizes().size())) {
    variance = unsqueeze(var, -1);
  }
  TSC_CHECK_VALUE(var.is_meta() || !holds(any(lt(var, Scalar(0)))),
                  "var has negative entry/entries");
  const auto fits = [](int64_t own, int64_t size) { return own == size || own == 1; };
  TSC_CHECK_VALUE(std::equal(variance.sizes().begin(), variance.sizes().end(),
                             input.sizes().begin(), input.sizes().end(), fits),
                  "var is of incorrect size");
  // Raises the variance to eps without changing the gradient.
  const Tensor raised = sub(clamp_min(detach(variance), Scalar(eps)), detach(variance));
  const Tensor bounded = add(variance, raised);
  const Tensor distance = sub(input, target);
  Tensor losses = mul(add(log(bounded), div(mul(distance, distance), bounded)), Scalar(0.5));
  if (full) {
    losses = add(losses, Scalar(0.5 * std::log(2 * std::numbers::pi)));
  }
  return reduce_losses(losses, reduction);
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
  const int64_t last = std::max(x1.dim(), x2.dim()) - 1;
  return norm(add(sub(x1, x2), Scalar(eps)), Scalar(p), IntArrayRef(last), keepdim);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin, double p, double eps, bool swap, int64_t reduction) {
  check_triplet(anchor, positive, negative);
  const Tensor near = tsc::pairwise_distance(anchor, positive, p, eps);
  Tensor far = tsc::pairwise_distance(anchor, negative, p, eps);
  if (swap) {
    far = minimum(far, tsc::pairwise_distance(positive, negative, p, eps));
  }
  return reduce_losses(clamp_min(sub(add(near, Scalar(margin)), far), Scalar(0)), reduction);
}

Tensor soft_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  return reduce_losses(log1p(exp(mul(neg(target), self))), reduction);
}
Tensor soft_margin_loss_backward(const Tensor& grad_output, const Tensor& self,
                                 const Tensor& target, int64_t reduction) {
  const Tensor sign = neg(target);
  const Tensor slope = mul(mul(sigmoid(mul(sign, self)), sign), grad_output);
  return reduction == kMeanReduction ? div(slope, Scalar(slope.numel())) : slope;
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             double margin, int64_t reduction) {
  check_single_target(target);
  const int64_t dims = target.dim() + 1;
  TSC_CHECK(input1.dim() == dims && input2.dim() == dims,
            "{}D target tensor expects {}D input tensors, but found inputs with sizes {} and {}.",
            target.dim(), dims, input1.sizes(), input2.sizes());
  const int64_t dim = target.dim();
  const auto square = [&](const Tensor& x) {
    return add(sum(mul(x, x), IntArrayRef(dim)), Scalar(double{1e-12F}));
  };
  const Tensor product = sum(mul(input1, input2), IntArrayRef(dim));
  const Tensor square1 = square(input1);
  const Tensor lengths = sqrt_(mul(square1, square(input2)));
  const Tensor cosine = div(product, lengths);
  const Tensor none = zeros_like(cosine, {}, MemoryFormat::Contiguous);
  const Tensor distance = number_minus(Scalar(1), cosine);
  const Tensor above = clamp_min_(sub(cosine, Scalar(margin)), Scalar(0));
  const Tensor near = where(eq(target, Scalar(1)), distance, none);
  return reduce_losses(add(near, where(eq(target, Scalar(-1)), above, none)), reduction);
}

Tensor multi_margin_loss(const Tensor& self, const Tensor& target, const Scalar& p,
                         const Scalar& margin, OptionalTensorRef weight, int64_t reduction) {
  TSC_CHECK_VALUE(p.to_double() == 1 || p.to_double() == 2, "only p == 1 and p == 2 supported");
  const int64_t batch = self.dim() == 2 ? self.size(0) : 1;
  TSC_CHECK(self.dim() <= 2 && self.numel() > 0,
            "Expected non-empty vector or matrix with optional 0-dim batch size, but got: {}",
            self.sizes());
  TSC_CHECK(target.dim() <= 1 && target.numel() == batch,
            "inconsistent target size, expected {} but got {}", batch, target.sizes());
  if (TSC_UNLIKELY(is_on_device(self)) && is_floating_point(self.dtype())) {
    return margin_losses_on_device(self, target, p.to_double() == 2, margin, weight, reduction);
  }
  if (is_reduced_floating_point(self.dtype())) {
    throw_dtype_not_implemented("multi_margin_loss_cpu_kernel", self.dtype());
  }
  if (!self.is_meta() && is_floating_point(self.dtype())) {
    return margin_losses(self, target, p.to_double() == 2, margin, weight, reduction);
  }
  const MultiMargin margins(self, target, margin);
  Tensor losses = clamp_min(margins.distances, Scalar(0));
  losses = p.to_double() == 2 ? mul(losses, losses) : losses;
  if (weight.has_value()) {
    losses = mul(losses, margins.weights_of_targets(*weight));
  }
  losses = mean(scatter(losses, 1, margins.places, Scalar(0)), IntArrayRef(1));
  return reduce_losses(target.dim() == 0 ? reshape(losses, {}) : losses, reduction);
}

Tensor multi_margin_loss_backward(const Tensor& grad_output, const Tensor& self,
                                  const Tensor& target, const Scalar& p, const Scalar& margin,
                                  OptionalTensorRef weight, int64_t reduction) {
  if (TSC_UNLIKELY(is_on_device(self)) && is_floating_point(self.dtype()) && self.numel() > 0) {
    return margin_gradients_on_device(grad_output, self, target, p.to_double() == 2, margin, weight,
                                      reduction);
  }
  const MultiMargin margins(self, target, margin);
  const Tensor& distances = margins.distances;
  Tensor slopes = p.to_double() == 2 ? mul(clamp_min(distances, Scalar(0)), Scalar(2))
                                     : to(gt(distances, Scalar(0)), self.dtype());
  if (weight.has_value()) {
    slopes = mul(slopes, margins.weights_of_targets(*weight));
  }
  // The target's gradient is minus the sum of the others'.
  slopes = scatter(slopes, 1, margins.places, Scalar(0));
  slopes = scatter(slopes, 1, margins.places, neg(sum(slopes, IntArrayRef(1), true)));
  const Tensor grad = grad_output.dim() == 1 ? unsqueeze(grad_output, 1) : grad_output;
  const int64_t examples = reduction == kMeanReduction ? slopes.size(0) : 1;
  return reshape(div(mul(slopes, grad), Scalar(slopes.size(1) * examples)), self.sizes());
}

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  const ScalarType dtype = promoted_type(x1, x2);
  TSC_CHECK(is_floating_point(dtype),
            "expected common dtype to be floating point, yet common dtype is {}", dtype);
  const std::vector<Tensor> both = broadcast_tensors({to(x1, dtype), to(x2, dtype)});
  const auto length = [&](const Tensor& x) {
    return clone(linalg_vector_norm(x, Scalar(2), IntArrayRef(dim), true));
  };
  const Tensor length1 = length(both[0]);
  const Tensor length2 = length(both[1]);
  {
    // The bound is not part of the gradient.
    const AutoGradMode off(false);
    const Tensor least = scalar_tensor(Scalar(eps), {dtype, std::nullopt, x1.device()});
    clamp_min_(length1, least);
    clamp_min_(length2, least);
  }
  const Tensor unit2 = div(both[1], length2);
  return sum(mul(div(both[0], length1), unit2), IntArrayRef(dim));
}

}  // namespace tsc::native
