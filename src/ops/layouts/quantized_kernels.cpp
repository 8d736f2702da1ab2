// The column QuantizedCPU: kernels of dense operators for quantized tensors. Operators that move or
// order elements work on the integers; those that compute do so in floats, and quantize the result
// once.
#include "core/tensor_factory.h"
#include "gen/calls/_index_put_impl.h"
#include "gen/calls/_make_per_tensor_quantized_tensor.h"
#include "gen/calls/_prelu_kernel.h"
#include "gen/calls/cat.h"
#include "gen/calls/clamp.h"
#include "gen/calls/clamp_min.h"
#include "gen/calls/clone.h"
#include "gen/calls/copy.h"
#include "gen/calls/dequantize.h"
#include "gen/calls/empty.h"
#include "gen/calls/empty_like.h"
#include "gen/calls/eq.h"
#include "gen/calls/equal.h"
#include "gen/calls/fill.h"
#include "gen/calls/flip.h"
#include "gen/calls/ge.h"
#include "gen/calls/gelu.h"
#include "gen/calls/gt.h"
#include "gen/calls/hardsigmoid.h"
#include "gen/calls/hardtanh.h"
#include "gen/calls/index.h"
#include "gen/calls/index_select.h"
#include "gen/calls/int_repr.h"
#include "gen/calls/item.h"
#include "gen/calls/le.h"
#include "gen/calls/leaky_relu.h"
#include "gen/calls/lt.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/max.h"
#include "gen/calls/mean.h"
#include "gen/calls/min.h"
#include "gen/calls/ne.h"
#include "gen/calls/quantize_per_tensor.h"
#include "gen/calls/reflection_pad1d.h"
#include "gen/calls/reflection_pad2d.h"
#include "gen/calls/relu.h"
#include "gen/calls/sigmoid.h"
#include "gen/calls/sort.h"
#include "gen/calls/std.h"
#include "gen/calls/tanh.h"
#include "gen/calls/threshold.h"
#include "gen/calls/topk.h"
#include "gen/ops/activation_native.h"
#include "gen/ops/binary_native.h"
#include "gen/ops/compare_native.h"
#include "gen/ops/copy_native.h"
#include "gen/ops/factory_native.h"
#include "gen/ops/indexing_native.h"
#include "gen/ops/math_native.h"
#include "gen/ops/order_native.h"
#include "gen/ops/reduce_native.h"
#include "gen/ops/selection_native.h"
#include "gen/ops/shape_native.h"
#include "gen/ops/sort_native.h"
#include "gen/ops/unary_native.h"
#include "gen/ops/view_native.h"
#include "ops/factory/factory_options.h"
#include "ops/layouts/quantized.h"
#include "ops/structured/autogen.h"
#include "ops/structured/fill.h"
#include "ops/structured/resize.h"
#include "ops/structured/type_names.h"

namespace tsc {

namespace {

// The value as a quantized integer of the tensor.
Scalar quantized_number(const Tensor& self, const Scalar& value) {
  const Tensor number = element_tensor(value, ScalarType::Float);
  return Scalar(item(int_repr(with_floats(self, number))).to_int());
}

// --- Ordered ---

using Ordered = std::tuple<Tensor, Tensor>;
Ordered with_places(const Tensor& self, const Ordered& integers) {
  return {with_integers(self, std::get<0>(integers)), std::get<1>(integers)};
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

// --- Computed ---

// The scale and zero point for results in [least, least + width].
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

}  // namespace

Tensor with_integers(const Tensor& like, const Tensor& integers) {
  const QuantizedTensorImpl& impl = quantized_impl(like);
  return _make_per_tensor_quantized_tensor(integers, impl.scale(), impl.zero_point());
}
Tensor with_floats(const Tensor& like, const Tensor& floats) {
  const QuantizedTensorImpl& impl = quantized_impl(like);
  return quantize_per_tensor(floats, impl.scale(), impl.zero_point(), like.dtype());
}

namespace native {

// --- Made anew, and written ---

Tensor quantized_clone(const Tensor& self, OptionalFormat) {
  return with_integers(self, stored_integers(self));
}

Tensor quantized_empty(IntArrayRef, OptionalDtype, OptionalLayout, OptionalDevice, OptionalBool,
                       OptionalFormat) {
  throw_error(ErrorKind::RuntimeError,
              "a quantized tensor needs a scale and a zero point: torch._empty_affine_quantized "
              "takes them");
}

Tensor quantized_empty_like(const Tensor& self, OptionalDtype dtype, OptionalLayout, OptionalDevice,
                            OptionalBool, OptionalFormat) {
  check_quantized_result(dtype.value_or(self.dtype()));
  return empty_quantized_tensor(self.sizes(), dtype.value_or(self.dtype()),
                                quantized_impl(self).scale(), quantized_impl(self).zero_point());
}

const Tensor& quantized_fill_(const Tensor& self, const Scalar& value) {
  fill_(stored_integers(self), quantized_number(self, value));
  return self;
}

const Tensor& quantized_fill_Tensor_(const Tensor& self, const Tensor& value) {
  return quantized_fill_(self, tsc::item(value));
}

const Tensor& quantized_masked_fill_(const Tensor& self, const Tensor& mask, const Scalar& value) {
  masked_fill_(stored_integers(self), mask, quantized_number(self, value));
  return self;
}

const Tensor& quantized_masked_fill_Tensor_(const Tensor& self, const Tensor& mask,
                                            const Tensor& value) {
  TSC_CHECK(value.dim() == 0,
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} "
            "dimension(s).",
            value.dim());
  return quantized_masked_fill_(self, mask, tsc::item(value));
}

const Tensor& quantized_index_put_impl_(const Tensor& self, TensorList indices,
                                        const Tensor& values, bool accumulate, bool unsafe) {
  TSC_CHECK(!values.is_quantized(),
            "Value argument for quantized input_put should not be quantized");
  TSC_CHECK(!accumulate,
            "index_put for quantized tensors is currently only supported for accumulate=False");
  const Tensor integers = stored_integers(with_floats(self, values));
  _index_put_impl_(stored_integers(self), indices, integers, false, unsafe);
  return self;
}

// --- Moved ---

Tensor quantized_cat(TensorList tensors, int64_t dim) {
  std::vector<Tensor> floats;
  for (const Tensor& tensor : tensors) {
    TSC_CHECK(tensor.dtype() == tensors[0].dtype(), "All dtypes must be the same.");
    floats.push_back(dequantize(tensor));
  }
  return with_floats(tensors[0], cat(floats, dim));
}

// What `out` has for a scale and a zero point stays.
const Tensor& quantized_cat_out(TensorList tensors, int64_t dim, const Tensor& out) {
  return copy_(out, dequantize(native::quantized_cat(tensors, dim)));
}

Tensor quantized_flip(const Tensor& self, IntArrayRef dims) {
  return with_integers(self, tsc::flip(stored_integers(self), dims));
}
Tensor quantized_index(const Tensor& self, TensorList indices) {
  return with_integers(self, tsc::index(stored_integers(self), indices));
}
const Tensor& quantized_reflection_pad1d_out(const Tensor& self, IntArrayRef padding,
                                             const Tensor& out) {
  return store_result(with_integers(self, reflection_pad1d(stored_integers(self), padding)), out);
}
Tensor quantized_reflection_pad2d(const Tensor& self, IntArrayRef padding) {
  return with_integers(self, reflection_pad2d(stored_integers(self), padding));
}
Tensor quantized_index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  return with_integers(self, tsc::index_select(stored_integers(self), dim, index));
}
// The integers are moved, and mean what the scale and the zero point of `out` say.
const Tensor& quantized_index_select_out(const Tensor& self, int64_t dim, const Tensor& index,
                                         const Tensor& out) {
  check_out_dtype(self.dtype(), out);
  const Tensor chosen = tsc::index_select(stored_integers(self), dim, index);
  resize_output(out, chosen.sizes());
  copy_(stored_integers(out), chosen);
  return out;
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
Tensor quantized_max(const Tensor& self) {
  return with_integers(self, tsc::max(stored_integers(self)));
}
Tensor quantized_min(const Tensor& self) {
  return with_integers(self, tsc::min(stored_integers(self)));
}

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
const Tensor& quantized_relu_(const Tensor& self) {
  clamp_min_(stored_integers(self), Scalar(quantized_impl(self).zero_point()));
  return self;
}

bool quantized_equal(const Tensor& self, const Tensor& other) {
  if (!other.is_quantized() || self.dtype() != other.dtype()) {
    return false;
  }
  const QuantizedTensorImpl& a = quantized_impl(self);
  const QuantizedTensorImpl& b = quantized_impl(other);
  return a.scale() == b.scale() && a.zero_point() == b.zero_point() &&
         tsc::equal(stored_integers(self), stored_integers(other));
}
Tensor quantized_tanh(const Tensor& self) {
  return quantized_to(tanh(dequantize(self)), self.dtype(), {2, true});
}
Tensor quantized_sigmoid(const Tensor& self) {
  return quantized_to(sigmoid(dequantize(self)), self.dtype(), {1, false});
}
Tensor quantized_hardsigmoid(const Tensor& self) {
  return quantized_to(tsc::hardsigmoid(dequantize(self)), self.dtype(), {1, false});
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
const Tensor& quantized_leaky_relu_(const Tensor& self, const Scalar& negative_slope) {
  return copy_(self, leaky_relu(dequantize(self), negative_slope));
}
// The scale is that of the single precision in which the kernel computes.
Tensor quantized_gelu(const Tensor& self, std::string_view approximate) {
  const QuantizedTensorImpl& impl = quantized_impl(self);
  return quantize_per_tensor(gelu(dequantize(self), approximate), static_cast<float>(impl.scale()),
                             impl.zero_point(), self.dtype());
}
const Tensor& quantized_gelu_(const Tensor& self, std::string_view approximate) {
  return copy_(self, native::quantized_gelu(self, approximate));
}
Tensor quantized_prelu_kernel(const Tensor& self, const Tensor& weight) {
  return with_floats(self, tsc::_prelu_kernel(dequantize(self), dequantize(weight)));
}
Tensor quantized_mean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, OptionalDtype) {
  return with_floats(self, tsc::mean(dequantize(self), dim, keepdim));
}

// --- Compared ---

#define TSC_COMPARISON(op)                                                  \
  Tensor quantized_##op##_Tensor(const Tensor& self, const Tensor& other) { \
    return compare_tensors<ops::op##_Tensor>(self, other);                  \
  }                                                                         \
  Tensor quantized_##op##_Scalar(const Tensor& self, const Scalar& other) { \
    return compare_scalar<ops::op##_Scalar>(self, other);                   \
  }
TSC_COMPARISON(eq)
TSC_COMPARISON(ge)
TSC_COMPARISON(gt)
TSC_COMPARISON(le)
TSC_COMPARISON(lt)
TSC_COMPARISON(ne)
#undef TSC_COMPARISON

}  // namespace native
}  // namespace tsc
