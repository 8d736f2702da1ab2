// Tensors as text, byte for byte as PyTorch prints them.
//
// The elements that will be shown are read twice. The first time decides the style of all of them
// (integers with a point, fixed, or scientific) and the width of a column; the second time writes.
// Elements are read from memory by strides, without a call to an operator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace tsc {

// The settings of torch.set_printoptions.
struct TSC_API PrintOptions {
  int precision = 4;
  // Tensors with more elements are summarised; infinity for never.
  double threshold = 1000;
  // The number of elements shown at each end of a summarised dimension.
  int64_t edgeitems = 3;
  int64_t linewidth = 80;
  // None: scientific where the values need it.
  std::optional<bool> sci_mode;

  // "default", "short" or "full"; any other name changes nothing, as in PyTorch.
  void set_profile(std::string_view profile);
};

// repr(tensor). `grad_fn` is the name of the node that made it, empty for none. A tensor of another
// device, or one whose memory does not hold its elements as they are, is printed with `host`, a
// copy of it in CPU memory.
TSC_API std::string tensor_to_string(const Tensor& tensor, const PrintOptions& options = {},
                                     std::string_view grad_fn = {}, const Tensor& host = {});

}  // namespace tsc
