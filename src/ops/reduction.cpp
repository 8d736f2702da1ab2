#include "ops/reduction.h"

#include <algorithm>
#include <cmath>

#include "core/dispatch_types.h"
#include "gen/ops/copy.h"
#include "gen/ops/view.h"
#include "ops/cpu/reduce.h"
#include "ops/inner_call.h"

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

namespace {

using cpu::Reduction;

void reduce_elements(const ReductionRequest& request, const Tensor& self, const DimMask& mask,
                     const Tensor& out, const Tensor& second);

// What PyTorch's reductions fill their result with at first; nullopt where they do not.
std::optional<Scalar> first_value(Reduction op, ScalarType dtype) {
  switch (op) {
    case Reduction::sum:
    case Reduction::nansum:
    case Reduction::any: return Scalar(0);
    case Reduction::prod:
    case Reduction::all: return Scalar(1);
    case Reduction::max:
    case Reduction::min: {
      const double bound = op == Reduction::max ? -INFINITY : INFINITY;
      return is_floating_point(dtype) ? Scalar(bound) : Scalar(0);
    }
    case Reduction::mean:
    case Reduction::argmax:
    case Reduction::argmin:
    case Reduction::max_index:
    case Reduction::min_index:
    case Reduction::norm:
    case Reduction::variance:
    case Reduction::variance_mean: return std::nullopt;
  }
  return std::nullopt;
}

// What PyTorch converts the operand to before it reduces.
ScalarType operand_dtype(const ReductionRequest& request, const Tensor& self, const Tensor& out) {
  if (request.convert_to != ScalarType::Undefined) {
    return request.convert_to;
  }
  const bool takes_result_dtype = request.op == Reduction::sum || request.op == Reduction::prod ||
                                  request.op == Reduction::any || request.op == Reduction::all;
  return takes_result_dtype ? out.dtype() : self.dtype();
}

// The result with all dimensions of the operand.
Tensor with_reduced_dims(const Tensor& out, const Tensor& self, const DimMask& mask) {
  if (out.dim() == self.dim() && self.dim() > 0) {
    return out;
  }
  DimVector sizes;
  DimVector strides;
  size_t kept = 0;
  for (size_t i = 0; i < self.sizes().size(); i++) {
    sizes.push_back(mask[i] ? 1 : out.sizes()[kept]);
    strides.push_back(mask[i] ? 0 : out.strides()[kept]);
    kept += mask[i] ? 0 : 1;
  }
  return as_strided(out, sizes, strides);
}

// As PyTorch does it: result and operand are prepared by calls.
void reduce_by_calls(const ReductionRequest& request, const Tensor& self, const DimMask& mask,
                     const Tensor& out, const Tensor& second) {
  const InnerCallScope scope;
  if (request.op == Reduction::max_index || request.op == Reduction::min_index) {
    const bool adds_dim = out.dim() != self.dim();
    const auto dim = std::find(mask.begin(), mask.end(), true) - mask.begin();
    if (adds_dim) {
      unsqueeze_(out, dim);
      unsqueeze_(second, dim);
    }
    reduce_elements(request, self, mask, out, second);
    if (adds_dim) {
      squeeze_(out, dim);
      squeeze_(second, dim);
    }
    return;
  }
  const Tensor prepared = with_reduced_dims(out, self, mask);
  if (second.defined()) {
    with_reduced_dims(second, self, mask);
  }
  const Tensor& converted = shown_conversion(self, operand_dtype(request, self, out));
  const auto value = first_value(request.op, out.dtype());
  if (value.has_value() && self.numel() == 0 && request.op == Reduction::sum) {
    zero_(out);
  } else if (value.has_value()) {
    fill_(prepared, *value);
  }
  reduce_elements(request, converted, mask, out, second);
}

}  // namespace

void run_reduction(const ReductionRequest& request, const Tensor& self, const DimMask& mask,
                   const Tensor& out, const Tensor& second) {
  if (out.is_meta()) {
    return;
  }
  if (shows_inner_calls() && request.has_inner_calls) {
    reduce_by_calls(request, self, mask, out, second);
  } else {
    reduce_elements(request, self, mask, out, second);
  }
}

namespace {

void reduce_elements(const ReductionRequest& request, const Tensor& self, const DimMask& mask,
                     const Tensor& out, const Tensor& second) {
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

}  // namespace

}  // namespace tsc
