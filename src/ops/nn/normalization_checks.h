// What the operators of normalization ask of their arguments. RuntimeError where it does not hold.
#pragma once

#include "core/tensor.h"

namespace tsc {

// `normalized_shape` has at least one dimension, and is the input's last sizes; `separator` stands
// in the message. Weight and bias have that shape.
void check_layer_norm(const Tensor& input, IntArrayRef normalized_shape, OptionalTensorRef weight,
                      OptionalTensorRef bias, const char* separator = ", ");

// The input has `examples` x `channels` x `elements` elements, all channels in groups of one size;
// weight and bias have an element for each channel.
void check_group_norm(const Tensor& input, OptionalTensorRef weight, OptionalTensorRef bias,
                      int64_t examples, int64_t channels, int64_t elements, int64_t group);

}  // namespace tsc
