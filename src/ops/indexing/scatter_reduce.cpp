// scatter with a reduction: several elements of the source are combined at one place.
#include <limits>

#include "core/dispatch_types.h"
#include "core/small_vector.h"
#include "gen/calls/clone.h"
#include "gen/calls/div.h"
#include "gen/calls/eq.h"
#include "gen/calls/expand.h"
#include "gen/calls/full.h"
#include "gen/calls/is_floating_point.h"
#include "gen/calls/ones_like.h"
#include "gen/calls/reshape.h"
#include "gen/calls/zeros_like.h"
#include "gen/ops/indexing.h"
#include "gen/ops/indexing_native.h"
#include "ops/indexing/scatter_places.h"

namespace tsc::native {
namespace {

enum class Meeting { Sum, Prod, Mean, Amax, Amin };

Meeting parse_reduce(std::string_view name) {
  if (name == "sum") {
    return Meeting::Sum;
  }
  if (name == "prod") {
    return Meeting::Prod;
  }
  if (name == "mean") {
    return Meeting::Mean;
  }
  if (name == "amax") {
    return Meeting::Amax;
  }
  TSC_CHECK(name == "amin", "reduce argument must be either sum, prod, mean, amax or amin, got {}",
            name);
  return Meeting::Amin;
}

// The reductions of scatter have other names than those of scatter_reduce.
Meeting parse_scatter_reduce(std::string_view name) {
  TSC_CHECK(name == "add" || name == "multiply", "reduce argument must be either add or multiply.");
  return name == "add" ? Meeting::Sum : Meeting::Prod;
}

cpu::IndexAction action_of(Meeting how) {
  switch (how) {
    case Meeting::Sum:
    case Meeting::Mean: return cpu::IndexAction::add;
    case Meeting::Prod: return cpu::IndexAction::multiply;
    case Meeting::Amax: return cpu::IndexAction::maximum;
    case Meeting::Amin: break;
  }
  return cpu::IndexAction::minimum;
}

// The identity element of the reduction.
Scalar identity_of(Meeting how, ScalarType dtype) {
  if (how == Meeting::Sum || how == Meeting::Mean || how == Meeting::Prod) {
    return Scalar(how == Meeting::Prod ? 1 : 0);
  }
  if (is_floating_point(dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return Scalar(how == Meeting::Amin ? infinity : -infinity);
  }
  Scalar identity(how == Meeting::Amin);
  if (dtype == ScalarType::Bool) {
    return identity;
  }
  dispatch_integral_types(dtype, "scatter_reduce", [&]<class T>() {
    using Limits = std::numeric_limits<T>;
    if constexpr (Limits::is_integer) {
      identity = Scalar(static_cast<int64_t>(how == Meeting::Amin ? Limits::max() : Limits::min()));
    }
  });
  return identity;
}

// The number of elements that each place is the mean of.
Tensor counts(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
              bool include_self) {
  const Tensor start = include_self ? ones_like(self) : zeros_like(self);
  const Tensor met = scatter_add(start, dim, index, ones_like(src));
  return masked_fill(met, eq(met, 0), Scalar(1));
}

Tensor reduced(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Meeting how,
               bool include_self) {
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  check_scatter(self, at, index, src);
  if (self.is_complex() && (how == Meeting::Amax || how == Meeting::Amin)) {
    throw_dtype_not_implemented("scatter_reduce", self.dtype());
  }
  const Tensor start = clone(self, MemoryFormat::Contiguous);
  if (self.is_meta() || index.numel() == 0) {
    return start;
  }
  const Tensor result =
      include_self ? start : scatter(start, at, index, identity_of(how, self.dtype()));
  move_elements(action_of(how), result, at, index, src);
  if (how != Meeting::Mean) {
    return result;
  }
  const Tensor number = counts(self, at, index, src, include_self);
  return is_integral(self.dtype(), true) ? div(result, number, "floor") : div(result, number);
}

// A vector of indices as an index of every element of `like`.
Tensor spread(const Tensor& index, const Tensor& like, int64_t dim) {
  DimVector sizes(static_cast<size_t>(like.dim()), 1);
  if (!sizes.empty()) {
    sizes[static_cast<size_t>(dim)] = index.numel();
  }
  return expand(reshape(index, sizes), like.sizes());
}

}  // namespace

Tensor scatter_reduce_two(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                          std::string_view reduce, bool include_self) {
  return reduced(self, dim, index, src, parse_reduce(reduce), include_self);
}

Tensor scatter_with_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                           std::string_view reduce) {
  check_scatter(self, maybe_wrap_dim(dim, self.dim()), index, src);
  return reduced(self, dim, index, src, parse_scatter_reduce(reduce), true);
}
Tensor scatter_value_with_reduce(const Tensor& self, int64_t dim, const Tensor& index,
                                 const Scalar& value, std::string_view reduce) {
  return native::scatter_with_reduce(self, dim, index, full(index.sizes(), value, self.options()),
                                     reduce);
}

Tensor index_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self) {
  TSC_CHECK(reduce == "prod" || reduce == "mean" || reduce == "amax" || reduce == "amin",
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {}.",
            reduce);
  TSC_CHECK_INDEX(index.dim() <= 1,
                  "index_reduce(): Index is supposed to be a vector, but got dim: {} with type: {}",
                  index.dim(), index.dtype());
  TSC_CHECK(self.dtype() == source.dtype(),
            "index_reduce(): self ({}) and source ({}) must have the same scalar type",
            self.dtype(), source.dtype());
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  TSC_CHECK(source.dim() == 0 || source.size(at) == index.numel(),
            "index_reduce(): Number of indices ({}) should be equal to source.size(dim): ({}), for "
            "dim: {}",
            index.numel(), source.dim() == 0 ? 1 : source.size(at), at);
  return tsc::scatter_reduce(self, at, spread(index, source, at), source, reduce, include_self);
}

}  // namespace tsc::native
