#include "autograd/formula_cases.h"
#include "core/tensor_factory.h"
#include "gen/calls/cross_entropy_loss.h"
#include "gen/calls/full.h"
#include "gen/calls/log_softmax.h"
#include "gen/calls/mse_loss.h"
#include "gen/calls/nll_loss.h"
#include "gen/calls/relu.h"
#include "gen/calls/softmax.h"
#include "gen/calls/square.h"
#include "gen/calls/view.h"
#include "gen/ops/activation.h"
#include "gen/ops/pooling.h"
#include "gen/ops/special.h"
#include "gen/ops/upsampling.h"
#include "gen/ops/vision.h"

using namespace tsc;
using testing::check_formulas;
using testing::integers;
using testing::leaf;

TEST_CASE("formulas: losses and activations") {
  const std::vector<Tensor> inputs = {leaf({3, 4})};
  const std::vector<Tensor> two = {leaf({3, 4}), leaf({3, 4})};
  const Tensor classes = integers({1, 3, 0});
  check_formulas({
      {"softmax", inputs, TSC_OF(square(softmax(x[0], 1)), softmax(x[0], 0))},
      {"log_softmax", inputs, TSC_OF(square(log_softmax(x[0], -1)))},
      {"nll_loss", inputs,
       [=](const auto& x) -> std::vector<Tensor> {
         return {square(nll_loss(x[0], classes)), nll_loss(x[0], classes, {}, 2)};
       }},
      {"cross_entropy", inputs,
       [=](const auto& x) -> std::vector<Tensor> {
         return {cross_entropy_loss(x[0], classes), cross_entropy_loss(x[0], classes, {}, 0)};
       }},
      {"mse_loss", two, TSC_OF(mse_loss(x[0], x[1]), mse_loss(x[0], x[1], 0))},
      {"relu", inputs, TSC_OF(square(relu(x[0])))},
  });
}

TEST_CASE("formulas: pooling") {
  const std::vector<Tensor> line = {leaf({2, 7})};
  const std::vector<Tensor> image = {leaf({2, 5, 6})};
  const std::vector<Tensor> volume = {leaf({1, 2, 4, 5, 4})};
  const Tensor places = view(integers({0, 3, 5, 7, 8, 11, 13, 15}), {2, 2, 2});
  check_formulas({
      {"max_pool1d", line, TSC_OF(square(max_pool1d(x[0], {3}, {2}, {1})))},
      {"max_pool2d", image, TSC_OF(square(max_pool2d(x[0], {3, 2}, {2, 1}, {1, 1}, {1, 2}, true)))},
      {"max_pool3d", volume, TSC_OF(square(max_pool3d(x[0], {2, 2, 2}, {1, 2, 2}, {1, 1, 1})))},
      {"avg_pool1d", line, TSC_OF(square(avg_pool1d(x[0], {3}, {2}, {1})))},
      {"avg_pool2d", image,
       TSC_OF(square(avg_pool2d(x[0], {3, 2}, {2, 1}, {1, 1}, true, false)),
              square(avg_pool2d(x[0], {2, 2}, {2, 2}, {0, 0}, false, true, 3)))},
      {"avg_pool3d", volume,
       TSC_OF(square(avg_pool3d(x[0], {2, 2, 2}, {1, 2, 2}, {1, 1, 1}, true)))},
      {"adaptive_avg_pool1d", line, TSC_OF(square(adaptive_avg_pool1d(x[0], {3})))},
      {"adaptive_avg_pool2d", image,
       TSC_OF(square(adaptive_avg_pool2d(x[0], {3, 4})),
              square(adaptive_avg_pool2d(x[0], {1, 1})))},
      {"adaptive_avg_pool3d", volume, TSC_OF(square(adaptive_avg_pool3d(x[0], {2, 3, 3})))},
      {"adaptive_max_pool1d", line, TSC_OF(square(std::get<0>(adaptive_max_pool1d(x[0], {3}))))},
      {"adaptive_max_pool2d", image,
       TSC_OF(square(std::get<0>(adaptive_max_pool2d(x[0], {3, 4}))))},
      {"adaptive_max_pool3d", volume,
       TSC_OF(square(std::get<0>(adaptive_max_pool3d(x[0], {2, 3, 3}))))},
      {"fractional_max_pool2d", image,
       TSC_OF(square(std::get<0>(fractional_max_pool2d(
           x[0], {2, 2}, {3, 3}, full({1, 2, 2}, Scalar(0.4), ScalarType::Double)))))},
      {"fractional_max_pool3d", volume,
       TSC_OF(square(std::get<0>(fractional_max_pool3d(
           x[0], {2, 2, 2}, {2, 3, 2}, full({1, 2, 3}, Scalar(0.7), ScalarType::Double)))))},
      {"max_unpool2d",
       {leaf({2, 2, 2})},
       [=](const auto& x) -> std::
                              vector<Tensor> {
                                return {square(max_unpool2d(x[0], places, {4, 5}))};
                              }},
      {"max_unpool3d",
       {leaf({2, 1, 2, 2})},
       [=](const auto& x) -> std::
                              vector<Tensor> {
                                return {square(max_unpool3d(x[0], view(places, {2, 1, 2, 2}),
                                                            {2, 4, 3}, {1, 1, 1}, {0, 0, 0}))};
                              }},
      {"im2col", image, TSC_OF(square(im2col(x[0], {2, 3}, {1, 2}, {1, 0}, {2, 1})))},
      {"col2im",
       {leaf({1, 8, 6})},
       TSC_OF(square(col2im(x[0], {3, 4}, {2, 2}, {1, 1}, {0, 0}, {1, 1})))},
  });
}

TEST_CASE("formulas: upsampling") {
  const std::vector<Tensor> signal = {leaf({2, 2, 4})};
  const std::vector<Tensor> image = {leaf({1, 2, 3, 4})};
  const std::vector<Tensor> volume = {leaf({1, 2, 2, 3, 2})};
  check_formulas({
      {"nearest", signal,
       TSC_OF(square(upsample_nearest1d(x[0], {7})), square(_upsample_nearest_exact1d(x[0], {3})))},
      {"nearest, images", image,
       TSC_OF(square(upsample_nearest2d(x[0], {5, 7})),
              square(_upsample_nearest_exact2d(x[0], {2, 9})))},
      {"nearest, volumes", volume,
       TSC_OF(square(upsample_nearest3d(x[0], {3, 4, 5})),
              square(_upsample_nearest_exact3d(x[0], {1, 4, 3})))},
      {"linear", signal,
       TSC_OF(square(upsample_linear1d(x[0], {7}, false)),
              square(upsample_linear1d(x[0], {3}, true)))},
      {"bilinear", image,
       TSC_OF(square(upsample_bilinear2d(x[0], {5, 3}, false)),
              square(upsample_bilinear2d(x[0], {3, 7}, true)))},
      {"bicubic", image,
       TSC_OF(square(upsample_bicubic2d(x[0], {5, 3}, false)),
              square(upsample_bicubic2d(x[0], {2, 7}, true, 0.6, 1.7)))},
      {"trilinear", volume, TSC_OF(square(upsample_trilinear3d(x[0], {3, 2, 5}, false)))},
      {"filters", image,
       TSC_OF(square(_upsample_bilinear2d_aa(x[0], {2, 2}, false)),
              square(_upsample_bicubic2d_aa(x[0], {5, 2}, false)),
              square(_upsample_lanczos2d_aa(x[0], {2, 3}, false)))},
  });
}

TEST_CASE("formulas: pixels, channels and points") {
  const std::vector<Tensor> image = {leaf({1, 4, 2, 3})};
  const std::vector<Tensor> image_and_grid = {leaf({1, 2, 4, 5}), leaf({1, 2, 3, 2})};
  const std::vector<Tensor> volume_and_grid = {leaf({1, 2, 3, 2, 3}), leaf({1, 1, 2, 2, 3})};
  check_formulas({
      {"shuffles", image,
       TSC_OF(square(pixel_shuffle(x[0], 2)), square(pixel_unshuffle(x[0], 1)),
              square(channel_shuffle(x[0], 2)))},
      {"grid_sampler_2d", image_and_grid,
       TSC_OF(grid_sampler_2d(x[0], x[1], 0, 0, false), grid_sampler_2d(x[0], x[1], 2, 2, true)),
       1},
      {"grid_sampler_3d", volume_and_grid, TSC_OF(grid_sampler_3d(x[0], x[1], 0, 0, true)), 1},
      {"affine_grid_generator",
       {leaf({2, 2, 3})},
       TSC_OF(square(affine_grid_generator(x[0], {2, 1, 3, 2}, false)))},
  });
}

TEST_CASE("formulas: gradients of shrinks, and the incomplete gamma function") {
  const Tensor shape = integers({1, 2, 3});
  check_formulas({
      {"hardshrink_backward", {leaf({5}), leaf({5})}, TSC_OF(hardshrink_backward(x[0], x[1], 0.3))},
      {"softshrink_backward", {leaf({5}), leaf({5})}, TSC_OF(softshrink_backward(x[0], x[1], 0.3))},
      {"hardsigmoid_backward", {leaf({5}), leaf({5})}, TSC_OF(hardsigmoid_backward(x[0], x[1]))},
      {"igamma",
       {leaf({3})},
       [=](const auto& x) -> std::vector<Tensor> {
         return {igamma(shape, square(x[0])), igammac(shape, square(x[0]))};
       }},
  });
}
