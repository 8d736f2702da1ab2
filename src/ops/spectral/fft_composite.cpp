// torch.fft, composed of the operators of fft.cpp: dtypes, lengths, dimensions and normalization.
#include <algorithm>
#include <numeric>

#include "core/small_vector.h"
#include "core/tensor_factory.h"
#include "gen/calls/conj.h"
#include "gen/calls/conj_physical.h"
#include "gen/calls/constant_pad_nd.h"
#include "gen/calls/copy.h"
#include "gen/calls/is_floating_point.h"
#include "gen/calls/narrow.h"
#include "gen/calls/pad.h"
#include "gen/calls/to.h"
#include "gen/ops/fft.h"
#include "gen/ops/fft_native.h"
#include "ops/spectral/fft_normalization.h"
#include "ops/structured/device_check.h"
#include "ops/structured/resize.h"

namespace tsc::native {
namespace {

using OptionalInt = std::optional<int64_t>;
using OptionalText = std::optional<std::string_view>;

int64_t normalization(OptionalText name, bool forward) {
  FftNormalization result = FftNormalization::None;
  if (!name.has_value() || *name == "backward") {
    result = forward ? FftNormalization::None : FftNormalization::ByN;
  } else if (*name == "forward") {
    result = forward ? FftNormalization::ByN : FftNormalization::None;
  } else {
    TSC_CHECK(*name == "ortho", "Invalid normalization mode: \"{}\"", *name);
    result = FftNormalization::ByRootN;
  }
  return static_cast<int64_t>(result);
}

// Integers are transformed in the default dtype.
Tensor promoted(const Tensor& self, bool to_complex) {
  ScalarType dtype = self.dtype();
  if (is_integral(dtype, true)) {
    dtype = default_dtype();
  }
  if (dtype == ScalarType::Half || dtype == ScalarType::BFloat16) {
    throw_error(ErrorKind::NotImplementedError, "Unsupported dtype {}", dtype);
  }
  if (to_complex) {
    dtype = to_complex_type(dtype);
  }
  return dtype == self.dtype() ? self : to(self, dtype);
}

void check_points(int64_t points) {
  TSC_CHECK(points >= 1, "Invalid number of data points ({}) specified", points);
}

// Cropped, or padded with zeros at the end, to the lengths along the dimensions.
Tensor resized(const Tensor& self, IntArrayRef dims, IntArrayRef lengths) {
  Tensor result = self;
  bool is_longer = false;
  // Paddings begin with the last dimension.
  DimVector pad(2 * static_cast<size_t>(self.dim()), 0);
  for (size_t i = 0; i < dims.size(); i++) {
    const int64_t size = self.size(dims[i]);
    if (lengths[i] < size) {
      result = narrow(result, dims[i], 0, lengths[i]);
    } else if (lengths[i] > size) {
      pad[pad.size() - 1 - 2 * static_cast<size_t>(dims[i])] = lengths[i] - size;
      is_longer = true;
    }
  }
  return is_longer ? constant_pad_nd(result, pad) : result;
}

int64_t fft_dim(const Tensor& self, int64_t dim) { return maybe_wrap_dim(dim, self.dim(), false); }

// --- Along one dimension

Tensor from_complex(const Tensor& self, OptionalInt n, int64_t dim, OptionalText norm,
                    bool forward) {
  const int64_t wrapped = fft_dim(self, dim);
  const int64_t length = n.value_or(self.size(wrapped));
  check_points(length);
  return tsc::_fft_c2c(resized(self, wrapped, length), wrapped, normalization(norm, forward),
                       forward);
}

Tensor from_real(const Tensor& self, OptionalInt n, int64_t dim, OptionalText norm, bool forward,
                 bool onesided) {
  const Tensor input = promoted(self, false);
  const int64_t wrapped = fft_dim(self, dim);
  const int64_t length = n.value_or(self.size(wrapped));
  check_points(length);
  const Tensor spectrum = tsc::_fft_r2c(resized(input, wrapped, length), wrapped,
                                        normalization(norm, forward), onesided);
  return forward ? spectrum : conj(spectrum);
}

Tensor from_any(const Tensor& self, OptionalInt n, int64_t dim, OptionalText norm, bool forward) {
  return self.is_complex() ? from_complex(self, n, dim, norm, forward)
                           : from_real(self, n, dim, norm, forward, false);
}

Tensor to_real(const Tensor& self, OptionalInt n, int64_t dim, OptionalText norm, bool forward) {
  Tensor input = promoted(self, true);
  const int64_t wrapped = fft_dim(self, dim);
  const int64_t length = n.value_or(2 * (self.size(wrapped) - 1));
  check_points(length);
  if (n.has_value()) {
    input = resized(input, wrapped, length / 2 + 1);
  }
  return tsc::_fft_c2r(forward ? conj(input) : input, wrapped, normalization(norm, forward),
                       length);
}

void check_is_real(const Tensor& self, const char* function, const char* expected) {
  TSC_CHECK_TYPE(!self.is_complex(), "{} expects a {} input tensor, but got {}", function, expected,
                 self.dtype());
}

// --- Along several dimensions

struct Shape {
  DimVector dims;
  DimVector lengths;
};

Shape shape_of(const Tensor& self, OptionalIntArrayRef lengths, OptionalIntArrayRef dim) {
  Shape shape;
  if (dim.has_value()) {
    for (const int64_t d : *dim) {
      shape.dims.push_back(maybe_wrap_dim(d, self.dim(), true));
    }
    DimVector sorted = shape.dims;
    std::sort(sorted.begin(), sorted.end());
    TSC_CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
              "FFT dims must be unique");
  }
  if (lengths.has_value()) {
    TSC_CHECK(!dim.has_value() || dim->size() == lengths->size(),
              "When given, dim and shape arguments must have the same length");
    TSC_CHECK(static_cast<int64_t>(lengths->size()) <= self.dim(),
              "Got shape with {} values but input tensor only has {} dimensions.", lengths->size(),
              self.dim());
  }
  if (!dim.has_value()) {
    const auto count =
        static_cast<int64_t>(lengths.has_value() ? lengths->size() : self.sizes().size());
    for (int64_t d = self.dim() - count; d < self.dim(); d++) {
      shape.dims.push_back(d);
    }
  }
  for (size_t i = 0; i < shape.dims.size(); i++) {
    const int64_t length = lengths.has_value() ? (*lengths)[i] : -1;
    shape.lengths.push_back(length == -1 ? self.size(shape.dims[i]) : length);
    check_points(shape.lengths[i]);
  }
  return shape;
}

void check_has_dims(const Shape& shape, const char* function) {
  TSC_CHECK(!shape.dims.empty(), "{} must transform at least one axis", function);
}

// For transforms to real numbers: `length` is that of the result's last dimension, and `shape`
// holds that of the half spectrum.
Shape half_shape_of(const Tensor& self, OptionalIntArrayRef lengths, OptionalIntArrayRef dim,
                    const char* function, int64_t& length) {
  Shape shape = shape_of(self, lengths, dim);
  check_has_dims(shape, function);
  int64_t& last = shape.lengths[shape.lengths.size() - 1];
  const bool is_given = lengths.has_value() && lengths->back() != -1;
  length = is_given ? last : 2 * (self.size(shape.dims[shape.dims.size() - 1]) - 1);
  check_points(length);
  last = length / 2 + 1;
  return shape;
}

IntArrayRef all_but_last(const DimVector& dims) {
  return IntArrayRef(dims).slice(0, dims.size() - 1);
}
int64_t last_of(const DimVector& dims) { return dims[dims.size() - 1]; }

Tensor along_all(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                 OptionalText norm, bool forward) {
  const Shape shape = shape_of(self, s, dim);
  const Tensor input = promoted(self, true);
  const int64_t divided = normalization(norm, forward);
  return tsc::_fft_c2c(resized(input, shape.dims, shape.lengths), shape.dims, divided, forward);
}

// Stores `result` in the caller's `out`.
const Tensor& store(const Tensor& result, const Tensor& out, const char* function) {
  if (result.is_complex()) {
    TSC_CHECK(out.is_complex(), "{} expects a complex output tensor, but got {}", function,
              out.dtype());
  } else {
    TSC_CHECK(is_floating_point(out.dtype()),
              "{} expects a floating point output tensor, but got {}", function, out.dtype());
  }
  check_out_device(result.device(), out);
  resize_output(out, result.sizes());
  copy_(out, result);
  return out;
}

}  // namespace

Tensor fft_fft(const Tensor& self, OptionalInt n, int64_t dim, OptionalText norm) {
  return from_any(self, n, dim, norm, true);
}
Tensor fft_ifft(const Tensor& self, OptionalInt n, int64_t dim, OptionalText norm) {
  return from_any(self, n, dim, norm, false);
}
Tensor fft_rfft(const Tensor& self, OptionalInt n, int64_t dim, OptionalText norm) {
  check_is_real(self, "rfft", "real");
  return from_real(self, n, dim, norm, true, true);
}
Tensor fft_irfft(const Tensor& self, OptionalInt n, int64_t dim, OptionalText norm) {
  return to_real(self, n, dim, norm, false);
}
Tensor fft_hfft(const Tensor& self, OptionalInt n, int64_t dim, OptionalText norm) {
  return to_real(self, n, dim, norm, true);
}
Tensor fft_ihfft(const Tensor& self, OptionalInt n, int64_t dim, OptionalText norm) {
  check_is_real(self, "ihfft", "real");
  return from_real(self, n, dim, norm, false, true);
}

Tensor fft_fftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                OptionalText norm) {
  return along_all(self, s, dim, norm, true);
}
Tensor fft_ifftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                 OptionalText norm) {
  return along_all(self, s, dim, norm, false);
}
Tensor fft_rfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                 OptionalText norm) {
  check_is_real(self, "rfftn", "real-valued");
  const Shape shape = shape_of(self, s, dim);
  check_has_dims(shape, "rfftn");
  const Tensor input = resized(promoted(self, false), shape.dims, shape.lengths);
  return tsc::_fft_r2c(input, shape.dims, normalization(norm, true), true);
}
Tensor fft_irfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                  OptionalText norm) {
  int64_t length = 0;
  const Shape shape = half_shape_of(self, s, dim, "irfftn", length);
  const Tensor input = resized(promoted(self, true), shape.dims, shape.lengths);
  return tsc::_fft_c2r(input, shape.dims, normalization(norm, false), length);
}
Tensor fft_hfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                 OptionalText norm) {
  int64_t length = 0;
  const Shape shape = half_shape_of(self, s, dim, "hfftn", length);
  const int64_t divided = normalization(norm, true);
  Tensor input = resized(promoted(self, true), shape.dims, shape.lengths);
  if (shape.dims.size() > 1) {
    input = tsc::_fft_c2c(input, all_but_last(shape.dims), divided, true);
  }
  return tsc::_fft_c2r(conj(input), last_of(shape.dims), divided, length);
}
Tensor fft_ihfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                  OptionalText norm) {
  TSC_CHECK_TYPE(!self.is_complex(), "Only supports floating-point dtypes, but found: {}",
                 self.dtype());
  const Shape shape = shape_of(self, s, dim);
  check_has_dims(shape, "ihfftn");
  const int64_t divided = normalization(norm, false);
  const Tensor input = resized(promoted(self, false), shape.dims, shape.lengths);
  const Tensor half = tsc::_fft_r2c(input, last_of(shape.dims), divided, true);
  return shape.dims.size() == 1
             ? conj(half)
             : tsc::_fft_c2c(conj_physical(half), all_but_last(shape.dims), divided, false);
}

Tensor fft_fft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, OptionalText norm) {
  return tsc::fft_fftn(self, s, dim, norm);
}
Tensor fft_ifft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, OptionalText norm) {
  return tsc::fft_ifftn(self, s, dim, norm);
}
Tensor fft_rfft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, OptionalText norm) {
  return tsc::fft_rfftn(self, s, dim, norm);
}
Tensor fft_irfft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, OptionalText norm) {
  return tsc::fft_irfftn(self, s, dim, norm);
}
Tensor fft_hfft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, OptionalText norm) {
  return tsc::fft_hfftn(self, s, dim, norm);
}
Tensor fft_ihfft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, OptionalText norm) {
  return tsc::fft_ihfftn(self, s, dim, norm);
}

#define TSC_FFT_OUT_ALONG_ONE(name)                                              \
  const Tensor& fft_##name##_out(const Tensor& self, OptionalInt n, int64_t dim, \
                                 OptionalText norm, const Tensor& out) {         \
    return store(tsc::fft_##name(self, n, dim, norm), out, #name);               \
  }
// `said` is the function that computes, whose name a message has.
#define TSC_FFT_OUT_ALONG_SOME(name, said, Dims)                                      \
  const Tensor& fft_##name##_out(const Tensor& self, OptionalIntArrayRef s, Dims dim, \
                                 OptionalText norm, const Tensor& out) {              \
    return store(tsc::fft_##name(self, s, dim, norm), out, #said);                    \
  }
TSC_FFT_OUT_ALONG_ONE(fft)
TSC_FFT_OUT_ALONG_ONE(ifft)
TSC_FFT_OUT_ALONG_ONE(rfft)
TSC_FFT_OUT_ALONG_ONE(irfft)
TSC_FFT_OUT_ALONG_ONE(hfft)
TSC_FFT_OUT_ALONG_ONE(ihfft)
TSC_FFT_OUT_ALONG_SOME(fft2, fftn, IntArrayRef)
TSC_FFT_OUT_ALONG_SOME(ifft2, fftn, IntArrayRef)
TSC_FFT_OUT_ALONG_SOME(rfft2, rfftn, IntArrayRef)
TSC_FFT_OUT_ALONG_SOME(irfft2, irfftn, IntArrayRef)
TSC_FFT_OUT_ALONG_SOME(hfft2, hfftn, IntArrayRef)
TSC_FFT_OUT_ALONG_SOME(ihfft2, ihfftn, IntArrayRef)
TSC_FFT_OUT_ALONG_SOME(fftn, fftn, OptionalIntArrayRef)
TSC_FFT_OUT_ALONG_SOME(ifftn, fftn, OptionalIntArrayRef)
TSC_FFT_OUT_ALONG_SOME(rfftn, rfftn, OptionalIntArrayRef)
TSC_FFT_OUT_ALONG_SOME(irfftn, irfftn, OptionalIntArrayRef)
TSC_FFT_OUT_ALONG_SOME(hfftn, hfftn, OptionalIntArrayRef)
TSC_FFT_OUT_ALONG_SOME(ihfftn, ihfftn, OptionalIntArrayRef)
#undef TSC_FFT_OUT_ALONG_ONE
#undef TSC_FFT_OUT_ALONG_SOME

}  // namespace tsc::native
