#include "core/memory_format.h"

#include <array>
#include <span>

#include "core/error.h"

namespace tsc {

namespace {

// Dimensions from the fastest to the slowest.
constexpr std::array<size_t, 4> kOrder2d = {1, 3, 2, 0};
constexpr std::array<size_t, 5> kOrder3d = {1, 4, 3, 2, 0};

std::span<const size_t> order_of(MemoryFormat format) {
  return format == MemoryFormat::ChannelsLast ? std::span<const size_t>(kOrder2d)
                                              : std::span<const size_t>(kOrder3d);
}

bool grow_in_order(std::span<const size_t> order, IntArrayRef sizes, IntArrayRef strides) {
  if (sizes.size() != order.size() || strides[1] == 0) {
    return false;
  }
  int64_t least = 0;
  for (const size_t dim : order) {
    if (sizes[dim] == 0 || strides[dim] < least) {
      return false;
    }
    // One image of one pixel, or a slice of one column: rows are as near as channels.
    if (dim == 0 && least == strides[1]) {
      return false;
    }
    least = strides[dim] * (sizes[dim] > 1 ? sizes[dim] : 1);
  }
  return true;
}

}  // namespace

DimVector strides_in(MemoryFormat format, IntArrayRef sizes) {
  DimVector strides(sizes.size());
  int64_t run = 1;
  const auto take = [&](size_t dim) {
    strides[dim] = run;
    // A product that does not fit is refused where the memory is allocated.
    (void)__builtin_mul_overflow(run, sizes[dim], &run);
  };
  TSC_ASSERT(format != MemoryFormat::Preserve);
  if (format == MemoryFormat::Contiguous) {
    for (size_t dim = sizes.size(); dim-- > 0;) {
      strides[dim] = run;
      (void)__builtin_mul_overflow(run, sizes[dim] > 1 ? sizes[dim] : 1, &run);
    }
    return strides;
  }
  const std::span<const size_t> order = order_of(format);
  const size_t absent = order.size() - sizes.size();  // 1 without a batch
  TSC_CHECK(absent <= 1, "{} has no strides for {} dimensions", to_string(format), sizes.size());
  for (const size_t dim : order) {
    if (dim >= absent) {
      take(dim - absent);
    }
  }
  return strides;
}

void check_rank(MemoryFormat format, size_t dim) {
  if (format == MemoryFormat::ChannelsLast || format == MemoryFormat::ChannelsLast3d) {
    const size_t wanted = order_of(format).size();
    TSC_CHECK(dim == wanted, "required rank {} tensor to use {} format", wanted,
              to_string(format).substr(std::string_view("torch.").size()));
  }
}

bool is_channels_last_contiguous(MemoryFormat format, IntArrayRef sizes, IntArrayRef strides) {
  const std::span<const size_t> order = order_of(format);
  if (sizes.size() != order.size()) {
    return false;
  }
  int64_t expected = 1;
  for (const size_t dim : order) {
    if (sizes[dim] != 1) {
      if (strides[dim] != expected) {
        return false;
      }
      expected *= sizes[dim];
    }
  }
  return true;
}

MemoryFormat suggested_memory_format(IntArrayRef sizes, IntArrayRef strides) {
  return grow_in_order(kOrder2d, sizes, strides)   ? MemoryFormat::ChannelsLast
         : grow_in_order(kOrder3d, sizes, strides) ? MemoryFormat::ChannelsLast3d
                                                   : MemoryFormat::Contiguous;
}

}  // namespace tsc
