#include "ops/nn/normalization_checks.h"

#include <fmt/format.h>

namespace tsc {

static void check_shape(OptionalTensorRef parameter, IntArrayRef shape, const char* name) {
  TSC_CHECK(!parameter.has_value() || parameter->sizes() == shape,
            "Expected {} to be of same shape as normalized_shape, but got {} of shape {} and "
            "normalized_shape = {}",
            name, name, parameter->sizes(), shape);
}

void check_layer_norm(const Tensor& input, IntArrayRef normalized_shape, OptionalTensorRef weight,
                      OptionalTensorRef bias, const char* separator) {
  const size_t dims = normalized_shape.size();
  TSC_CHECK(dims >= 1,
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
            "element, but got normalized_shape = {}",
            normalized_shape);
  check_shape(weight, normalized_shape, "weight");
  check_shape(bias, normalized_shape, "bias");
  const bool fits = input.sizes().size() >= dims &&
                    input.sizes().slice(input.sizes().size() - dims) == normalized_shape;
  TSC_CHECK(fits,
            "Given normalized_shape={}, expected input with shape [*{}{}], but got input of size{}",
            normalized_shape, separator, fmt::join(normalized_shape, ", "), input.sizes());
}

static void check_channels(const Tensor& input, OptionalTensorRef parameter, int64_t channels,
                           const char* name) {
  TSC_CHECK(!parameter.has_value() || (parameter->dim() == 1 && parameter->numel() == channels),
            "Expected {} to be a vector of size equal to the number of channels in input, but got "
            "{} of shape {} and input of shape {}",
            name, name, parameter->sizes(), input.sizes());
}

void check_group_norm(const Tensor& input, OptionalTensorRef weight, OptionalTensorRef bias,
                      int64_t examples, int64_t channels, int64_t elements, int64_t group) {
  TSC_CHECK(group > 0, "Expected num groups to be greater than 0, got {}", group);
  TSC_CHECK(channels > 0, "Expected number of channels to be greater than 0, got {}", channels);
  TSC_CHECK(channels % group == 0,
            "Expected number of channels in input to be divisible by num_groups, but got input of "
            "shape {} and num_groups={}",
            input.sizes(), group);
  check_channels(input, weight, channels, "weight");
  check_channels(input, bias, channels, "bias");
  TSC_CHECK(input.numel() == examples * channels * elements,
            "Expected X.numel() == N * C * HxW to be true, but got false.");
}

}  // namespace tsc
