// dropout in its forms. All draw a mask of ones and zeros, of whole channels in the feature forms;
// the alpha forms replace dropped elements by a value that keeps mean and variance.
#include <cmath>

#include "core/small_vector.h"
#include "gen/calls/add.h"
#include "gen/calls/clone.h"
#include "gen/calls/div.h"
#include "gen/calls/empty.h"
#include "gen/calls/empty_like.h"
#include "gen/calls/mul.h"
#include "gen/calls/ones_like.h"
#include "gen/calls/zeros.h"
#include "gen/ops/random.h"
#include "gen/ops/random_native.h"

namespace tsc::native {
namespace {

struct Kind {
  bool features;
  bool alpha;
};
constexpr Kind kPlain{false, false};
constexpr Kind kFeatures{true, false};
constexpr Kind kAlpha{false, true};
constexpr Kind kFeatureAlpha{true, true};

// Complex numbers are kept or dropped as a whole, so the mask is real.
Tensor empty_mask(const Tensor& input, bool features) {
  const ScalarType real = to_real_value_type(input.dtype());
  if (!features) {
    return real == input.dtype() ? empty_like(input) : empty_like(input, TensorOptions(real));
  }
  TSC_CHECK(input.dim() >= 2, "Feature dropout requires at least 2 dimensions in the input");
  DimVector sizes(static_cast<size_t>(input.dim()), 1);
  sizes[0] = input.size(0);
  sizes[1] = input.size(1);
  return empty(sizes, input.options().dtype(real));
}

// With `in_place` the result is `input` itself.
Tensor drop(const Tensor& input, double p, bool train, Kind kind, bool in_place) {
  TSC_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got {}", p);
  if (p == 0 || !train || input.numel() == 0) {
    return input;
  }
  const auto times = [&](const Tensor& factor) {
    return in_place ? mul_(input, factor) : mul(input, factor);
  };
  if (p == 1) {
    return times(tsc::zeros({}, input.options()));
  }
  const Tensor mask = tsc::bernoulli_(empty_mask(input, kind.features), 1 - p);
  if (!kind.alpha) {
    return times(div_(mask, 1 - p));
  }
  // The negative saturation of selu.
  constexpr double kAlphaPrime = 1.7580993408473766;
  const double scale = 1 / std::sqrt((kAlphaPrime * kAlphaPrime * p + 1) * (1 - p));
  const Tensor moved_by = add_(mul_(add(mask, -1), kAlphaPrime * scale), kAlphaPrime * scale * p);
  mul_(mask, scale);
  return add_(times(mask), moved_by);
}

}  // namespace

#define TSC_DROPOUT(name, kind)                                     \
  Tensor name(const Tensor& input, double p, bool train) {          \
    return drop(input, p, train, kind, false);                      \
  }                                                                 \
  const Tensor& name##_(const Tensor& self, double p, bool train) { \
    drop(self, p, train, kind, true);                               \
    return self;                                                    \
  }
TSC_DROPOUT(dropout, kPlain)
TSC_DROPOUT(feature_dropout, kFeatures)
TSC_DROPOUT(alpha_dropout, kAlpha)
TSC_DROPOUT(feature_alpha_dropout, kFeatureAlpha)
#undef TSC_DROPOUT

std::tuple<Tensor, Tensor> native_dropout(const Tensor& input, double p,
                                          std::optional<bool> train) {
  const TensorOptions flags(ScalarType::Bool);
  if (input.numel() == 0) {
    return {input, empty_like(input)};
  }
  if (!train.value_or(true)) {
    return {clone(input), ones_like(input, flags)};
  }
  const double kept = 1 - p;
  const Tensor mask = tsc::bernoulli_(empty_like(input, flags), kept);
  return {mul_(mul(input, mask), kept == 0 ? 0.0 : 1 / kept), mask};
}

Tensor native_dropout_backward(const Tensor& grad_output, const Tensor& mask, double scale) {
  return mul(mul(grad_output, mask), scale);
}

}  // namespace tsc::native
