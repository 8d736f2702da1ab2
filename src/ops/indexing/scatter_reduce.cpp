// scatter with a reduction: several elements of the source are combined at one place.
#include <algorithm>
#include <limits>

#include "core/dispatch_types.h"
#include "core/small_vector.h"
#include "gen/calls/div.h"
#include "gen/calls/eq.h"
#include "gen/calls/is_floating_point.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/reshape.h"
#include "gen/ops/indexing.h"
#include "gen/ops/indexing_native.h"
#include "ops/cpu/pointwise/division_list.h"
#include "ops/indexing/scatter_places.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/elementwise.h"
#include "ops/structured/fill.h"

namespace tsc {
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

// The number of elements that each place of `sizes` is the mean of, in self's dtype.
Tensor counts(IntArrayRef sizes, const Tensor& self, int64_t dim, const Tensor& index,
              bool include_self) {
  const ScalarType dtype = self.dtype();
  const Tensor met = empty_tensor(sizes, dtype, self.device());
  fill_elements(met, Scalar(include_self ? 1 : 0));
  move_elements(cpu::IndexAction::add, met, dim, index,
                expand_to(element_on(self.device(), Scalar(1), dtype), index.sizes()));
  return masked_fill(met, eq(met, 0), Scalar(1));
}

void divide(const Tensor& out, const Tensor& number) {
  if (is_integral(out.dtype(), true)) {
    copy_elements(out, div(out, number, "floor"));
    return;
  }
  TensorIterator iterator(out);
  iterator.build_binary_float_op(out, number);
  run_arithmetic(iterator, cpu::ufuncs::div, "div_cpu");
}

void check_has_order(const Tensor& self, Meeting how, const char* maximum, const char* minimum) {
  if (self.is_complex() && (how == Meeting::Amax || how == Meeting::Amin)) {
    throw_dtype_not_implemented(how == Meeting::Amax ? maximum : minimum, self.dtype());
  }
}

// Reduces elements of src into a copy of self, in `out`, where a mean is still a sum; `dim` is
// wrapped.
void reduce_into(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                 Meeting how, bool include_self, const Tensor& out) {
  copy_unless_same(self, out);
  if (index.numel() == 0) {
    return;
  }
  if (!include_self) {
    const Tensor identity = element_on(self.device(), identity_of(how, self.dtype()), self.dtype());
    move_elements(cpu::IndexAction::put, out, dim, index, expand_to(identity, index.sizes()));
  }
  move_elements(action_of(how), out, dim, index, src);
}

void set_scatter_output(MetaBase& op, const Tensor& self, int64_t dim, const Tensor& index,
                        OptionalTensorRef src, std::string_view reduce = "add") {
  check_scatter(self, maybe_wrap_dim(dim, self.dim()), index, src);
  parse_scatter_reduce(reduce);
  op.set_output(self.sizes(), self.dtype());
  if (op.output_mode() != OutputMode::Functional) {
    check_caller_output(op.output(), {index});
    if (src.has_value()) {
      check_caller_output(op.output(), {*src});
    }
  }
}

// Indices of slices count from the beginning only. A device's kernels look at them themselves.
void check_places(const Tensor& index, int64_t size) {
  if (!index.is_cpu()) {
    return;
  }
  const Tensor places = contiguous_as(index, ScalarType::Long);
  const auto* const values = places.data_ptr<int64_t>();
  TSC_CHECK_INDEX(std::all_of(values, values + places.numel(),
                              [&](int64_t place) { return place >= 0 && place < size; }),
                  "index out of range in self");
}

}  // namespace

TSC_META_FUNC(scatter_reduce_two)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce,
 bool) {
  parse_reduce(reduce);
  set_scatter_output(*this, self, dim, index, src);
}
TSC_IMPL_FUNC(scatter_reduce_two_cpu)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce,
 bool include_self, const Tensor& out) {
  const Meeting how = parse_reduce(reduce);
  check_has_order(self, how, "scatter_gather_tensor_cpu_reduce_amax",
                  "scatter_gather_tensor_cpu_reduce_amin");
  dim = maybe_wrap_dim(dim, self.dim());
  reduce_into(self, dim, index, src, how, include_self, out);
  if (how == Meeting::Mean && index.numel() > 0) {
    divide(out, counts(self.sizes(), self, dim, index, include_self));
  }
}

TSC_META_FUNC(scatter_reduce)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce) {
  set_scatter_output(*this, self, dim, index, src, reduce);
}
TSC_IMPL_FUNC(scatter_reduce_cpu)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce,
 const Tensor& out) {
  reduce_into(self, maybe_wrap_dim(dim, self.dim()), index, src, parse_scatter_reduce(reduce), true,
              out);
}

TSC_META_FUNC(scatter_value_reduce)
(const Tensor& self, int64_t dim, const Tensor& index, const Scalar&, std::string_view reduce) {
  set_scatter_output(*this, self, dim, index, std::nullopt, reduce);
}
TSC_IMPL_FUNC(scatter_value_reduce_cpu)
(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value, std::string_view reduce,
 const Tensor& out) {
  const Tensor element = element_on(self.device(), value, self.dtype());
  reduce_into(self, maybe_wrap_dim(dim, self.dim()), index, expand_to(element, index.sizes()),
              parse_scatter_reduce(reduce), true, out);
}

TSC_META_FUNC(index_reduce)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
 std::string_view reduce, bool) {
  TSC_CHECK(reduce == "prod" || reduce == "mean" || reduce == "amax" || reduce == "amin",
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {}.",
            reduce);
  check_index_slices(self, maybe_wrap_dim(dim, self.dim()), index, source, "index_reduce_()");
  set_output(self.sizes(), self.dtype());
  if (output_mode() != OutputMode::Functional) {
    check_caller_output(output(), {index, source});
  }
}
TSC_IMPL_FUNC(index_reduce_cpu)
(const Tensor& self, int64_t given_dim, const Tensor& index, const Tensor& source,
 std::string_view reduce, bool include_self, const Tensor& out) {
  const int64_t dim = maybe_wrap_dim(given_dim, self.dim());
  const Meeting how = parse_reduce(reduce);
  check_has_order(self, how, "maximum_cpu", "minimum_cpu");
  check_places(index, self.dim() == 0 ? 1 : self.size(dim));
  if (source.numel() == 0) {
    copy_unless_same(self, out);
    return;
  }
  reduce_into(self, dim, index_of_elements(index, source, dim), source, how, include_self, out);
  if (how == Meeting::Mean) {
    // All elements of a slice are means of as many.
    DimVector sizes(self.sizes().size(), 1);
    if (self.dim() > 0) {
      sizes[static_cast<size_t>(dim)] = self.size(dim);
    }
    const Tensor number = counts({product(sizes)}, self, 0, index, include_self);
    divide(out, reshape(number, sizes));
  }
}

}  // namespace tsc
