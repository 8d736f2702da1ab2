// Quantiles: positions in a sorted line, between which values are interpolated.
#include "core/small_vector.h"
#include "core/tensor_factory.h"
#include "gen/calls/all.h"
#include "gen/calls/any.h"
#include "gen/calls/ceil.h"
#include "gen/calls/expand.h"
#include "gen/calls/fill.h"
#include "gen/calls/flatten.h"
#include "gen/calls/floor.h"
#include "gen/calls/gather.h"
#include "gen/calls/ge.h"
#include "gen/calls/isnan.h"
#include "gen/calls/item.h"
#include "gen/calls/le.h"
#include "gen/calls/lerp.h"
#include "gen/calls/logical_and.h"
#include "gen/calls/movedim.h"
#include "gen/calls/mul.h"
#include "gen/calls/ne.h"
#include "gen/calls/reshape.h"
#include "gen/calls/round.h"
#include "gen/calls/sort.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/sub.h"
#include "gen/calls/to.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/where.h"
#include "gen/ops/order.h"
#include "gen/ops/order_native.h"
#include "ops/structured/modes.h"

namespace tsc::native {
namespace {

enum class Interpolation { Linear, Lower, Higher, Midpoint, Nearest };

Interpolation parse_interpolation(std::string_view name) {
  if (name == "linear") return Interpolation::Linear;
  if (name == "lower") return Interpolation::Lower;
  if (name == "higher") return Interpolation::Higher;
  if (name == "midpoint") return Interpolation::Midpoint;
  if (name == "nearest") return Interpolation::Nearest;
  throw_error(ErrorKind::RuntimeError,
              "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, "
              "but got {}",
              name);
}

}  // namespace

Tensor quantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  const Interpolation mode = parse_interpolation(interpolation);
  TSC_CHECK(self.numel() > 0, "quantile() input tensor must be non-empty");
  TSC_CHECK(q.dim() <= 1, "quantile() q must be a scalar or 1D tensor");
  TSC_CHECK(self.dtype() == ScalarType::Float || self.dtype() == ScalarType::Double,
            "quantile() input tensor must be either float or double dtype");
  TSC_CHECK(self.dtype() == q.dtype(),
            "quantile() q tensor must be same dtype as the input tensor");
  TSC_CHECK(calls_are_replayed() || q.is_meta() ||
                item(all(logical_and(ge(q, Scalar(0)), le(q, Scalar(1))))).to_bool(),
            "quantile() q values must be in the "
            "range [0, 1]");

  // The reduced dimension last.
  const int64_t at = dim.has_value() ? maybe_wrap_dim(*dim, self.dim()) : 0;
  const Tensor lines = !dim.has_value()  ? flatten(self)
                       : self.dim() == 0 ? reshape(self, {1})
                                         : movedim(self, at, -1);
  const Tensor sorted = std::get<0>(tsc::sort(lines, -1));
  const auto last = static_cast<double>(sorted.size(-1) - 1);

  DimVector sizes(sorted.sizes());
  sizes.back() = q.numel();
  Tensor ranks = expand(mul(reshape(q, {-1}), Scalar(last)), sizes);
  // A line with a NaN has no quantiles: NaN is its last element.
  ranks = where(expand(any(isnan(sorted), -1, true), sizes), Scalar(last), ranks);
  if (mode == Interpolation::Lower) {
    ranks = floor(ranks);
  } else if (mode == Interpolation::Higher) {
    ranks = ceil(ranks);
  } else if (mode == Interpolation::Nearest) {
    ranks = round(ranks);
  }
  const Tensor below = to(floor(ranks), ScalarType::Long);
  Tensor values = gather(sorted, -1, below);
  if (mode == Interpolation::Linear || mode == Interpolation::Midpoint) {
    const Tensor weight = mode == Interpolation::Midpoint
                              ? mul(ne(ranks, floor(ranks)), wrapped_number_tensor(0.5))
                              : sub(ranks, below);
    const Tensor above = gather(sorted, -1, to(ceil(ranks), ScalarType::Long));
    values = lerp(values, above, to(weight, values.dtype()));
  }

  // From [..., quantiles] to [quantiles, ...], with the reduced dimensions back where they are
  // kept.
  if (keepdim && dim.has_value() && self.dim() > 0) {
    values = unsqueeze(values, at);
  } else if (keepdim && !dim.has_value()) {
    DimVector kept(static_cast<size_t>(self.dim()), 1);
    kept.push_back(q.numel());
    values = reshape(values, kept);
  }
  values = movedim(values, -1, 0);
  return q.dim() == 0 ? squeeze(values, 0) : values;
}

Tensor quantile_scalar(const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim,
                       std::string_view interpolation) {
  TSC_CHECK(q >= 0 && q <= 1, "quantile() q must be in the range [0, 1] but got {}", q);
  const Tensor wanted = empty_tensor({}, self.dtype(), self.device());
  fill_(wanted, Scalar(q));
  return tsc::quantile(self, wanted, dim, keepdim, interpolation);
}

}  // namespace tsc::native
