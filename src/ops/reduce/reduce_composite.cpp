// Reductions that are made of others, or have no structured row.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/__iand__.h"
#include "gen/calls/__ior__.h"
#include "gen/calls/abs.h"
#include "gen/calls/add.h"
#include "gen/calls/bitwise_and.h"
#include "gen/calls/bitwise_or.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/div.h"
#include "gen/calls/eq.h"
#include "gen/calls/exp.h"
#include "gen/calls/fill.h"
#include "gen/calls/imag.h"
#include "gen/calls/isnan.h"
#include "gen/calls/item.h"
#include "gen/calls/le.h"
#include "gen/calls/log.h"
#include "gen/calls/logical_and.h"
#include "gen/calls/logical_not.h"
#include "gen/calls/max.h"
#include "gen/calls/min.h"
#include "gen/calls/mul.h"
#include "gen/calls/ne.h"
#include "gen/calls/ones_like.h"
#include "gen/calls/real.h"
#include "gen/calls/sqrt.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/sub.h"
#include "gen/calls/to.h"
#include "gen/calls/where.h"
#include "gen/ops/reduce.h"
#include "gen/ops/reduce_native.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/pointwise/comparison_list.h"
#include "ops/structured/autogen.h"
#include "ops/structured/reduction.h"
#include "ops/structured/tensor_iterator.h"

namespace tsc::native {
namespace {

using cpu::Reduction;

Tensor empty_reduced(const Tensor& self, const DimMask& mask, bool keepdim, ScalarType dtype) {
  return empty_tensor(reduced_sizes(self, mask, keepdim), dtype, self.device());
}

constexpr OptionalIntArrayRef kAllDims = std::nullopt;

// --- variance ---

struct Moments {
  Tensor variance;
  Tensor mean;
};

double correction_of(const std::optional<Scalar>& correction) {
  return correction.has_value() ? correction->to<double>() : 1.0;
}
Scalar correction_of(bool unbiased) { return unbiased ? 1 : 0; }

void warn_of_few(const Tensor& self, const DimMask& mask, double correction, const char* name) {
  double count = 1;
  for (size_t i = 0; i < self.sizes().size(); i++) {
    count *= mask[i] ? static_cast<double>(self.sizes()[i]) : 1.0;
  }
  if (self.numel() != 0 && count - correction <= 0) {
    warn(
        "{}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
        "factor (input numel divided by output numel).",
        name);
  }
}

// A complex tensor's is the sum of its parts'.
Tensor variance_of(const Tensor& self, OptionalIntArrayRef dim,
                   const std::optional<Scalar>& correction, bool keepdim, bool take_root,
                   const char* name) {
  TSC_CHECK_NOT_IMPLEMENTED(!is_integral(self.dtype(), true),
                            "std and var only support floating point and complex dtypes");
  const DimMask mask = mask_of_dims_or_all(dim, self.dim());
  const double subtracted = correction_of(correction);
  warn_of_few(self, mask, subtracted, name);
  if (self.is_complex()) {
    const Tensor sum = tsc::add(variance_of(real(self), dim, correction, keepdim, false, name),
                                variance_of(imag(self), dim, correction, keepdim, false, name));
    return take_root ? sqrt_(sum) : sum;
  }
  const Tensor out = empty_reduced(self, mask, keepdim, self.dtype());
  run_reduction({.op = Reduction::variance,
                 .name = "std_and_var",
                 .parameters = {.correction = subtracted, .take_root = take_root}},
                self, mask, out);
  return out;
}

std::tuple<Tensor, Tensor> moments_of(const Tensor& self, OptionalIntArrayRef dim,
                                      const std::optional<Scalar>& correction, bool keepdim,
                                      bool take_root, const char* name) {
  TSC_CHECK_NOT_IMPLEMENTED(!is_integral(self.dtype(), true),
                            "{} only support floating point and complex dtypes", name);
  if (self.is_complex()) {
    return {variance_of(self, dim, correction, keepdim, take_root, name),
            tsc::mean(self, dim, keepdim)};
  }
  const DimMask mask = mask_of_dims_or_all(dim, self.dim());
  const double subtracted = correction_of(correction);
  warn_of_few(self, mask, subtracted, name);
  const Tensor variance = empty_reduced(self, mask, keepdim, self.dtype());
  const Tensor mean = empty_reduced(self, mask, keepdim, self.dtype());
  run_reduction({.op = Reduction::variance_mean,
                 .name = "std_and_var",
                 .parameters = {.correction = subtracted, .take_root = take_root}},
                self, mask, variance, mean);
  return {variance, mean};
}

}  // namespace

namespace {

// One dimension after the other, the last one first.
template <class AlongDim>
Tensor ask_dims(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  const bool is_byte = self.dtype() == ScalarType::Byte;
  if (dim.has_value() && dim->empty()) {
    return to(self, is_byte ? ScalarType::Byte : ScalarType::Bool);
  }
  const DimMask mask = mask_of_dims_or_all(dim, self.dim());
  Tensor result = self;
  for (int64_t d = self.dim() - 1; d >= 0; d--) {
    if (mask[static_cast<size_t>(d)]) {
      result = AlongDim::call(result, d, keepdim);
    }
  }
  return result;
}

}  // namespace

Tensor all_dims_default(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  return ask_dims<ops::all_dim>(self, dim, keepdim);
}
Tensor any_dims_default(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  return ask_dims<ops::any_dim>(self, dim, keepdim);
}
const Tensor& all_dims_out_default(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                                   const Tensor& out) {
  return store_result(all_dims_default(self, dim, keepdim), out);
}
const Tensor& any_dims_out_default(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                                   const Tensor& out) {
  return store_result(any_dims_default(self, dim, keepdim), out);
}

Tensor sum(const Tensor& self, std::optional<ScalarType> dtype) {
  return tsc::sum(self, kAllDims, false, dtype);
}
Tensor mean(const Tensor& self, std::optional<ScalarType> dtype) {
  return tsc::mean(self, kAllDims, false, dtype);
}
static void check_nanmean(const Tensor& self) {
  TSC_CHECK_NOT_IMPLEMENTED(
      self.is_floating_point() || self.is_complex(),
      "nanmean(): expected input to have floating point or complex dtype but got {}", self.dtype());
}
static Tensor count_numbers(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  return tsc::sum(logical_not(isnan(self)), dim, keepdim);
}
Tensor nanmean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
               std::optional<ScalarType> dtype) {
  check_nanmean(self);
  const Tensor count = count_numbers(self, dim, keepdim);
  return div(nansum(self, dim, keepdim, dtype), count);
}
const Tensor& nanmean_out(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                          std::optional<ScalarType> dtype, const Tensor& out) {
  check_nanmean(self);
  const Tensor count = count_numbers(self, dim, keepdim);
  return div_(nansum_out(out, self, dim, keepdim, dtype), count);
}
Tensor prod(const Tensor& self, std::optional<ScalarType> dtype) {
  const ScalarType type =
      dtype.value_or(is_integral(self.dtype(), true) ? ScalarType::Long : self.dtype());
  const DimMask mask = mask_of_all(self.dim());
  const Tensor out = empty_reduced(self, mask, false, type);
  run_reduction(
      {.op = Reduction::prod,
       .name = "prod_cpu",
       .convert_to = dtype.has_value() && *dtype != self.dtype() ? *dtype : ScalarType::Undefined},
      self, mask, out);
  return out;
}

Tensor var(const Tensor& self, bool unbiased) {
  return tsc::var(self, kAllDims, correction_of(unbiased));
}
Tensor var_dim(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
  return tsc::var(self, dim, correction_of(unbiased), keepdim);
}
Tensor var_correction(const Tensor& self, OptionalIntArrayRef dim,
                      const std::optional<Scalar>& correction, bool keepdim) {
  return variance_of(self, dim, correction, keepdim, false, "var");
}
Tensor stddev(const Tensor& self, bool unbiased) {
  return tsc::stddev(self, kAllDims, correction_of(unbiased));
}
Tensor std_dim(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
  return tsc::stddev(self, dim, correction_of(unbiased), keepdim);
}
Tensor std_correction(const Tensor& self, OptionalIntArrayRef dim,
                      const std::optional<Scalar>& correction, bool keepdim) {
  return variance_of(self, dim, correction, keepdim, true, "std");
}
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, bool unbiased) {
  return tsc::var_mean(self, kAllDims, correction_of(unbiased));
}
std::tuple<Tensor, Tensor> var_mean_dim(const Tensor& self, OptionalIntArrayRef dim, bool unbiased,
                                        bool keepdim) {
  return tsc::var_mean(self, dim, correction_of(unbiased), keepdim);
}
std::tuple<Tensor, Tensor> var_mean_correction(const Tensor& self, OptionalIntArrayRef dim,
                                               const std::optional<Scalar>& correction,
                                               bool keepdim) {
  return moments_of(self, dim, correction, keepdim, false, "var_mean");
}
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, bool unbiased) {
  return tsc::std_mean(self, kAllDims, correction_of(unbiased));
}
std::tuple<Tensor, Tensor> std_mean_dim(const Tensor& self, OptionalIntArrayRef dim, bool unbiased,
                                        bool keepdim) {
  return tsc::std_mean(self, dim, correction_of(unbiased), keepdim);
}
std::tuple<Tensor, Tensor> std_mean_correction(const Tensor& self, OptionalIntArrayRef dim,
                                               const std::optional<Scalar>& correction,
                                               bool keepdim) {
  return moments_of(self, dim, correction, keepdim, true, "std_mean");
}

namespace {

Tensor extreme_of_all(const Tensor& self, Reduction op, const char* function, const char* name) {
  TSC_CHECK(self.numel() > 0,
            "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
            "reduction dim with the 'dim' argument.",
            function);
  const DimMask mask = mask_of_all(self.dim());
  const Tensor out = empty_reduced(self, mask, false, self.dtype());
  run_reduction({.op = op, .name = name}, self, mask, out);
  return out;
}

}  // namespace

Tensor max(const Tensor& self) { return extreme_of_all(self, Reduction::max, "max", "max_all"); }
Tensor min(const Tensor& self) { return extreme_of_all(self, Reduction::min, "min", "min_all"); }

Tensor count_nonzero_dim_IntList(const Tensor& self, IntArrayRef dim) {
  const DimMask mask = mask_of_dims_or_all(dim, self.dim());
  const Tensor out = empty_reduced(self, mask, false, ScalarType::Long);
  run_reduction({.op = Reduction::sum, .name = "count_nonzero_cpu", .convert_to = ScalarType::Bool},
                self, mask, out);
  return out;
}
Tensor count_nonzero(const Tensor& self, std::optional<int64_t> dim) {
  return dim.has_value() ? tsc::count_nonzero(self, IntArrayRef(*dim))
                         : tsc::count_nonzero(self, IntArrayRef());
}

Tensor norm_Scalar(const Tensor& self, const Scalar& p) {
  return tsc::norm(self, p, IntArrayRef(), false);
}
Tensor norm_ScalarOpt_dtype(const Tensor& self, const std::optional<Scalar>& p, ScalarType dtype) {
  return tsc::norm(self, p, IntArrayRef(), false, dtype);
}
Tensor dist(const Tensor& self, const Tensor& other, const Scalar& p) {
  return tsc::norm(sub(self, other), p);
}

namespace {

// An infinite maximum would make NaN of itself.
Tensor finite_or_zero(const Tensor& largest) {
  return where(eq(abs(largest), Scalar(std::numeric_limits<double>::infinity())), Scalar(0),
               largest);
}

// Without the dimensions that were reduced: none named means all.
Tensor without_dims(const Tensor& kept, IntArrayRef dim) {
  return dim.empty() ? tsc::squeeze(kept) : squeeze(kept, dim);
}

}  // namespace

// The largest element is taken out of the exponent, so that the sum does not overflow.
Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim) {
  const Tensor x = is_integral(self.dtype(), true) ? to(self, default_dtype()) : self;
  if (x.numel() == 0) {
    return log(tsc::sum(exp(x), dim, keepdim));
  }
  const Tensor largest = amax(x.is_complex() ? real(x) : x, dim, true);
  const Tensor shift = finite_or_zero(largest);
  const Tensor sum = log(tsc::sum(exp(sub(x, shift)), dim, keepdim));
  return tsc::add(sum, keepdim ? shift : without_dims(shift, dim));
}

Tensor trace(const Tensor& self) {
  TSC_CHECK(self.dim() == 2, "trace: expected a matrix, but got tensor with dim {}", self.dim());
  const Tensor out = empty_tensor(
      {}, is_integral(self.dtype(), true) ? ScalarType::Long : self.dtype(), self.device());
  if (self.is_meta()) {
    return out;
  }
  const Tensor line = view_tensor(self, {std::min(self.sizes()[0], self.sizes()[1])},
                                  {self.strides()[0] + self.strides()[1]}, self.storage_offset());
  run_reduction({.op = Reduction::sum, .name = "trace"}, line, mask_of_all(1), out);
  return out;
}

// --- whole tensors compared ---

// Whether all elements are equal; null where the type has no comparison. The first difference ends
// it: of what differs at once, no more than a few elements are read, and no thread is woken.
static std::optional<bool> equal_elements(const Tensor& self, const Tensor& other) {
  constexpr int64_t kFirst = 256;
  constexpr int64_t kTile = 4096;
  const ScalarType type = self.dtype();
  const cpu::ElementwiseLoop compare(cpu::ufuncs::eq, type, {ScalarType::Bool, type, type});
  if (!compare) {
    return std::nullopt;
  }
  std::atomic<bool> same{true};
  const auto loop = [&](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
    bool results[kTile];
    const int64_t columns = std::min(size0, kTile);
    const int64_t rows = kTile / columns;
    const int64_t steps[] = {1, strides[0], strides[1], columns, strides[2], strides[3]};
    for (int64_t j = 0; j < size1; j += rows) {
      for (int64_t i = 0; i < size0; i += columns) {
        if (!same.load(std::memory_order_relaxed)) {
          return;
        }
        const int64_t width = std::min(columns, size0 - i);
        const int64_t height = std::min(rows, size1 - j);
        char* const at[] = {reinterpret_cast<char*>(results),
                            data[0] + i * strides[0] + j * strides[2],
                            data[1] + i * strides[1] + j * strides[3]};
        compare(at, steps, width, height);
        if (std::memchr(results, 0, static_cast<size_t>(width * height)) != nullptr) {
          same.store(false, std::memory_order_relaxed);
          return;
        }
      }
    }
  };
  // It writes neither of the two.
  TensorIterator iterator(self);
  iterator.build({.check_memory_overlap = false, .resize_outputs = false}, {&other});
  const int64_t count = iterator.numel();
  int64_t begin = 0;
  for (const int64_t end : {kFirst, kTile, kParallelGrain}) {
    if (begin < count && same) {
      iterator.serial_for_each(loop, begin, std::min(count, end));
      begin = end;
    }
  }
  if (begin < count && same) {
    parallel_for(begin, count, kParallelGrain, [&](int64_t from, int64_t to) {
      if (same.load(std::memory_order_relaxed)) {
        iterator.serial_for_each(loop, from, to);
      }
    });
  }
  return same;
}

bool equal(const Tensor& self, const Tensor& other) {
  if (self.sizes() != other.sizes()) {
    return false;
  }
  if (other.dtype() == self.dtype() && self.is_cpu()) {
    if (const std::optional<bool> same = equal_elements(self, other)) {
      return *same;
    }
  }
  return tsc::item(tsc::all(eq(self, other))).to_bool();
}

Tensor isreal(const Tensor& self) {
  return self.is_complex() ? eq(imag(self), Scalar(0)) : ones_like(self, ScalarType::Bool);
}

Tensor isfinite(const Tensor& self) {
  if (is_integral(self.dtype(), true)) {
    return ones_like(self, ScalarType::Bool);
  }
  if (self.is_complex()) {
    return logical_and(tsc::isfinite(real(self)), tsc::isfinite(imag(self)));
  }
  const Tensor is_bounded = ne(abs(self), Scalar(std::numeric_limits<double>::infinity()));
  return mul(eq(self, self), is_bounded);
}

Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  TSC_CHECK(self.dtype() == other.dtype(), "{} did not match {}", self.dtype(), other.dtype());
  TSC_CHECK(rtol >= 0, "rtol must be greater than or equal to zero, but got {}", rtol);
  TSC_CHECK(atol >= 0, "atol must be greater than or equal to zero, but got {}", atol);
  const Tensor close = eq(self, other);
  if (equal_nan && !is_integral(self.dtype(), true)) {
    const Tensor is_nan = isnan(self);
    bitwise_or_(close, bitwise_and(is_nan, isnan(other)));
  }
  if (rtol == 0 && atol == 0) {
    return close;
  }
  const bool integral = is_integral(self.dtype(), true);
  const Tensor a = integral ? to(self, default_dtype()) : self;
  const Tensor b = integral ? to(other, default_dtype()) : other;
  const Tensor allowed = tsc::add(abs(mul(b, Scalar(rtol))), Scalar(atol));
  const Tensor actual = abs(sub(a, b));
  const Tensor is_bounded = tsc::isfinite(actual);
  return __ior__(close, __iand__(is_bounded, le(actual, allowed)));
}
bool allclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  return tsc::item(tsc::all(tsc::isclose(self, other, rtol, atol, equal_nan))).to_bool();
}

}  // namespace tsc::native
