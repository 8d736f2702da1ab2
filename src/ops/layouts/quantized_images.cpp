// The column QuantizedCPU: averages of windows, and images of other sizes. What moves integers works
// on them; what averages them does so at their distance from the zero point, and rounds once.
#include <limits>

#include "core/dispatch_types.h"
#include "gen/calls/_adaptive_avg_pool2d.h"
#include "gen/calls/_adaptive_avg_pool3d.h"
#include "gen/calls/_upsample_nearest_exact2d.h"
#include "gen/calls/_upsample_nearest_exact3d.h"
#include "gen/calls/add.h"
#include "gen/calls/avg_pool2d.h"
#include "gen/calls/avg_pool3d.h"
#include "gen/calls/channel_shuffle.h"
#include "gen/calls/clamp.h"
#include "gen/calls/dequantize.h"
#include "gen/calls/grid_sampler_2d.h"
#include "gen/calls/round.h"
#include "gen/calls/sub.h"
#include "gen/calls/to.h"
#include "gen/calls/upsample_bilinear2d.h"
#include "gen/calls/upsample_nearest2d.h"
#include "gen/calls/upsample_nearest3d.h"
#include "gen/calls/view.h"
#include "gen/ops/pooling_native.h"
#include "gen/ops/upsampling_native.h"
#include "gen/ops/vision_native.h"
#include "ops/layouts/quantized.h"
#include "ops/structured/autogen.h"
#include "ops/structured/operand_checks.h"

namespace tsc {
namespace {

Scalar zero_point_of(const Tensor& self) { return Scalar(quantized_impl(self).zero_point()); }

Tensor distances(const Tensor& self) {
  return sub(to(stored_integers(self), ScalarType::Float), zero_point_of(self));
}

Tensor within_dtype(const Tensor& self, const Tensor& floats) {
  const ScalarType stored = to_stored_type(self.dtype());
  const auto limited = [&]<class T>() {
    return clamp(floats, Scalar(int64_t{std::numeric_limits<T>::min()}),
                 Scalar(int64_t{std::numeric_limits<T>::max()}));
  };
  const Tensor kept = stored == ScalarType::Char   ? limited.operator()<int8_t>()
                      : stored == ScalarType::Byte ? limited.operator()<uint8_t>()
                                                   : limited.operator()<int32_t>();
  return with_integers(self, to(kept, stored));
}
// Ties go to an even integer, or to one that is an even number away from the zero point.
Tensor to_even_integers(const Tensor& self, const Tensor& distances) {
  return within_dtype(self, round(add(distances, zero_point_of(self))));
}
Tensor to_even_distances(const Tensor& self, const Tensor& distances) {
  return within_dtype(self, add(round(distances), zero_point_of(self)));
}

}  // namespace

namespace native {

// --- Averaged ---

Tensor quantized_avg_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                            IntArrayRef padding, bool ceil_mode, bool count_include_pad,
                            std::optional<int64_t> divisor_override) {
  return to_even_integers(self, avg_pool2d(distances(self), kernel_size, stride, padding, ceil_mode,
                                           count_include_pad, divisor_override));
}
Tensor quantized_avg_pool3d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                            IntArrayRef padding, bool ceil_mode, bool count_include_pad,
                            std::optional<int64_t> divisor_override) {
  return to_even_distances(self, avg_pool3d(distances(self), kernel_size, stride, padding,
                                            ceil_mode, count_include_pad, divisor_override));
}
Tensor quantized_adaptive_avg_pool2d(const Tensor& self, IntArrayRef output_size) {
  return to_even_integers(self, tsc::_adaptive_avg_pool2d(distances(self), output_size));
}
Tensor quantized_adaptive_avg_pool3d(const Tensor& self, IntArrayRef output_size) {
  return to_even_integers(self, tsc::_adaptive_avg_pool3d(distances(self), output_size));
}
const Tensor& quantized_adaptive_avg_pool3d_out(const Tensor& self, IntArrayRef output_size,
                                                const Tensor& out) {
  return store_exact(native::quantized_adaptive_avg_pool3d(self, output_size), out);
}

// --- Of other sizes ---

// Integers of dtypes that the operator does not take move as those of others that are as large.
template <class Move>
Tensor moved(const Tensor& self, Move move) {
  const Tensor integers = stored_integers(self);
  const ScalarType dtype = integers.dtype();
  const Tensor result =
      move(tsc::view(integers, dtype == ScalarType::Int ? ScalarType::Float : ScalarType::Byte));
  return with_integers(self, tsc::view(result, dtype));
}

Tensor quantized_upsample_nearest2d(const Tensor& self, IntArrayRef output_size,
                                    std::optional<double> scales_h,
                                    std::optional<double> scales_w) {
  return moved(self, [&](const Tensor& integers) {
    return tsc::upsample_nearest2d(integers, output_size, scales_h, scales_w);
  });
}
Tensor quantized_upsample_nearest_exact2d(const Tensor& self, IntArrayRef output_size,
                                          std::optional<double> scales_h,
                                          std::optional<double> scales_w) {
  return moved(self, [&](const Tensor& integers) {
    return tsc::_upsample_nearest_exact2d(integers, output_size, scales_h, scales_w);
  });
}
Tensor quantized_upsample_nearest3d(const Tensor& self, IntArrayRef output_size,
                                    std::optional<double> scales_d, std::optional<double> scales_h,
                                    std::optional<double> scales_w) {
  return moved(self, [&](const Tensor& integers) {
    return tsc::upsample_nearest3d(integers, output_size, scales_d, scales_h, scales_w);
  });
}
Tensor quantized_upsample_nearest_exact3d(const Tensor& self, IntArrayRef output_size,
                                          std::optional<double> scales_d,
                                          std::optional<double> scales_h,
                                          std::optional<double> scales_w) {
  return moved(self, [&](const Tensor& integers) {
    return tsc::_upsample_nearest_exact3d(integers, output_size, scales_d, scales_h, scales_w);
  });
}
Tensor quantized_upsample_bilinear2d(const Tensor& self, IntArrayRef output_size,
                                     bool align_corners, std::optional<double> scales_h,
                                     std::optional<double> scales_w) {
  return to_even_distances(
      self, upsample_bilinear2d(distances(self), output_size, align_corners, scales_h, scales_w));
}

Tensor quantized_grid_sampler_2d(const Tensor& self, const Tensor& grid, int64_t interpolation_mode,
                                 int64_t padding_mode, bool align_corners) {
  if (self.dtype() != ScalarType::QUInt8) {
    throw_dtype_not_implemented("grid_sampler_2d_cpu_kernel_impl", self.dtype());
  }
  TSC_CHECK(interpolation_mode == 0,
            "_grid_sampler_2d_cpu_quantized(): only bilinear interpolation supported");
  return with_floats(self, tsc::grid_sampler_2d(dequantize(self), grid, interpolation_mode,
                                                padding_mode, align_corners));
}

Tensor quantized_channel_shuffle(const Tensor& self, int64_t groups) {
  TSC_CHECK(self.dim() == 4, "channel_shuffle expects 4D input, but got input with sizes {}",
            self.sizes());
  TSC_CHECK(self.dtype() == ScalarType::QUInt8,
            "Quantized channel shuffle works only on QUInt8 but got {}", self.dtype());
  return with_integers(self, tsc::channel_shuffle(stored_integers(self), groups));
}

}  // namespace native
}  // namespace tsc
