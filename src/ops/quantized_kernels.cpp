// The column QuantizedCPU: what operators for dense tensors do with quantized ones. What only moves
// elements, or orders them, works on the integers; what computes does so in floats, and quantizes
// its result once.
#include "core/tensor_factory.h"
#include "gen/ops/activation.h"
#include "gen/ops/binary.h"
#include "gen/ops/compare.h"
#include "gen/ops/copy.h"
#include "gen/ops/factory.h"
#include "gen/ops/indexing.h"
#include "gen/ops/math.h"
#include "gen/ops/order.h"
#include "gen/ops/quantized.h"
#include "gen/ops/reduce.h"
#include "gen/ops/selection.h"
#include "gen/ops/shape.h"
#include "gen/ops/sort.h"
#include "gen/ops/unary.h"
#include "gen/ops/view.h"
#include "ops/factory_options.h"
#include "ops/fill.h"
#include "ops/quantized.h"
#include "ops/static_kernel.h"

namespace tsc {

namespace {

// Other integers, or other floats, that mean what those of `like` do.
Tensor with_integers(const Tensor& like, const Tensor& integers) {
  const QuantizedTensorImpl& impl = quantized_impl(like);
  return _make_per_tensor_quantized_tensor(integers, impl.scale(), impl.zero_point());
}
Tensor with_floats(const Tensor& like, const Tensor& floats) {
  const QuantizedTensorImpl& impl = quantized_impl(like);
  return quantize_per_tensor(floats, impl.scale(), impl.zero_point(), like.dtype());
}

// The value as an integer of the tensor.
Scalar quantized_number(const Tensor& self, const Scalar& value) {
  const Tensor number = element_tensor(value, ScalarType::Float);
  return Scalar(item(int_repr(with_floats(self, number))).to_int());
}

// --- Made anew, and written ---

Tensor quantized_clone(const Tensor& self, native::OptionalFormat) {
  return with_integers(self, stored_integers(self));
}

Tensor quantized_empty(IntArrayRef, native::OptionalDtype, native::OptionalLayout,
                       native::OptionalDevice, native::OptionalBool, native::OptionalFormat) {
  throw_error(ErrorKind::RuntimeError,
              "a quantized tensor needs a scale and a zero point: torch._empty_affine_quantized "
              "takes them");
}

Tensor quantized_empty_like(const Tensor& self, native::OptionalDtype dtype, native::OptionalLayout,
                            native::OptionalDevice, native::OptionalBool, native::OptionalFormat) {
  check_quantized_result(dtype.value_or(self.dtype()));
  return empty_quantized_tensor(self.sizes(), dtype.value_or(self.dtype()),
                                quantized_impl(self).scale(), quantized_impl(self).zero_point());
}

const Tensor& quantized_fill(const Tensor& self, const Scalar& value) {
  fill_(stored_integers(self), quantized_number(self, value));
  return self;
}

const Tensor& quantized_fill_with_tensor(const Tensor& self, const Tensor& value) {
  return quantized_fill(self, item(value));
}

Tensor quantized_masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value) {
  return with_integers(self,
                       masked_fill(stored_integers(self), mask, quantized_number(self, value)));
}

const Tensor& quantized_masked_fill_in_place(const Tensor& self, const Tensor& mask,
                                             const Scalar& value) {
  masked_fill_(stored_integers(self), mask, quantized_number(self, value));
  return self;
}

Scalar quantized_item(const Tensor& self) { return item(dequantize(self)); }

// --- Moved ---

Tensor quantized_cat(TensorList tensors, int64_t dim) {
  std::vector<Tensor> floats;
  for (const Tensor& tensor : tensors) {
    TSC_CHECK(tensor.dtype() == tensors[0].dtype(), "All dtypes must be the same.");
    floats.push_back(dequantize(tensor));
  }
  return with_floats(tensors[0], cat(floats, dim));
}

Tensor quantized_flip(const Tensor& self, IntArrayRef dims) {
  return with_integers(self, flip(stored_integers(self), dims));
}
Tensor quantized_index(const Tensor& self, TensorList indices) {
  return with_integers(self, index(stored_integers(self), indices));
}
Tensor quantized_repeat(const Tensor& self, IntArrayRef repeats) {
  return with_integers(self, repeat(stored_integers(self), repeats));
}
Tensor quantized_pad(const Tensor& self, IntArrayRef pad, const Scalar& value) {
  return with_integers(self,
                       constant_pad_nd(stored_integers(self), pad, quantized_number(self, value)));
}
Tensor quantized_index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  return with_integers(self, index_select(stored_integers(self), dim, index));
}

// --- Ordered ---

using Ordered = std::tuple<Tensor, Tensor>;
Ordered with_places(const Tensor& self, const Ordered& integers) {
  return {with_integers(self, std::get<0>(integers)), std::get<1>(integers)};
}

Ordered quantized_sort(const Tensor& self, std::optional<bool> stable, int64_t dim,
                       bool descending) {
  return with_places(self, ops::sort_stable::call(stored_integers(self), stable, dim, descending));
}
Ordered quantized_topk(const Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted) {
  return with_places(self, topk(stored_integers(self), k, dim, largest, sorted));
}
Ordered quantized_max_dim(const Tensor& self, int64_t dim, bool keepdim) {
  return with_places(self, ops::max_dim::call(stored_integers(self), dim, keepdim));
}
Ordered quantized_min_dim(const Tensor& self, int64_t dim, bool keepdim) {
  return with_places(self, ops::min_dim::call(stored_integers(self), dim, keepdim));
}
Tensor quantized_max(const Tensor& self) { return with_integers(self, max(stored_integers(self))); }
Tensor quantized_min(const Tensor& self) { return with_integers(self, min(stored_integers(self))); }

Tensor quantized_clamp(const Tensor& self, const std::optional<Scalar>& min,
                       const std::optional<Scalar>& max) {
  const auto number = [&](const std::optional<Scalar>& value) {
    return value.has_value() ? std::optional(quantized_number(self, *value)) : std::nullopt;
  };
  return with_integers(self, clamp(stored_integers(self), number(min), number(max)));
}
Tensor quantized_hardtanh(const Tensor& self, const Scalar& min, const Scalar& max) {
  return quantized_clamp(self, min, max);
}
Tensor quantized_relu(const Tensor& self) {
  return with_integers(self,
                       clamp_min(stored_integers(self), Scalar(quantized_impl(self).zero_point())));
}
const Tensor& quantized_relu_in_place(const Tensor& self) {
  clamp_min_(stored_integers(self), Scalar(quantized_impl(self).zero_point()));
  return self;
}

// --- Compared ---

Tensor floats_of(const Tensor& tensor) {
  return tensor.is_quantized() ? dequantize(tensor) : tensor;
}
template <class Op>
Tensor compare_tensors(const Tensor& self, const Tensor& other) {
  return Op::call(floats_of(self), floats_of(other));
}
template <class Op>
Tensor compare_scalar(const Tensor& self, const Scalar& other) {
  return Op::call(floats_of(self), other);
}

bool quantized_equal(const Tensor& self, const Tensor& other) {
  if (!other.is_quantized() || self.dtype() != other.dtype()) {
    return false;
  }
  const QuantizedTensorImpl& a = quantized_impl(self);
  const QuantizedTensorImpl& b = quantized_impl(other);
  return a.scale() == b.scale() && a.zero_point() == b.zero_point() &&
         equal(stored_integers(self), stored_integers(other));
}

// --- Computed ---

// The scale and zero point of a function whose results fill [least, least + width].
struct Range {
  double width;
  bool is_around_zero;
};
Tensor quantized_to(const Tensor& floats, ScalarType dtype, Range range) {
  const bool is_long = dtype == ScalarType::QInt32;
  const double scale = range.width / (is_long ? 4294967296.0 : 256.0);
  const int64_t least = is_long ? 0 : dtype == ScalarType::QInt8 ? -128 : 0;
  return quantize_per_tensor(floats, scale, is_long ? 0 : least + (range.is_around_zero ? 128 : 0),
                             dtype);
}
Tensor quantized_tanh(const Tensor& self) {
  return quantized_to(tanh(dequantize(self)), self.dtype(), {2, true});
}
Tensor quantized_sigmoid(const Tensor& self) {
  return quantized_to(sigmoid(dequantize(self)), self.dtype(), {1, false});
}
Tensor quantized_hardsigmoid(const Tensor& self) {
  return quantized_to(hardsigmoid(dequantize(self)), self.dtype(), {1, false});
}
Tensor quantized_threshold(const Tensor& self, const Scalar& threshold, const Scalar& value) {
  return with_floats(self, tsc::threshold(dequantize(self), threshold, value));
}
Tensor quantized_std(const Tensor& self, OptionalIntArrayRef dim,
                     const std::optional<Scalar>& correction, bool keepdim) {
  return with_floats(self, ops::std_correction::call(dequantize(self), dim, correction, keepdim));
}
Tensor quantized_leaky_relu(const Tensor& self, const Scalar& negative_slope) {
  return with_floats(self, leaky_relu(dequantize(self), negative_slope));
}
Tensor quantized_mean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                      native::OptionalDtype) {
  return with_floats(self, mean(dequantize(self), dim, keepdim));
}
Tensor quantized_mean_of_all(const Tensor& self, native::OptionalDtype) {
  return with_floats(self, mean(dequantize(self)));
}

#define TSC_ROW(name, op, function) \
  { name, TSC_STATIC_KERNEL(ops::op::Signature, function, __FILE__, __LINE__) }
#define TSC_COMPARISON(op)                                               \
  TSC_ROW(#op ".Scalar", op##_Scalar, compare_scalar<ops::op##_Scalar>), \
      TSC_ROW(#op ".Tensor", op##_Tensor, compare_tensors<ops::op##_Tensor>)

const ColumnKernel kKernels[] = {
    TSC_ROW("_local_scalar_dense", _local_scalar_dense, quantized_item),
    TSC_ROW("cat", cat, quantized_cat),
    TSC_ROW("clamp", clamp, quantized_clamp),
    TSC_ROW("clone", clone, quantized_clone),
    TSC_ROW("constant_pad_nd", constant_pad_nd, quantized_pad),
    TSC_ROW("empty.memory_format", empty_memory_format, quantized_empty),
    TSC_ROW("empty_like", empty_like, quantized_empty_like),
    TSC_COMPARISON(eq),
    TSC_ROW("equal", equal, quantized_equal),
    TSC_ROW("fill_.Scalar", fill__Scalar, quantized_fill),
    TSC_ROW("fill_.Tensor", fill__Tensor, quantized_fill_with_tensor),
    TSC_ROW("flip", flip, quantized_flip),
    TSC_COMPARISON(ge),
    TSC_COMPARISON(gt),
    TSC_ROW("hardsigmoid", hardsigmoid, quantized_hardsigmoid),
    TSC_ROW("hardtanh", hardtanh, quantized_hardtanh),
    TSC_ROW("index.Tensor", index_Tensor, quantized_index),
    TSC_ROW("index_select", index_select, quantized_index_select),
    TSC_COMPARISON(le),
    TSC_ROW("leaky_relu", leaky_relu, quantized_leaky_relu),
    TSC_COMPARISON(lt),
    TSC_ROW("masked_fill.Scalar", masked_fill_Scalar, quantized_masked_fill),
    TSC_ROW("masked_fill_.Scalar", masked_fill__Scalar, quantized_masked_fill_in_place),
    TSC_ROW("max", max, quantized_max),
    TSC_ROW("max.dim", max_dim, quantized_max_dim),
    TSC_ROW("mean", mean, quantized_mean_of_all),
    TSC_ROW("mean.dim", mean_dim, quantized_mean),
    TSC_ROW("min", min, quantized_min),
    TSC_ROW("min.dim", min_dim, quantized_min_dim),
    TSC_COMPARISON(ne),
    TSC_ROW("relu", relu, quantized_relu),
    TSC_ROW("relu_", relu_, quantized_relu_in_place),
    TSC_ROW("repeat", repeat, quantized_repeat),
    TSC_ROW("sigmoid", sigmoid, quantized_sigmoid),
    TSC_ROW("sort.stable", sort_stable, quantized_sort),
    TSC_ROW("std.correction", std_correction, quantized_std),
    TSC_ROW("tanh", tanh, quantized_tanh),
    TSC_ROW("threshold", threshold, quantized_threshold),
    TSC_ROW("topk", topk, quantized_topk),
};
#undef TSC_ROW
#undef TSC_COMPARISON

}  // namespace

ArrayRef<ColumnKernel> quantized_cpu_kernels() { return kKernels; }

}  // namespace tsc
