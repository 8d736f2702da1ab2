// sort, argsort, topk.
#include "gen/calls/sort.h"
#include "core/small_vector.h"
#include "gen/calls/narrow.h"
#include "gen/ops/sort.h"
#include "gen/ops/sort_native.h"
#include "ops/cpu/reduce/sort.h"
#include "ops/structured/contiguous_lines.h"
#include "ops/structured/dense_strides.h"
#include "ops/structured/device_kernels.h"
#include "ops/structured/fill.h"

namespace tsc {

TSC_META_FUNC(sort_stable)(const Tensor& self, std::optional<bool> stable, int64_t dim, bool) {
  maybe_wrap_dim(dim, self.dim());
  TSC_CHECK(stable.has_value(), "sort(): c10::optional<bool> for stable has to have value.");
  TSC_CHECK_TYPE(!self.is_complex(), " Sort does not support complex dtypes on CPU");
  const DimVector strides = dense_strides_like(self);
  set_output(0, self.sizes(), strides, self.dtype());
  set_output(1, self.sizes(), strides, ScalarType::Long);
}
TSC_IMPL_FUNC(sort_cpu)
(const Tensor& self, std::optional<bool>, int64_t dim, bool descending, const Tensor& values,
 const Tensor& indices) {
  const Tensor from = contiguous_values(self);
  const ContiguousResult sorted(values);
  const ContiguousResult places(indices);
  const cpu::LineShape lines = lines_along(self.sizes(), maybe_wrap_dim(dim, self.dim()));
  auto* const found = reinterpret_cast<int64_t*>(places.data());
  const auto* const in = static_cast<const char*>(from.data());
  if (TSC_UNLIKELY(!self.is_cpu())) {
    device_kernels(self.device().type)
        .sort({self.device(), lines, self.dtype(), descending, sorted.data(), found, in});
  } else {
    cpu::sort(lines, self.dtype(), descending, sorted.data(), found, in);
  }
  sorted.finish();
  places.finish();
}

TSC_META_FUNC(topk)(const Tensor& self, int64_t k, int64_t dim, bool, bool) {
  dim = maybe_wrap_dim(dim, self.dim());
  const int64_t length = self.dim() > 0 ? self.sizes()[static_cast<size_t>(dim)] : 1;
  TSC_CHECK(k >= 0 && k <= length, "selected index k out of range");
  TSC_CHECK_TYPE(!self.is_complex(), " topk does not support complex dtypes on CPU");
  TSC_CHECK_NOT_IMPLEMENTED(self.dtype() != ScalarType::Bool,
                            "topk does not support bool dtypes on CPU");
  DimVector sizes(self.sizes());
  if (!sizes.empty()) {
    sizes[static_cast<size_t>(dim)] = k;
  }
  set_output(0, sizes, self.dtype());
  set_output(1, sizes, ScalarType::Long);
}
// Of lines in order, on a device.
static void take_first(const Tensor& self, int64_t k, int64_t dim, bool largest,
                       const Tensor& values, const Tensor& indices) {
  const auto [sorted, places] = tsc::sort(self, true, dim, largest);
  const bool is_line = self.dim() > 0;
  copy_elements(values, is_line ? narrow(sorted, dim, 0, k) : sorted);
  copy_elements(indices, is_line ? narrow(places, dim, 0, k) : places);
}

TSC_IMPL_FUNC(topk_cpu)
(const Tensor& self, int64_t k, int64_t dim, bool largest, bool is_sorted, const Tensor& values,
 const Tensor& indices) {
  if (TSC_UNLIKELY(!self.is_cpu())) {
    take_first(self, k, dim, largest, values, indices);
    return;
  }
  const Tensor from = contiguous_values(self);
  const ContiguousResult sorted(values);
  const ContiguousResult places(indices);
  // Without dimensions there is always one result, also for k = 0.
  k = self.dim() == 0 ? 1 : k;
  cpu::topk(lines_along(self.sizes(), maybe_wrap_dim(dim, self.dim())), self.dtype(), k, largest,
            is_sorted, sorted.data(), reinterpret_cast<int64_t*>(places.data()),
            static_cast<const char*>(from.data()));
  sorted.finish();
  places.finish();
}

namespace native {

std::tuple<Tensor, Tensor> sort(const Tensor& self, int64_t dim, bool descending) {
  return tsc::sort(self, false, dim, descending);
}
std::tuple<const Tensor&, const Tensor&> sort_values(const Tensor& self, int64_t dim,
                                                     bool descending, const Tensor& values,
                                                     const Tensor& indices) {
  return tsc::sort_out(values, indices, self, false, dim, descending);
}
Tensor argsort(const Tensor& self, int64_t dim, bool descending) {
  return std::get<1>(tsc::sort(self, dim, descending));
}
Tensor argsort_stable(const Tensor& self, bool stable, int64_t dim, bool descending) {
  return std::get<1>(tsc::sort(self, stable, dim, descending));
}
Tensor msort(const Tensor& self) { return std::get<0>(tsc::sort(self, 0, false)); }

}  // namespace native
}  // namespace tsc
