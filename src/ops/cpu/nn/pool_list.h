// Kernels of each instruction set for pooling: the largest element, or the average, of every window
// of a volume of [depth, height, width]. A plane is the volume of one channel.
//
//   rows       contiguous planes [.., depth, height, width]; neighbours along the width share a
//              vector
//   channels   images [.., depth, height, width, channels]; neighbouring channels share a vector
//   strided    volumes of any strides, read from where they lie
//
// All visit the elements of a window in the order of the volume, so that they give the same bits.
#pragma once

#include <cstdint>

namespace tsc::cpu {

// The windows along one dimension.
struct PoolAxis {
  int64_t size;            // elements of the volume
  int64_t windows;         // how many there are
  const int64_t* first;    // of each: the first of its elements that exist
  const int64_t* count;    // of each: how many of its elements exist
  const int64_t* divisor;  // of each: what an average divides by
  int64_t step;            // from one element of a window to the next
  // Windows of which no element is missing, `stride` apart: [whole_begin, whole_end).
  int64_t stride;
  int64_t whole_begin;
  int64_t whole_end;
};

// What a sum is divided by: the product of the dimensions' divisors, one after the other, or one
// number for all windows.
enum class PoolDivisor : uint8_t { product, one_by_one, fixed };

struct PoolWindows {
  PoolAxis depth;
  PoolAxis height;
  PoolAxis width;
  PoolDivisor divisor = PoolDivisor::product;
  int64_t fixed_divisor = 1;

  int64_t volume() const { return depth.size * height.size * width.size; }
  int64_t rows() const { return depth.windows * height.windows; }
  int64_t windows() const { return rows() * width.windows; }
};

// Of a volume's elements, as numbers of elements.
struct PoolStrides {
  int64_t image;
  int64_t channel;
  int64_t depth;
  int64_t height;
  int64_t width;
};

struct PoolKernels {
  // Rows of windows [begin, end), counted through all planes. indices: null where they are not
  // wanted.
  using MaxRows = void (*)(const PoolWindows& windows, const char* in, char* out, int64_t* indices,
                           int64_t begin, int64_t end);
  // Windows [begin, end), counted through all images.
  using MaxChannels = void (*)(const PoolWindows& windows, int64_t channels, const char* in,
                               char* out, int64_t* indices, int64_t begin, int64_t end);
  using AverageRows = void (*)(const PoolWindows& windows, const char* in, char* out, int64_t begin,
                               int64_t end);
  using AverageChannels = void (*)(const PoolWindows& windows, int64_t channels, const char* in,
                                   char* out, int64_t begin, int64_t end);
  // Windows [begin, end), counted through all images, of all channels. The results are contiguous.
  using MaxStrided = void (*)(const PoolWindows& windows, const PoolStrides& strides,
                              int64_t channels, const char* in, char* out, int64_t* indices,
                              int64_t begin, int64_t end);
  using AverageStrided = void (*)(const PoolWindows& windows, const PoolStrides& strides,
                                  int64_t channels, const char* in, char* out, int64_t begin,
                                  int64_t end);
  // Gradients of the planes [begin, end), and of some channels of one image: all is written.
  using AverageRowsBackward = void (*)(const PoolWindows& windows, const char* grad_out,
                                       char* grad_in, int64_t begin, int64_t end);
  using AverageChannelsBackward = void (*)(const PoolWindows& windows, int64_t channels,
                                           const char* grad_out, char* grad_in, int64_t begin,
                                           int64_t end);

  // Half and BFloat16 have the kernels of channels alone; all others are those of Float.
  MaxRows max_rows;
  MaxChannels max_channels;
  // Null for integers but int64.
  AverageRows average_rows;
  AverageChannels average_channels;
  AverageRowsBackward average_rows_backward;
  AverageChannelsBackward average_channels_backward;
  // Null but for Float and Double.
  MaxStrided max_strided;
  AverageStrided average_strided;
};

}  // namespace tsc::cpu
