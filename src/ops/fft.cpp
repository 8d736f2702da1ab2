// Fourier transforms along any dimensions: one dimension after the other, through dense memory in
// which the transformed dimensions are the last ones.
#include "ops/cpu/fft.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/tensor_factory.h"
#include "gen/ops/fft_native.h"
#include "ops/fft_normalization.h"
#include "ops/fill.h"

namespace tsc::native {
namespace {

// Which dimension of the tensor lies where in memory: the others first, by their strides, then the
// transformed ones.
struct Order {
  DimVector dims;
  size_t first_transformed;
};

bool longer_stride(const Tensor& tensor, int64_t a, int64_t b) {
  return tensor.strides()[static_cast<size_t>(a)] > tensor.strides()[static_cast<size_t>(b)];
}

DimVector wrapped_dims(const Tensor& self, IntArrayRef dim) {
  DimVector dims;
  for (const int64_t d : dim) {
    dims.push_back(maybe_wrap_dim(d, self.dim(), false));
  }
  return dims;
}

// `fixed` dimensions at the end of `transformed` stay there.
Order order_of(const Tensor& self, DimVector transformed, size_t fixed) {
  const auto longer = [&](int64_t a, int64_t b) { return longer_stride(self, a, b); };
  Order order;
  for (int64_t d = 0; d < self.dim(); d++) {
    if (std::find(transformed.begin(), transformed.end(), d) == transformed.end()) {
      order.dims.push_back(d);
    }
  }
  order.first_transformed = order.dims.size();
  std::stable_sort(order.dims.begin(), order.dims.end(), longer);
  std::stable_sort(transformed.begin(), transformed.end() - fixed, longer);
  for (const int64_t d : transformed) {
    order.dims.push_back(d);
  }
  return order;
}

DimVector ordered(IntArrayRef values, const Order& order) {
  DimVector result;
  for (const int64_t d : order.dims) {
    result.push_back(values[static_cast<size_t>(d)]);
  }
  return result;
}

// A tensor of `sizes` whose memory is dense in the order.
Tensor empty_in_order(IntArrayRef sizes, const Order& order, ScalarType dtype, Device device) {
  DimVector strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = order.dims.size(); i-- > 0;) {
    strides[static_cast<size_t>(order.dims[i])] = stride;
    stride *= sizes[static_cast<size_t>(order.dims[i])];
  }
  return empty_strided_tensor(sizes, strides, dtype, device);
}

// The tensor itself, where its memory is that already.
Tensor dense_in_order(const Tensor& self, const Order& order) {
  int64_t stride = 1;
  bool dense = true;
  for (size_t i = order.dims.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(order.dims[i]);
    dense = dense && (self.sizes()[d] == 1 || self.strides()[d] == stride);
    stride *= self.sizes()[d];
  }
  if (dense) return self;
  const Tensor copy = empty_in_order(self.sizes(), order, self.dtype(), self.device());
  copy_elements(copy, self);
  return copy;
}

double scale_of(FftNormalization normalization, int64_t elements) {
  const auto count = static_cast<double>(elements);
  switch (normalization) {
    case FftNormalization::None: break;
    case FftNormalization::ByRootN: return 1 / std::sqrt(count);
    case FftNormalization::ByN: return 1 / count;
  }
  return 1;
}

int64_t product(IntArrayRef sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
}

// The lines along the dimension that is at `position` of the order. The sizes differ at most there.
void transform(cpu::FftKind kind, const Tensor& from, const Tensor& to, const Order& order,
               size_t position, int64_t length, bool forward, double scale) {
  const DimVector from_sizes = ordered(from.sizes(), order);
  const DimVector to_sizes = ordered(to.sizes(), order);
  const cpu::FftLines lines{.from = from.data(),
                            .to = to.data(),
                            .outer = product(IntArrayRef(to_sizes).slice(0, position)),
                            .inner = product(IntArrayRef(to_sizes).slice(position + 1)),
                            .from_length = from_sizes[position],
                            .to_length = to_sizes[position]};
  if (to_real_value_type(to.dtype()) == ScalarType::Float) {
    cpu::transform_lines<float>(kind, lines, length, forward, scale);
  } else {
    cpu::transform_lines<double>(kind, lines, length, forward, scale);
  }
}

// Every transformed dimension but the last `left` ones: the first one from `from`, the others in
// place.
void transform_complex(Tensor from, const Tensor& to, const Order& order, size_t left, bool forward,
                       double scale) {
  for (size_t i = order.dims.size() - left; i-- > order.first_transformed;) {
    const int64_t length = to.sizes()[static_cast<size_t>(order.dims[i])];
    const bool is_last = i == order.first_transformed;
    transform(cpu::FftKind::ComplexToComplex, from, to, order, i, length, forward,
              is_last ? scale : 1);
    from = to;
  }
}

int64_t elements_along(const Tensor& self, IntArrayRef dims) {
  int64_t count = 1;
  for (const int64_t d : dims) {
    count *= self.sizes()[static_cast<size_t>(d)];
  }
  return count;
}

FftNormalization normalization_of(int64_t number) {
  TSC_CHECK(number >= 0 && number <= 2, "unknown normalization {}", number);
  return static_cast<FftNormalization>(number);
}

}  // namespace

Tensor _fft_c2c(const Tensor& self, IntArrayRef dim, int64_t normalization, bool forward) {
  TSC_CHECK(self.is_complex(), "_fft_c2c expects a complex input tensor, but got {}", self.dtype());
  const DimVector dims = wrapped_dims(self, dim);
  const double scale = scale_of(normalization_of(normalization), elements_along(self, dims));
  const Order order = order_of(self, dims, 0);
  const Tensor result = empty_in_order(self.sizes(), order, self.dtype(), self.device());
  if (self.is_meta() || self.numel() == 0) return result;
  if (dims.empty()) {
    copy_elements(result, self);
  } else {
    transform_complex(dense_in_order(self, order), result, order, 0, forward, scale);
  }
  return result;
}

Tensor _fft_r2c(const Tensor& self, IntArrayRef dim, int64_t normalization, bool onesided) {
  const ScalarType dtype = self.dtype();
  TSC_CHECK(dtype == ScalarType::Float || dtype == ScalarType::Double,
            "_fft_r2c expects a real input tensor, but got {}", dtype);
  TSC_CHECK(!dim.empty(), "_fft_r2c must transform at least one axis");
  const DimVector dims = wrapped_dims(self, dim);
  const auto last = static_cast<size_t>(dims[dims.size() - 1]);
  const int64_t length = self.sizes()[last];
  DimVector sizes = self.sizes();
  sizes[last] = onesided ? length / 2 + 1 : length;
  const double scale = scale_of(normalization_of(normalization), elements_along(self, dims));
  const Order order = order_of(self, dims, 1);
  const Tensor result = empty_in_order(sizes, order, to_complex_type(dtype), self.device());
  if (!self.is_meta() && self.numel() > 0) {
    transform(cpu::FftKind::RealToComplex, dense_in_order(self, order), result, order,
              order.dims.size() - 1, length, true, dims.size() == 1 ? scale : 1);
    transform_complex(result, result, order, 1, true, scale);
  }
  return result;
}

Tensor _fft_c2r(const Tensor& self, IntArrayRef dim, int64_t normalization, int64_t last_dim_size) {
  TSC_CHECK(self.is_complex(), "_fft_c2r expects a complex input tensor, but got {}", self.dtype());
  TSC_CHECK(!dim.empty(), "_fft_c2r must transform at least one axis");
  // NumPy, too, transforms the other dimensions first: it matters for what is not Hermitian.
  const bool several = dim.size() > 1;
  const Tensor half =
      several ? _fft_c2c(self, dim.slice(0, dim.size() - 1), normalization, false) : self;
  const DimVector dims = wrapped_dims(self, dim.slice(dim.size() - 1));
  DimVector sizes = self.sizes();
  sizes[static_cast<size_t>(dims[0])] = last_dim_size;
  const Order order = order_of(half, dims, 1);
  const Tensor result =
      empty_in_order(sizes, order, to_real_value_type(self.dtype()), self.device());
  if (!self.is_meta() && result.numel() > 0) {
    TSC_CHECK(self.sizes()[static_cast<size_t>(dims[0])] >= last_dim_size / 2 + 1,
              "_fft_c2r expects at least {} elements along dimension {}, but got {}",
              last_dim_size / 2 + 1, dims[0], self.sizes()[static_cast<size_t>(dims[0])]);
    transform(cpu::FftKind::ComplexToReal, dense_in_order(half, order), result, order,
              order.dims.size() - 1, last_dim_size, false,
              scale_of(normalization_of(normalization), last_dim_size));
  }
  return result;
}

}  // namespace tsc::native
