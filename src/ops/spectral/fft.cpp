// Fourier transforms along any dimensions: one dimension after the other, through dense memory in
// which the transformed dimensions are the last ones.
#include "ops/cpu/spectral/fft.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/small_vector.h"
#include "core/tensor_factory.h"
#include "gen/ops/fft_native.h"
#include "ops/spectral/fft_normalization.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/fill.h"

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
    const int64_t wrapped = maybe_wrap_dim(d, self.dim(), false);
    TSC_CHECK(std::find(dims.begin(), dims.end(), wrapped) == dims.end(),
              "dimension {} is to be transformed twice", wrapped);
    dims.push_back(wrapped);
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

bool is_dense(const Tensor& self, IntArrayRef dims) {
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(dims[i]);
    if (self.sizes()[d] != 1 && self.strides()[d] != stride) return false;
    stride *= self.sizes()[d];
  }
  return true;
}

// The transform's input: the tensor itself where its memory is dense in the order, or would be if
// the last dimension, whose elements are `inner` apart, came last; otherwise a copy.
struct Source {
  Tensor tensor;
  int64_t inner;
};
Source source_in_order(const Tensor& self, const Order& order) {
  DimVector dims = order.dims;
  int64_t inner = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    if (is_dense(self, dims)) return {self, inner};
    if (i == 0) break;
    inner *= self.sizes()[static_cast<size_t>(dims[i - 1])];
    std::swap(dims[i - 1], dims[i]);
  }
  const Tensor copy = empty_in_order(self.sizes(), order, self.dtype(), self.device());
  copy_elements(copy, self);
  return {copy, 1};
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

struct Direction {
  bool forward;
  double scale;
};

void transform_lines(cpu::FftKind kind, const cpu::FftLines& lines, ScalarType to_type,
                     int64_t length, Direction direction) {
  if (to_real_value_type(to_type) == ScalarType::Float) {
    cpu::transform_lines<float>(kind, lines, length, direction.forward, direction.scale);
  } else {
    cpu::transform_lines<double>(kind, lines, length, direction.forward, direction.scale);
  }
}

// The lines along the last dimension of the order, at most in which the sizes differ.
void transform_last(cpu::FftKind kind, const Source& source, const Tensor& to, const Order& order,
                    int64_t length, Direction direction) {
  const auto last = static_cast<size_t>(order.dims.back());
  const int64_t to_length = to.sizes()[last];
  const cpu::FftLines lines{.from = source.tensor.data(),
                            .to = to.data(),
                            .outer = to.numel() / to_length / source.inner,
                            .inner = source.inner,
                            .to_inner = 1,
                            .from_length = source.tensor.sizes()[last],
                            .to_length = to_length};
  transform_lines(kind, lines, to.dtype(), length, direction);
}

// In place, every transformed dimension but the last, which has been transformed before. The last
// one of these scales, if any is left.
void transform_others(const Tensor& numbers, const Order& order, Direction direction) {
  const DimVector sizes = ordered(numbers.sizes(), order);
  for (size_t i = order.dims.size() - 1; i-- > order.first_transformed;) {
    const int64_t inner = product(IntArrayRef(sizes).slice(i + 1));
    const cpu::FftLines lines{.from = numbers.data(),
                              .to = numbers.data(),
                              .outer = product(IntArrayRef(sizes).slice(0, i)),
                              .inner = inner,
                              .to_inner = inner,
                              .from_length = sizes[i],
                              .to_length = sizes[i]};
    const double scale = i == order.first_transformed ? direction.scale : 1;
    transform_lines(cpu::FftKind::ComplexToComplex, lines, numbers.dtype(), sizes[i],
                    {direction.forward, scale});
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
    const int64_t length = self.sizes()[static_cast<size_t>(order.dims.back())];
    transform_last(cpu::FftKind::ComplexToComplex, source_in_order(self, order), result, order,
                   length, {forward, dims.size() == 1 ? scale : 1});
    transform_others(result, order, {forward, scale});
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
    transform_last(cpu::FftKind::RealToComplex, source_in_order(self, order), result, order, length,
                   {true, dims.size() == 1 ? scale : 1});
    transform_others(result, order, {true, scale});
  }
  return result;
}

Tensor _fft_c2r(const Tensor& self, IntArrayRef dim, int64_t normalization, int64_t last_dim_size) {
  TSC_CHECK(self.is_complex(), "_fft_c2r expects a complex input tensor, but got {}", self.dtype());
  TSC_CHECK(!dim.empty(), "_fft_c2r must transform at least one axis");
  TSC_CHECK(last_dim_size >= 1,
            "_fft_c2r expects at least one real element, but last_dim_size is {}", last_dim_size);
  // As in NumPy, the other dimensions are transformed first: this matters for inputs that are not
  // Hermitian.
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
    transform_last(cpu::FftKind::ComplexToReal, source_in_order(half, order), result, order,
                   last_dim_size,
                   {false, scale_of(normalization_of(normalization), last_dim_size)});
  }
  return result;
}

}  // namespace tsc::native
