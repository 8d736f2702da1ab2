// The frequencies of a spectrum's elements, and shifts of their order.
#include "core/small_vector.h"
#include "gen/calls/arange.h"
#include "gen/calls/empty.h"
#include "gen/calls/mul.h"
#include "gen/calls/roll.h"
#include "gen/calls/slice.h"
#include "gen/ops/fft.h"
#include "gen/ops/fft_native.h"
#include "ops/factory/factory_options.h"

namespace tsc::native {
namespace {

void check_frequency_dtype(ScalarType dtype, const char* function) {
  TSC_CHECK(is_floating_point(dtype) || is_complex(dtype),
            "{} requires a floating point or complex dtype", function);
}

double frequency_step(int64_t n, double d) { return 1.0 / (static_cast<double>(n) * d); }

// The shifts that move the frequency 0 to the middle, or back.
DimVector shifts_of(const Tensor& self, const DimVector& dims, bool back) {
  DimVector shifts;
  for (const int64_t d : dims) {
    shifts.push_back((self.size(d) + (back ? 1 : 0)) / 2);
  }
  return shifts;
}

Tensor shifted(const Tensor& self, OptionalIntArrayRef dim, bool back) {
  DimVector dims;
  if (dim.has_value()) {
    dims = *dim;
  } else {
    for (int64_t d = 0; d < self.dim(); d++) {
      dims.push_back(d);
    }
  }
  return roll(self, shifts_of(self, dims, back), dims);
}

}  // namespace

Tensor fft_fftfreq(int64_t n, double d, OptionalDtype dtype, OptionalLayout layout,
                   OptionalDevice device, OptionalBool) {
  check_frequency_dtype(dtype.value_or(default_dtype()), "fftfreq");
  return tsc::fft_fftfreq_out(empty(n, TensorOptions(dtype, layout, device)), n, d);
}
const Tensor& fft_fftfreq_out(int64_t n, double d, const Tensor& out) {
  check_frequency_dtype(out.dtype(), "fftfreq");
  arange_out(out, 0, n, 1);
  const Tensor negative = slice(out, 0, (n + 1) / 2);
  arange_out(negative, -(n / 2), 0, 1);
  return mul_(out, frequency_step(n, d));
}
Tensor fft_rfftfreq(int64_t n, double d, OptionalDtype dtype, OptionalLayout layout,
                    OptionalDevice device, OptionalBool) {
  check_frequency_dtype(dtype.value_or(default_dtype()), "rfftfreq");
  return tsc::fft_rfftfreq_out(empty(n / 2 + 1, TensorOptions(dtype, layout, device)), n, d);
}
const Tensor& fft_rfftfreq_out(int64_t n, double d, const Tensor& out) {
  check_frequency_dtype(out.dtype(), "rfftfreq");
  arange_out(out, 0, n / 2 + 1, 1);
  return mul_(out, frequency_step(n, d));
}

Tensor fft_fftshift(const Tensor& self, OptionalIntArrayRef dim) {
  return shifted(self, dim, false);
}
Tensor fft_ifftshift(const Tensor& self, OptionalIntArrayRef dim) {
  return shifted(self, dim, true);
}

}  // namespace tsc::native
