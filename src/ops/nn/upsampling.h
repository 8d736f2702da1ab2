// What upsampling and its gradients share.
#pragma once

#include <array>
#include <optional>

#include "core/tensor.h"
#include "ops/nn/upsampling_taps.h"
#include "ops/structured/meta_base.h"

namespace tsc {

using UpsampleScales = std::array<std::optional<double>, 3>;  // of depth, height and width

// How elements between those of the input are made. `names`: the kernel's name in messages about
// dtypes, and the gradient's.
struct UpsampleMode {
  enum class Kind : uint8_t { nearest, nearest_exact, interpolation, filter };
  Kind kind;
  UpsampleFilter filter;
  const char* name;
  const char* backward_name;
};

// `count` spatial dimensions.
void check_upsampling(MetaBase& meta, size_t count, const Tensor& self, IntArrayRef output_size);
void check_upsampling_backward(MetaBase& meta, size_t count, const Tensor& grad_output,
                               IntArrayRef output_size, IntArrayRef input_size,
                               bool keeps_channels_last);

void run_upsampling(const UpsampleMode& mode, const Tensor& self, bool align_corners,
                    const UpsampleScales& scales, const Tensor& out);
void run_upsampling_backward(const UpsampleMode& mode, const Tensor& grad_output,
                             bool align_corners, const UpsampleScales& scales,
                             const Tensor& grad_input);

}  // namespace tsc
