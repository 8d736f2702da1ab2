// Running results along a dimension.
#include "ops/cpu/reduce/scan.h"
#include "core/dispatch_types.h"
#include "core/tensor_factory.h"
#include "gen/ops/scan.h"
#include "gen/ops/scan_native.h"
#include "ops/structured/contiguous_lines.h"
#include "ops/structured/device_kernels.h"
#include "ops/structured/fill.h"
#include "ops/structured/operand_checks.h"

namespace tsc {
namespace {

using cpu::Scan;

ScalarType scan_dtype(const Tensor& self, std::optional<ScalarType> dtype, const Tensor& out) {
  if (dtype.has_value()) {
    return *dtype;
  }
  if (out.defined()) {
    return out.dtype();
  }
  return is_integral(self.dtype(), true) ? ScalarType::Long : self.dtype();
}

// What lies between input and results: `in` has lines of equal strides, and none of its elements is
// written before it is read.
struct Lines {
  Tensor in;
  cpu::LineStrides strides;
};
Lines lines_of(const Tensor& self, const Tensor& out, int64_t dim) {
  if (self.dtype() == out.dtype() && !self.shares_storage_with(out)) {
    if (const auto strides = line_strides_along(self, dim)) return {self, *strides};
  }
  const Tensor in = contiguous_as(self, out.dtype());
  return {in, line_strides_along(in, dim).value()};
}

// On the device of `on`.
void scan_lines(const Tensor& on, Scan op, const cpu::LineShape& shape, ScalarType type,
                char* values, int64_t* indices, const Lines& lines) {
  const auto* const in = static_cast<const char*>(lines.in.data());
  if (TSC_UNLIKELY(!on.is_cpu())) {
    device_kernels(on.device().type)
        .scan({on.device(), op, shape, type, values, indices, in, lines.strides});
  } else {
    cpu::scan(op, shape, type, values, indices, in, lines.strides);
  }
}

void run_scan(Scan op, const Tensor& self, int64_t dim, const Tensor& out, const char* name) {
  if (!cpu::has_scan(op, out.dtype())) {
    throw_dtype_not_implemented(name, out.dtype());
  }
  dim = maybe_wrap_dim(dim, self.dim());
  const Lines lines = lines_of(self, out, dim);
  const ContiguousResult result(out);
  scan_lines(self, op, lines_along(self.sizes(), dim), out.dtype(), result.data(), nullptr, lines);
  result.finish();
}

}  // namespace

#define TSC_RUNNING_RESULT(function, op, called)                                              \
  TSC_META_FUNC(function)(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) { \
    maybe_wrap_dim(dim, self.dim());                                                          \
    const bool in_place = output_mode() == OutputMode::InPlace;                               \
    set_output(self.sizes(), scan_dtype(self, dtype, in_place ? Tensor() : output()));        \
  }                                                                                           \
  TSC_IMPL_FUNC(function##_cpu)                                                               \
  (const Tensor& self, int64_t dim, std::optional<ScalarType>, const Tensor& out) {           \
    run_scan(op, self, dim, out, called);                                                     \
  }
TSC_RUNNING_RESULT(cumsum, Scan::sum, "cumsum_out_cpu")
TSC_RUNNING_RESULT(cumprod, Scan::prod, "cumprod_out_cpu")
#undef TSC_RUNNING_RESULT

namespace native {
namespace {

void write_running_extreme(Scan op, const Tensor& self, const Tensor& values, const Tensor& indices,
                           int64_t dim, const char* name) {
  if (self.is_meta()) {
    return;
  }
  if (!cpu::has_scan(op, self.dtype())) {
    throw_dtype_not_implemented(name, self.dtype());
  }
  check_scalar_type(values, self.dtype());
  check_scalar_type(indices, ScalarType::Long);
  TSC_CHECK(values.sizes() == self.sizes() && indices.sizes() == self.sizes(),
            "expected values and indices of size {}, but got {} and {}", self.sizes(),
            values.sizes(), indices.sizes());
  dim = maybe_wrap_dim(dim, self.dim());
  const Lines lines = lines_of(self, values, dim);
  const ContiguousResult value_result(values);
  const ContiguousResult index_result(indices);
  scan_lines(self, op, lines_along(self.sizes(), dim), self.dtype(), value_result.data(),
             static_cast<int64_t*>(static_cast<void*>(index_result.data())), lines);
  value_result.finish();
  index_result.finish();
}

template <class Helper>
std::tuple<Tensor, Tensor> running_extreme(const Tensor& self, int64_t dim) {
  const int64_t at = maybe_wrap_dim(dim, self.dim());
  Tensor values = empty_tensor(self.sizes(), self.dtype(), self.device());
  Tensor indices = empty_tensor(self.sizes(), ScalarType::Long, self.device());
  Helper::call(self, values, indices, at);
  return {std::move(values), std::move(indices)};
}

}  // namespace

std::tuple<Tensor, Tensor> cummax(const Tensor& self, int64_t dim) {
  return running_extreme<ops::_cummax_helper>(self, dim);
}
std::tuple<Tensor, Tensor> cummin(const Tensor& self, int64_t dim) {
  return running_extreme<ops::_cummin_helper>(self, dim);
}
void _cummax_helper(const Tensor& self, const Tensor& values, const Tensor& indices, int64_t dim) {
  write_running_extreme(Scan::max, self, values, indices, dim, "cummax_cpu");
}
void _cummin_helper(const Tensor& self, const Tensor& values, const Tensor& indices, int64_t dim) {
  write_running_extreme(Scan::min, self, values, indices, dim, "cummin_cpu");
}

Tensor logcumsumexp(const Tensor& self, int64_t dim) {
  return tsc::_logcumsumexp(self, maybe_wrap_dim(dim, self.dim()));
}
Tensor _logcumsumexp(const Tensor& self, int64_t dim) {
  const Tensor out = empty_tensor(self.sizes(), self.dtype(), self.device());
  maybe_wrap_dim(dim, self.dim());
  if (!self.is_meta()) {
    run_scan(Scan::logsumexp, self, dim, out, "logcumsumexp_out_cpu");
  }
  return out;
}

}  // namespace native
}  // namespace tsc
