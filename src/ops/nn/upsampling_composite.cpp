// Upsampling by sizes or by factors, of which the caller gives one.
#include "core/scalar.h"
#include "core/small_vector.h"
#include "gen/ops/upsampling.h"
#include "gen/ops/upsampling_native.h"

namespace tsc::native {
namespace {

using OutputSize = std::optional<IntArrayRef>;
using ScaleFactors = std::optional<ArrayRef<double>>;

// The sizes of the result's spatial dimensions.
DimVector spatial_size(const Tensor& input, OutputSize output_size, ScaleFactors factors) {
  const auto count = static_cast<size_t>(input.dim() - 2);
  TSC_CHECK(output_size.has_value() != factors.has_value(),
            "Must specify exactly one of output_size and scale_factors");
  const auto check_count = [&](size_t given, const char* name) {
    TSC_CHECK(given == count,
              "Expected static_cast<int64_t>({}->size()) == spatial_dimensions to be true, but got "
              "false.  (Could this error message be improved?  If so, please report an enhancement "
              "request to PyTorch.)",
              name);
  };
  DimVector size;
  if (output_size.has_value()) {
    check_count(output_size->size(), "output_size");
    return DimVector(*output_size);
  }
  check_count(factors->size(), "scale_factors");
  for (size_t i = 0; i < count; i++) {
    const auto extent = static_cast<double>(input.sizes()[i + 2]);
    size.push_back(Scalar(extent * (*factors)[i]).to<int64_t>());
  }
  return size;
}

std::optional<double> scale_of(ScaleFactors factors, size_t i) {
  return factors.has_value() ? std::optional<double>((*factors)[i]) : std::nullopt;
}

}  // namespace

Tensor upsample_nearest1d_vec(const Tensor& input, OutputSize output_size,
                              ScaleFactors scale_factors) {
  return upsample_nearest1d(input, spatial_size(input, output_size, scale_factors),
                            scale_of(scale_factors, 0));
}
Tensor _upsample_nearest_exact1d_vec(const Tensor& input, OutputSize output_size,
                                     ScaleFactors scale_factors) {
  return _upsample_nearest_exact1d(input, spatial_size(input, output_size, scale_factors),
                                   scale_of(scale_factors, 0));
}
Tensor upsample_nearest2d_vec(const Tensor& input, OutputSize output_size,
                              ScaleFactors scale_factors) {
  return upsample_nearest2d(input, spatial_size(input, output_size, scale_factors),
                            scale_of(scale_factors, 0), scale_of(scale_factors, 1));
}
Tensor _upsample_nearest_exact2d_vec(const Tensor& input, OutputSize output_size,
                                     ScaleFactors scale_factors) {
  return _upsample_nearest_exact2d(input, spatial_size(input, output_size, scale_factors),
                                   scale_of(scale_factors, 0), scale_of(scale_factors, 1));
}
Tensor upsample_nearest3d_vec(const Tensor& input, OutputSize output_size,
                              ScaleFactors scale_factors) {
  return upsample_nearest3d(input, spatial_size(input, output_size, scale_factors),
                            scale_of(scale_factors, 0), scale_of(scale_factors, 1),
                            scale_of(scale_factors, 2));
}
Tensor _upsample_nearest_exact3d_vec(const Tensor& input, OutputSize output_size,
                                     ScaleFactors scale_factors) {
  return _upsample_nearest_exact3d(input, spatial_size(input, output_size, scale_factors),
                                   scale_of(scale_factors, 0), scale_of(scale_factors, 1),
                                   scale_of(scale_factors, 2));
}
Tensor upsample_linear1d_vec(const Tensor& input, OutputSize output_size, bool align_corners,
                             ScaleFactors scale_factors) {
  return upsample_linear1d(input, spatial_size(input, output_size, scale_factors), align_corners,
                           scale_of(scale_factors, 0));
}
Tensor upsample_bilinear2d_vec(const Tensor& input, OutputSize output_size, bool align_corners,
                               ScaleFactors scale_factors) {
  return upsample_bilinear2d(input, spatial_size(input, output_size, scale_factors), align_corners,
                             scale_of(scale_factors, 0), scale_of(scale_factors, 1));
}
Tensor upsample_trilinear3d_vec(const Tensor& input, OutputSize output_size, bool align_corners,
                                ScaleFactors scale_factors) {
  return upsample_trilinear3d(input, spatial_size(input, output_size, scale_factors), align_corners,
                              scale_of(scale_factors, 0), scale_of(scale_factors, 1),
                              scale_of(scale_factors, 2));
}
Tensor upsample_bicubic2d_vec(const Tensor& input, OutputSize output_size, bool align_corners,
                              ScaleFactors scale_factors) {
  return upsample_bicubic2d(input, spatial_size(input, output_size, scale_factors), align_corners,
                            scale_of(scale_factors, 0), scale_of(scale_factors, 1));
}
Tensor _upsample_bilinear2d_aa_vec(const Tensor& input, OutputSize output_size, bool align_corners,
                                   ScaleFactors scale_factors) {
  return _upsample_bilinear2d_aa(input, spatial_size(input, output_size, scale_factors),
                                 align_corners, scale_of(scale_factors, 0),
                                 scale_of(scale_factors, 1));
}
Tensor _upsample_bicubic2d_aa_vec(const Tensor& input, OutputSize output_size, bool align_corners,
                                  ScaleFactors scale_factors) {
  return _upsample_bicubic2d_aa(input, spatial_size(input, output_size, scale_factors),
                                align_corners, scale_of(scale_factors, 0),
                                scale_of(scale_factors, 1));
}
Tensor _upsample_lanczos2d_aa_vec(const Tensor& input, OutputSize output_size, bool align_corners,
                                  ScaleFactors scale_factors) {
  return _upsample_lanczos2d_aa(input, spatial_size(input, output_size, scale_factors),
                                align_corners, scale_of(scale_factors, 0),
                                scale_of(scale_factors, 1));
}

}  // namespace tsc::native
