// The structured groups of src/ops/nn/upsampling.yaml.
#include "gen/ops/upsampling_native.h"
#include "ops/nn/upsampling.h"

namespace tsc {
namespace {

using Kind = UpsampleMode::Kind;

constexpr UpsampleMode kNearest1d = {Kind::nearest, UpsampleFilter::linear,
                                     "compute_indices_weights_nearest",
                                     "upsample_nearest1d_backward"};
constexpr UpsampleMode kNearestExact1d = {Kind::nearest_exact, UpsampleFilter::linear,
                                          "compute_indices_weights_nearest",
                                          "_upsample_nearest_exact1d_backward"};
constexpr UpsampleMode kNearest2d = {Kind::nearest, UpsampleFilter::linear,
                                     "upsample_nearest2d_channels_last",
                                     "upsample_nearest2d_backward"};
constexpr UpsampleMode kNearestExact2d = {Kind::nearest_exact, UpsampleFilter::linear,
                                          "upsample_nearest2d_channels_last",
                                          "_upsample_nearest_exact2d_backward"};
constexpr UpsampleMode kNearest3d = {Kind::nearest, UpsampleFilter::linear,
                                     "compute_indices_weights_nearest",
                                     "upsample_nearest3d_backward"};
constexpr UpsampleMode kNearestExact3d = {Kind::nearest_exact, UpsampleFilter::linear,
                                          "compute_indices_weights_nearest",
                                          "_upsample_nearest_exact3d_backward"};
constexpr UpsampleMode kLinear1d = {Kind::interpolation, UpsampleFilter::linear,
                                    "compute_indices_weights_linear", "upsample_linear1d_backward"};
constexpr UpsampleMode kBilinear2d = {Kind::interpolation, UpsampleFilter::linear,
                                      "upsample_bilinear2d_channels_last",
                                      "upsample_bilinear2d_backward"};
constexpr UpsampleMode kTrilinear3d = {Kind::interpolation, UpsampleFilter::linear,
                                       "compute_indices_weights_linear",
                                       "upsample_trilinear3d_backward"};
constexpr UpsampleMode kBicubic2d = {Kind::interpolation, UpsampleFilter::cubic,
                                     "compute_indices_weights_cubic",
                                     "upsample_bicubic2d_backward"};
constexpr UpsampleMode kBilinear2dFilter = {Kind::filter, UpsampleFilter::linear,
                                            "compute_index_ranges_weights",
                                            "upsample_bilinear2d_aa_backward_cpu"};
constexpr UpsampleMode kBicubic2dFilter = {Kind::filter, UpsampleFilter::cubic,
                                           "compute_index_ranges_weights",
                                           "upsample_bicubic2d_aa_backward_cpu"};
constexpr UpsampleMode kLanczos2dFilter = {Kind::filter, UpsampleFilter::lanczos,
                                           "compute_index_ranges_weights",
                                           "upsample_lanczos2d_aa_backward_cpu"};

}  // namespace

TSC_META_FUNC(upsample_nearest1d)
(const Tensor& self, IntArrayRef output_size, std::optional<double>) {
  check_upsampling(*this, 1, self, output_size);
}
TSC_IMPL_FUNC(upsample_nearest1d_cpu)
(const Tensor& self, IntArrayRef, std::optional<double> scales, const Tensor& out) {
  run_upsampling(kNearest1d, self, false, {{{}, {}, scales}}, out);
}
TSC_META_FUNC(upsample_nearest1d_backward)
(const Tensor& grad_output, IntArrayRef output_size, IntArrayRef input_size,
 std::optional<double>) {
  check_upsampling_backward(*this, 1, grad_output, output_size, input_size, true);
}
TSC_IMPL_FUNC(upsample_nearest1d_backward_cpu)
(const Tensor& grad_output, IntArrayRef, IntArrayRef, std::optional<double> scales,
 const Tensor& grad_input) {
  run_upsampling_backward(kNearest1d, grad_output, false, {{{}, {}, scales}}, grad_input);
}

TSC_META_FUNC(_upsample_nearest_exact1d)
(const Tensor& self, IntArrayRef output_size, std::optional<double>) {
  check_upsampling(*this, 1, self, output_size);
}
TSC_IMPL_FUNC(_upsample_nearest_exact1d_cpu)
(const Tensor& self, IntArrayRef, std::optional<double> scales, const Tensor& out) {
  run_upsampling(kNearestExact1d, self, false, {{{}, {}, scales}}, out);
}
TSC_META_FUNC(_upsample_nearest_exact1d_backward)
(const Tensor& grad_output, IntArrayRef output_size, IntArrayRef input_size,
 std::optional<double>) {
  check_upsampling_backward(*this, 1, grad_output, output_size, input_size, true);
}
TSC_IMPL_FUNC(_upsample_nearest_exact1d_backward_cpu)
(const Tensor& grad_output, IntArrayRef, IntArrayRef, std::optional<double> scales,
 const Tensor& grad_input) {
  run_upsampling_backward(kNearestExact1d, grad_output, false, {{{}, {}, scales}}, grad_input);
}

TSC_META_FUNC(upsample_nearest2d)
(const Tensor& self, IntArrayRef output_size, std::optional<double>, std::optional<double>) {
  check_upsampling(*this, 2, self, output_size);
}
TSC_IMPL_FUNC(upsample_nearest2d_cpu)
(const Tensor& self, IntArrayRef, std::optional<double> scales_h, std::optional<double> scales_w,
 const Tensor& out) {
  run_upsampling(kNearest2d, self, false, {{{}, scales_h, scales_w}}, out);
}
TSC_META_FUNC(upsample_nearest2d_backward)
(const Tensor& grad_output, IntArrayRef output_size, IntArrayRef input_size, std::optional<double>,
 std::optional<double>) {
  check_upsampling_backward(*this, 2, grad_output, output_size, input_size, true);
}
TSC_IMPL_FUNC(upsample_nearest2d_backward_cpu)
(const Tensor& grad_output, IntArrayRef, IntArrayRef, std::optional<double> scales_h,
 std::optional<double> scales_w, const Tensor& grad_input) {
  run_upsampling_backward(kNearest2d, grad_output, false, {{{}, scales_h, scales_w}}, grad_input);
}

TSC_META_FUNC(_upsample_nearest_exact2d)
(const Tensor& self, IntArrayRef output_size, std::optional<double>, std::optional<double>) {
  check_upsampling(*this, 2, self, output_size);
}
TSC_IMPL_FUNC(_upsample_nearest_exact2d_cpu)
(const Tensor& self, IntArrayRef, std::optional<double> scales_h, std::optional<double> scales_w,
 const Tensor& out) {
  run_upsampling(kNearestExact2d, self, false, {{{}, scales_h, scales_w}}, out);
}
TSC_META_FUNC(_upsample_nearest_exact2d_backward)
(const Tensor& grad_output, IntArrayRef output_size, IntArrayRef input_size, std::optional<double>,
 std::optional<double>) {
  check_upsampling_backward(*this, 2, grad_output, output_size, input_size, true);
}
TSC_IMPL_FUNC(_upsample_nearest_exact2d_backward_cpu)
(const Tensor& grad_output, IntArrayRef, IntArrayRef, std::optional<double> scales_h,
 std::optional<double> scales_w, const Tensor& grad_input) {
  run_upsampling_backward(kNearestExact2d, grad_output, false, {{{}, scales_h, scales_w}},
                          grad_input);
}

TSC_META_FUNC(upsample_nearest3d)
(const Tensor& self, IntArrayRef output_size, std::optional<double>, std::optional<double>,
 std::optional<double>) {
  check_upsampling(*this, 3, self, output_size);
}
TSC_IMPL_FUNC(upsample_nearest3d_cpu)
(const Tensor& self, IntArrayRef, std::optional<double> scales_d, std::optional<double> scales_h,
 std::optional<double> scales_w, const Tensor& out) {
  run_upsampling(kNearest3d, self, false, {{scales_d, scales_h, scales_w}}, out);
}
TSC_META_FUNC(upsample_nearest3d_backward)
(const Tensor& grad_output, IntArrayRef output_size, IntArrayRef input_size, std::optional<double>,
 std::optional<double>, std::optional<double>) {
  check_upsampling_backward(*this, 3, grad_output, output_size, input_size, false);
}
TSC_IMPL_FUNC(upsample_nearest3d_backward_cpu)
(const Tensor& grad_output, IntArrayRef, IntArrayRef, std::optional<double> scales_d,
 std::optional<double> scales_h, std::optional<double> scales_w, const Tensor& grad_input) {
  run_upsampling_backward(kNearest3d, grad_output, false, {{scales_d, scales_h, scales_w}},
                          grad_input);
}

TSC_META_FUNC(_upsample_nearest_exact3d)
(const Tensor& self, IntArrayRef output_size, std::optional<double>, std::optional<double>,
 std::optional<double>) {
  check_upsampling(*this, 3, self, output_size);
}
TSC_IMPL_FUNC(_upsample_nearest_exact3d_cpu)
(const Tensor& self, IntArrayRef, std::optional<double> scales_d, std::optional<double> scales_h,
 std::optional<double> scales_w, const Tensor& out) {
  run_upsampling(kNearestExact3d, self, false, {{scales_d, scales_h, scales_w}}, out);
}
TSC_META_FUNC(_upsample_nearest_exact3d_backward)
(const Tensor& grad_output, IntArrayRef output_size, IntArrayRef input_size, std::optional<double>,
 std::optional<double>, std::optional<double>) {
  check_upsampling_backward(*this, 3, grad_output, output_size, input_size, false);
}
TSC_IMPL_FUNC(_upsample_nearest_exact3d_backward_cpu)
(const Tensor& grad_output, IntArrayRef, IntArrayRef, std::optional<double> scales_d,
 std::optional<double> scales_h, std::optional<double> scales_w, const Tensor& grad_input) {
  run_upsampling_backward(kNearestExact3d, grad_output, false, {{scales_d, scales_h, scales_w}},
                          grad_input);
}

TSC_META_FUNC(upsample_linear1d)
(const Tensor& self, IntArrayRef output_size, bool, std::optional<double>) {
  check_upsampling(*this, 1, self, output_size);
}
TSC_IMPL_FUNC(upsample_linear1d_cpu)
(const Tensor& self, IntArrayRef, bool align_corners, std::optional<double> scales,
 const Tensor& out) {
  run_upsampling(kLinear1d, self, align_corners, {{{}, {}, scales}}, out);
}
TSC_META_FUNC(upsample_linear1d_backward)
(const Tensor& grad_output, IntArrayRef output_size, IntArrayRef input_size, bool,
 std::optional<double>) {
  check_upsampling_backward(*this, 1, grad_output, output_size, input_size, true);
}
TSC_IMPL_FUNC(upsample_linear1d_backward_cpu)
(const Tensor& grad_output, IntArrayRef, IntArrayRef, bool align_corners,
 std::optional<double> scales, const Tensor& grad_input) {
  run_upsampling_backward(kLinear1d, grad_output, align_corners, {{{}, {}, scales}}, grad_input);
}

TSC_META_FUNC(upsample_bilinear2d)
(const Tensor& self, IntArrayRef output_size, bool, std::optional<double>, std::optional<double>) {
  check_upsampling(*this, 2, self, output_size);
}
TSC_IMPL_FUNC(upsample_bilinear2d_cpu)
(const Tensor& self, IntArrayRef, bool align_corners, std::optional<double> scales_h,
 std::optional<double> scales_w, const Tensor& out) {
  run_upsampling(kBilinear2d, self, align_corners, {{{}, scales_h, scales_w}}, out);
}
TSC_META_FUNC(upsample_bilinear2d_backward)
(const Tensor& grad_output, IntArrayRef output_size, IntArrayRef input_size, bool,
 std::optional<double>, std::optional<double>) {
  check_upsampling_backward(*this, 2, grad_output, output_size, input_size, true);
}
TSC_IMPL_FUNC(upsample_bilinear2d_backward_cpu)
(const Tensor& grad_output, IntArrayRef, IntArrayRef, bool align_corners,
 std::optional<double> scales_h, std::optional<double> scales_w, const Tensor& grad_input) {
  run_upsampling_backward(kBilinear2d, grad_output, align_corners, {{{}, scales_h, scales_w}},
                          grad_input);
}

TSC_META_FUNC(upsample_trilinear3d)
(const Tensor& self, IntArrayRef output_size, bool, std::optional<double>, std::optional<double>,
 std::optional<double>) {
  check_upsampling(*this, 3, self, output_size);
}
TSC_IMPL_FUNC(upsample_trilinear3d_cpu)
(const Tensor& self, IntArrayRef, bool align_corners, std::optional<double> scales_d,
 std::optional<double> scales_h, std::optional<double> scales_w, const Tensor& out) {
  run_upsampling(kTrilinear3d, self, align_corners, {{scales_d, scales_h, scales_w}}, out);
}
TSC_META_FUNC(upsample_trilinear3d_backward)
(const Tensor& grad_output, IntArrayRef output_size, IntArrayRef input_size, bool,
 std::optional<double>, std::optional<double>, std::optional<double>) {
  check_upsampling_backward(*this, 3, grad_output, output_size, input_size, true);
}
TSC_IMPL_FUNC(upsample_trilinear3d_backward_cpu)
(const Tensor& grad_output, IntArrayRef, IntArrayRef, bool align_corners,
 std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w,
 const Tensor& grad_input) {
  run_upsampling_backward(kTrilinear3d, grad_output, align_corners,
                          {{scales_d, scales_h, scales_w}}, grad_input);
}

TSC_META_FUNC(upsample_bicubic2d)
(const Tensor& self, IntArrayRef output_size, bool, std::optional<double>, std::optional<double>) {
  check_upsampling(*this, 2, self, output_size);
}
TSC_IMPL_FUNC(upsample_bicubic2d_cpu)
(const Tensor& self, IntArrayRef, bool align_corners, std::optional<double> scales_h,
 std::optional<double> scales_w, const Tensor& out) {
  run_upsampling(kBicubic2d, self, align_corners, {{{}, scales_h, scales_w}}, out);
}
TSC_META_FUNC(upsample_bicubic2d_backward)
(const Tensor& grad_output, IntArrayRef output_size, IntArrayRef input_size, bool,
 std::optional<double>, std::optional<double>) {
  check_upsampling_backward(*this, 2, grad_output, output_size, input_size, false);
}
TSC_IMPL_FUNC(upsample_bicubic2d_backward_cpu)
(const Tensor& grad_output, IntArrayRef, IntArrayRef, bool align_corners,
 std::optional<double> scales_h, std::optional<double> scales_w, const Tensor& grad_input) {
  run_upsampling_backward(kBicubic2d, grad_output, align_corners, {{{}, scales_h, scales_w}},
                          grad_input);
}

TSC_META_FUNC(_upsample_bilinear2d_aa)
(const Tensor& self, IntArrayRef output_size, bool, std::optional<double>, std::optional<double>) {
  check_upsampling(*this, 2, self, output_size);
}
TSC_IMPL_FUNC(_upsample_bilinear2d_aa_cpu)
(const Tensor& self, IntArrayRef, bool align_corners, std::optional<double> scales_h,
 std::optional<double> scales_w, const Tensor& out) {
  run_upsampling(kBilinear2dFilter, self, align_corners, {{{}, scales_h, scales_w}}, out);
}
TSC_META_FUNC(_upsample_bilinear2d_aa_backward)
(const Tensor& grad_output, IntArrayRef output_size, IntArrayRef input_size, bool,
 std::optional<double>, std::optional<double>) {
  check_upsampling_backward(*this, 2, grad_output, output_size, input_size, true);
}
TSC_IMPL_FUNC(_upsample_bilinear2d_aa_backward_cpu)
(const Tensor& grad_output, IntArrayRef, IntArrayRef, bool align_corners,
 std::optional<double> scales_h, std::optional<double> scales_w, const Tensor& grad_input) {
  run_upsampling_backward(kBilinear2dFilter, grad_output, align_corners, {{{}, scales_h, scales_w}},
                          grad_input);
}

TSC_META_FUNC(_upsample_bicubic2d_aa)
(const Tensor& self, IntArrayRef output_size, bool, std::optional<double>, std::optional<double>) {
  check_upsampling(*this, 2, self, output_size);
}
TSC_IMPL_FUNC(_upsample_bicubic2d_aa_cpu)
(const Tensor& self, IntArrayRef, bool align_corners, std::optional<double> scales_h,
 std::optional<double> scales_w, const Tensor& out) {
  run_upsampling(kBicubic2dFilter, self, align_corners, {{{}, scales_h, scales_w}}, out);
}
TSC_META_FUNC(_upsample_bicubic2d_aa_backward)
(const Tensor& grad_output, IntArrayRef output_size, IntArrayRef input_size, bool,
 std::optional<double>, std::optional<double>) {
  check_upsampling_backward(*this, 2, grad_output, output_size, input_size, false);
}
TSC_IMPL_FUNC(_upsample_bicubic2d_aa_backward_cpu)
(const Tensor& grad_output, IntArrayRef, IntArrayRef, bool align_corners,
 std::optional<double> scales_h, std::optional<double> scales_w, const Tensor& grad_input) {
  run_upsampling_backward(kBicubic2dFilter, grad_output, align_corners, {{{}, scales_h, scales_w}},
                          grad_input);
}

TSC_META_FUNC(_upsample_lanczos2d_aa)
(const Tensor& self, IntArrayRef output_size, bool, std::optional<double>, std::optional<double>) {
  check_upsampling(*this, 2, self, output_size);
}
TSC_IMPL_FUNC(_upsample_lanczos2d_aa_cpu)
(const Tensor& self, IntArrayRef, bool align_corners, std::optional<double> scales_h,
 std::optional<double> scales_w, const Tensor& out) {
  run_upsampling(kLanczos2dFilter, self, align_corners, {{{}, scales_h, scales_w}}, out);
}
TSC_META_FUNC(_upsample_lanczos2d_aa_backward)
(const Tensor& grad_output, IntArrayRef output_size, IntArrayRef input_size, bool,
 std::optional<double>, std::optional<double>) {
  check_upsampling_backward(*this, 2, grad_output, output_size, input_size, false);
}
TSC_IMPL_FUNC(_upsample_lanczos2d_aa_backward_cpu)
(const Tensor& grad_output, IntArrayRef, IntArrayRef, bool align_corners,
 std::optional<double> scales_h, std::optional<double> scales_w, const Tensor& grad_input) {
  run_upsampling_backward(kLanczos2dFilter, grad_output, align_corners, {{{}, scales_h, scales_w}},
                          grad_input);
}

}  // namespace tsc
