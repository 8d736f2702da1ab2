// Memory formats: the strides of channels_last and channels_last_3d, and how a tensor's strides are
// recognized as one of them. Source: PyTorch's rules, as observed.
//
//   sizes [2, 3, 4, 5]   contiguous_format  strides [60, 20, 5, 1]
//                        channels_last      strides [60, 1, 15, 3]    channels are the fastest
#pragma once

#include "core/array_ref.h"
#include "core/layout.h"
#include "core/macros.h"
#include "core/small_vector.h"

namespace tsc {

// Dense strides, in elements. The sizes are [N, C, H, W] or [C, H, W] with channels_last, [N, C, D,
// H, W] or [C, D, H, W] with channels_last_3d: RuntimeError for another number. Preserve is refused.
TSC_API DimVector strides_in(MemoryFormat format, IntArrayRef sizes);

// RuntimeError where a batch of this number of dimensions has no strides in `format`: channels_last
// wants four, channels_last_3d five.
TSC_API void check_rank(MemoryFormat format, size_t dim);

// Dense in the order of channels_last (four dimensions) or channels_last_3d (five); false for
// tensors with another number of dimensions. The stride of a dimension of size 1 does not count.
TSC_API bool is_channels_last_contiguous(MemoryFormat format, IntArrayRef sizes,
                                         IntArrayRef strides);

// channels_last or channels_last_3d where strides grow in that order, with gaps or without;
// contiguous_format otherwise, and where sizes of 1 leave it open.
TSC_API MemoryFormat suggested_memory_format(IntArrayRef sizes, IntArrayRef strides);

}  // namespace tsc
