#include "ops/layouts/quantized.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/keys/thread_local_state.h"
#include "core/tensor_factory.h"
#include "dispatch/library.h"
#include "gen/calls/add.h"
#include "gen/calls/cat.h"
#include "gen/calls/clamp.h"
#include "gen/calls/clone.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/copy.h"
#include "gen/calls/expand.h"
#include "gen/calls/item.h"
#include "gen/calls/max.h"
#include "gen/calls/min.h"
#include "gen/calls/mul.h"
#include "gen/calls/relu.h"
#include "gen/calls/to.h"
#include "gen/ops/quantized.h"
#include "gen/ops/quantized_native.h"
#include "ops/factory/factory_options.h"
#include "ops/structured/fill.h"
#include "ops/structured/static_kernel.h"

namespace tsc {

namespace {

// Calls f.template operator()<T>() with the integer type that the dtype is stored as.
template <class F>
void dispatch_quantized(ScalarType dtype, const F& f) {
  if (dtype == ScalarType::QInt8) {
    f.template operator()<int8_t>();
  } else if (dtype == ScalarType::QUInt8) {
    f.template operator()<uint8_t>();
  } else {
    f.template operator()<int32_t>();
  }
}

void check_quantized_dtype(ScalarType dtype) {
  TSC_CHECK(is_quantized(dtype), "ScalarType {} is not supported in new_qtensor.", dtype);
}

void check_zero_point(ScalarType dtype, int64_t zero_point) {
  dispatch_quantized(dtype, [&]<class T>() {
    constexpr auto kName = "quantize_tensor_per_tensor_affine";
    TSC_CHECK(zero_point <= std::numeric_limits<T>::max(), "{} zero_point {} is above upper bound.",
              kName, zero_point);
    TSC_CHECK(zero_point >= std::numeric_limits<T>::min(), "{} zero_point {} is below lower bound.",
              kName, zero_point);
  });
}

// Ties go to even; NaN is the largest integer, as in PyTorch's vector code.
template <class T>
T quantized_value(float value, float inverse_scale, int64_t zero_point) {
  const double scaled = std::nearbyint(value * inverse_scale);
  constexpr auto kLeast = static_cast<double>(std::numeric_limits<T>::min());
  constexpr auto kMost = static_cast<double>(std::numeric_limits<T>::max());
  const double shifted = scaled + static_cast<double>(zero_point);
  return static_cast<T>(shifted < kMost ? std::max(shifted, kLeast) : kMost);
}

void quantize_into(const Tensor& floats, const Tensor& quantized) {
  const QuantizedTensorImpl& impl = quantized_impl(quantized);
  const Tensor from = contiguous(floats);
  const Tensor integers = empty_tensor(from.sizes(), to_stored_type(quantized.dtype()));
  const auto inverse_scale = 1.0F / static_cast<float>(impl.scale());
  dispatch_quantized(quantized.dtype(), [&]<class T>() {
    const auto* const in = from.data_ptr<float>();
    std::transform(in, in + from.numel(), integers.data_ptr<T>(), [&](float value) {
      return quantized_value<T>(value, inverse_scale, impl.zero_point());
    });
  });
  copy_(stored_integers(quantized), integers);
}

}  // namespace

Tensor empty_quantized_tensor(IntArrayRef sizes, ScalarType dtype, double scale,
                              int64_t zero_point) {
  const Device device(DeviceType::CPU);
  const size_t bytes = computed_storage_bytes(sizes, element_size(dtype));
  auto impl = make_intrusive<QuantizedTensorImpl>(make_intrusive<StorageImpl>(bytes, device), dtype,
                                                  device, scale, zero_point);
  impl->set_sizes_contiguous(sizes);
  return Tensor(std::move(impl));
}

Tensor empty_quantized_like(const Tensor& like, IntArrayRef sizes) {
  const QuantizedTensorImpl& impl = quantized_impl(like);
  return empty_quantized_tensor(sizes, like.dtype(), impl.scale(), impl.zero_point());
}

void check_quantized_result(ScalarType dtype) {
  TSC_CHECK(is_quantized(dtype),
            "Creation of quantized tensor requires quantized dtype like torch.quint8");
}

Tensor stored_integers(const Tensor& quantized) {
  TSC_CHECK_NOT_IMPLEMENTED(quantized.is_quantized(),
                            "a tensor of dtype {} beside a quantized one: quantize it, or "
                            "dequantize the other",
                            quantized.dtype());
  auto impl = make_intrusive<TensorImpl>(quantized.storage(), to_stored_type(quantized.dtype()),
                                         quantized.device());
  impl->set_sizes_and_strides(quantized.sizes(), quantized.strides());
  impl->set_storage_offset(quantized.storage_offset());
  return Tensor(std::move(impl));
}

void copy_quantized(const Tensor& to, const Tensor& from) {
  TSC_CHECK(to.is_quantized(),
            "Copying from quantized Tensor to non-quantized Tensor is not allowed, please use "
            "dequantize to get a float Tensor from a quantized Tensor");
  if (!from.is_quantized()) {
    TSC_CHECK(from.dtype() == ScalarType::Float,
              "Quantized copy only works with kFloat as source Tensor");
    quantize_into(expand(from, to.sizes()), to);
    return;
  }
  TSC_CHECK(to.dtype() == from.dtype(),
            "Quantized Copy only works with same dtype, but got {} and {}", to.dtype(),
            from.dtype());
  copy_(stored_integers(to), stored_integers(from));
  quantized_impl(to).set_quantizer(quantized_impl(from).scale(), quantized_impl(from).zero_point());
}

namespace native {

Tensor quantize_per_tensor(const Tensor& self, double scale, int64_t zero_point, ScalarType dtype) {
  TSC_CHECK(self.dtype() == ScalarType::Float, "Quantize only works on Float Tensor, got {}",
            self.dtype());
  check_quantized_dtype(dtype);
  check_zero_point(dtype, zero_point);
  const Tensor result = empty_quantized_tensor(self.sizes(), dtype, scale, zero_point);
  quantize_into(self, result);
  return result;
}
Tensor quantize_per_tensor_tensor_qparams(const Tensor& self, const Tensor& scale,
                                          const Tensor& zero_point, ScalarType dtype) {
  return native::quantize_per_tensor(self, item(scale).to_double(), item(zero_point).to_int(),
                                     dtype);
}

Tensor dequantize_cpu(const Tensor& self) { return to(self, ScalarType::Float); }

Tensor dequantize_quantized(const Tensor& self) {
  const QuantizedTensorImpl& impl = quantized_impl(self);
  const Tensor integers = contiguous(stored_integers(self));
  Tensor result = empty_tensor(self.sizes(), ScalarType::Float);
  const auto scale = static_cast<float>(impl.scale());
  dispatch_quantized(self.dtype(), [&]<class T>() {
    const auto* const in = integers.data_ptr<T>();
    std::transform(in, in + self.numel(), result.data_ptr<float>(), [&](T value) {
      return static_cast<float>(static_cast<int64_t>(value) - impl.zero_point()) * scale;
    });
  });
  return result;
}

Tensor int_repr_quantized_cpu(const Tensor& self) { return clone(stored_integers(self)); }
double q_scale_quant(const Tensor& self) { return quantized_impl(self).scale(); }
int64_t q_zero_point_quant(const Tensor& self) { return quantized_impl(self).zero_point(); }

Tensor make_per_tensor_quantized_tensor_cpu(const Tensor& self, double scale, int64_t zero_point) {
  const ScalarType dtype = self.dtype() == ScalarType::Char   ? ScalarType::QInt8
                           : self.dtype() == ScalarType::Byte ? ScalarType::QUInt8
                           : self.dtype() == ScalarType::Int  ? ScalarType::QInt32
                                                              : ScalarType::Undefined;
  check_quantized_dtype(dtype);
  const Tensor result = empty_quantized_tensor(self.sizes(), dtype, scale, zero_point);
  copy_(stored_integers(result), self);
  return result;
}

Tensor empty_affine_quantized(IntArrayRef size, OptionalDtype dtype, OptionalLayout, OptionalDevice,
                              OptionalBool, double scale, int64_t zero_point, OptionalFormat) {
  check_quantized_result(dtype.value_or(default_dtype()));
  return empty_quantized_tensor(size, *dtype, scale, zero_point);
}

}  // namespace native

namespace {

// torch.ops.quantized: computed in floats, and quantized once.
void check_pair(std::string_view name, const Tensor& a, const Tensor& b) {
  TSC_CHECK_NOT_IMPLEMENTED(a.is_quantized() && b.is_quantized(),
                            "quantized::add and its relatives take quantized tensors, but got {} "
                            "and {}",
                            a.dtype(), b.dtype());
  TSC_CHECK(a.dtype() == b.dtype(), "{} operands should have same data type.", name);
}

Tensor add_quantized(const Tensor& a, const Tensor& b, double scale, int64_t zero_point) {
  check_pair("Add", a, b);
  return quantize_per_tensor(add(dequantize(a), dequantize(b)), scale, zero_point, a.dtype());
}
Tensor add_relu_quantized(const Tensor& a, const Tensor& b, double scale, int64_t zero_point) {
  check_pair("Add", a, b);
  return quantize_per_tensor(relu(add(dequantize(a), dequantize(b))), scale, zero_point, a.dtype());
}
Tensor mul_quantized(const Tensor& a, const Tensor& b, double scale, int64_t zero_point) {
  check_pair("Mul", a, b);
  return quantize_per_tensor(mul(dequantize(a), dequantize(b)), scale, zero_point, a.dtype());
}
Tensor mul_relu_quantized(const Tensor& a, const Tensor& b, double scale, int64_t zero_point) {
  check_pair("Mul", a, b);
  return quantize_per_tensor(relu(mul(dequantize(a), dequantize(b))), scale, zero_point, a.dtype());
}
Tensor cat_quantized(TensorList tensors, int64_t dim, std::optional<double> scale,
                     std::optional<int64_t> zero_point) {
  std::vector<Tensor> floats;
  for (const Tensor& tensor : tensors) {
    floats.push_back(dequantize(tensor));
  }
  const QuantizedTensorImpl& first = quantized_impl(tensors[0]);
  return quantize_per_tensor(cat(floats, dim), scale.value_or(first.scale()),
                             zero_point.value_or(first.zero_point()), tensors[0].dtype());
}
Tensor relu6_quantized(const Tensor& a, bool) { return clamp(a, Scalar(0), Scalar(6)); }

}  // namespace

TSC_LIBRARY(quantized, m) {
  m.def("add(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc");
  m.def("add_relu(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc");
  m.def("cat(Tensor[] qx, int dim, float? scale, int? zero_point) -> Tensor");
  m.def("mul(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc");
  m.def("mul_relu(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc");
  m.def("relu6(Tensor qx, bool inplace=False) -> Tensor");
}

TSC_LIBRARY_IMPL(quantized, QuantizedCPU, m) {
  m.impl("add", TSC_KERNEL(add_quantized));
  m.impl("add_relu", TSC_KERNEL(add_relu_quantized));
  m.impl("cat", TSC_KERNEL(cat_quantized));
  m.impl("mul", TSC_KERNEL(mul_quantized));
  m.impl("mul_relu", TSC_KERNEL(mul_relu_quantized));
  m.impl("relu6", TSC_KERNEL(relu6_quantized));
}

}  // namespace tsc
