#include "ops/structured/reduction.h"

#include <algorithm>
#include <cmath>

#include "core/dispatch_types.h"
#include "gen/calls/as_strided.h"
#include "gen/calls/fill.h"
#include "gen/calls/is_floating_point.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/zero.h"
#include "ops/cpu/reduce/reduce.h"
#include "ops/structured/device_kernels.h"

namespace tsc {

DimMask mask_of_dims(IntArrayRef dims, int64_t count) {
  TSC_CHECK(count <= 64, "only tensors with up to 64 dims are supported");
  DimMask mask(static_cast<size_t>(std::max<int64_t>(count, 1)), false);
  for (const int64_t dim : dims) {
    const auto wrapped = static_cast<size_t>(maybe_wrap_dim(dim, count));
    TSC_CHECK(!mask[wrapped], "dim {} appears multiple times in the list of dims", wrapped);
    mask[wrapped] = true;
  }
  return mask;
}

DimMask mask_of_dim(int64_t dim, int64_t count) { return mask_of_dims(IntArrayRef(dim), count); }

DimMask mask_of_all(int64_t count) {
  return DimMask(static_cast<size_t>(std::max<int64_t>(count, 1)), true);
}

DimMask mask_of_dims_or_all(OptionalIntArrayRef dims, int64_t count) {
  return !dims.has_value() || dims->empty() ? mask_of_all(count) : mask_of_dims(*dims, count);
}

DimVector reduced_sizes(const Tensor& self, const DimMask& mask, bool keepdim) {
  DimVector sizes;
  for (size_t i = 0; i < self.sizes().size(); i++) {
    if (!mask[i]) {
      sizes.push_back(self.sizes()[i]);
    } else if (keepdim) {
      sizes.push_back(1);
    }
  }
  return sizes;
}

void check_reducible(const Tensor& self, const DimMask& mask, const char* name) {
  for (size_t i = 0; self.numel() == 0 && i < self.sizes().size(); i++) {
    TSC_CHECK_INDEX(!mask[i] || self.sizes()[i] != 0,
                    "{}(): Expected reduction dim {} to have non-zero size.", name, i);
  }
}

void run_reduction(const ReductionRequest& request, const Tensor& self, const DimMask& mask,
                   const Tensor& out, const Tensor& second) {
  if (TSC_UNLIKELY(!out.is_cpu())) {
    if (!out.is_meta()) {
      device_kernels(out.device().type).reduce(request, self, mask, out, second);
    }
    return;
  }
  const ScalarType in =
      request.convert_to == ScalarType::Undefined ? self.dtype() : request.convert_to;
  const ScalarType compute = cpu::reduce_compute_type(request.op, in);
  if (compute == ScalarType::Undefined) {
    throw_dtype_not_implemented(request.name, in);
  }
  cpu::ReduceCall call{.op = request.op,
                       .compute = compute,
                       .in = static_cast<const char*>(self.data()),
                       .in_type = self.dtype(),
                       .in_common = request.convert_to,
                       .out = {static_cast<char*>(out.data()), nullptr},
                       .out_type = {out.dtype(), ScalarType::Undefined},
                       .dims = {},
                       .parameters = request.parameters};
  if (second.defined()) {
    call.out[1] = static_cast<char*>(second.data());
    call.out_type[1] = second.dtype();
  }
  if (out.numel() == 1 && self.is_contiguous() && self.numel() > 0 &&
      cpu::reduce_run(call, self.numel())) {
    return;
  }
  const bool keepdim = out.dim() == self.dim();
  SmallVector<cpu::ReduceDim, 6> dims;
  size_t kept = 0;
  for (size_t i = 0; i < self.sizes().size(); i++) {
    cpu::ReduceDim dim{self.sizes()[i],
                       self.strides()[i] * static_cast<int64_t>(self.itemsize()),
                       {0, 0},
                       mask[i]};
    if (!mask[i]) {
      const size_t at = keepdim ? i : kept++;
      dim.out_stride[0] = out.strides()[at] * static_cast<int64_t>(out.itemsize());
      if (second.defined()) {
        dim.out_stride[1] = second.strides()[at] * static_cast<int64_t>(second.itemsize());
      }
    }
    dims.push_back(dim);
  }
  call.dims = {dims.data(), dims.size()};
  cpu::reduce(call);
}

}  // namespace tsc
