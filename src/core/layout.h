// Layout and MemoryFormat: how a tensor's elements are stored, and in which order.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/macros.h"

namespace tsc {

// Numbers are PyTorch's: schemas and scripts pass a layout as an int.
enum class Layout : int8_t { Strided = 0, Sparse = 1, SparseCsr = 2 };

enum class MemoryFormat : int8_t {
  Contiguous = 0,
  Preserve = 1,
  ChannelsLast = 2,
  ChannelsLast3d = 3
};

// "torch.strided", "torch.sparse_coo".
constexpr std::string_view to_string(Layout layout) {
  constexpr std::string_view kNames[] = {"torch.strided", "torch.sparse_coo", "torch.sparse_csr"};
  return kNames[static_cast<size_t>(layout)];
}

constexpr std::string_view to_string(MemoryFormat format) {
  constexpr std::string_view kNames[] = {"torch.contiguous_format", "torch.preserve_format",
                                         "torch.channels_last", "torch.channels_last_3d"};
  return kNames[static_cast<size_t>(format)];
}

}  // namespace tsc
