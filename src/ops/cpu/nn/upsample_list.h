// Kernels of each instruction set for upsampling: weighted sums of lines.
#pragma once

#include <cstdint>

namespace tsc::cpu {

// One axis of a resized block of memory, [outer][axis][inner]: output o is the sum of inputs
// index[k] times weight[k], for k from begin[o] to begin[o + 1]. Weights have the elements' type,
// or are int32_t for bytes.
struct UpsamplePass {
  const int64_t* begin;
  const int64_t* index;
  const void* weight;
  int precision;  // bytes: the bits of a weight behind the point
  int64_t first;  // outputs from `first` to before `last` are made
  int64_t last;
  int64_t origin;  // the input that the memory begins with
  int64_t extent;  // the inputs that it holds
  int64_t outer;
  int64_t inner;
};

// Rows of an image, whose columns are expanded: left[i] and right[i] are the inputs of output i.
template <class T>
struct BilinearRows {
  const T* left[2];  // of the upper and the lower row
  const T* right[2];
  T weight[2];  // of the rows
};

struct UpsampleKernels {
  using Pass = void (*)(char* to, const char* from, const UpsamplePass& pass);
  // The sums differ in their rounding: interpolation adds the first two products first, filters
  // round products of whole groups of 16 bytes before they are added.
  Pass interpolate;
  Pass filter;
  Pass gradient;

  // rows: BilinearRows<T>. left_weights, right_weights: of the columns, one each for an output.
  void (*bilinear_row)(char* to, const void* rows, const char* left_weights,
                       const char* right_weights, int64_t count);
  // The same for pixels of `inner` elements; rows hold inputs, `index` pairs of their columns,
  // `weights` pairs of weights.
  void (*bilinear_pixels)(char* to, const void* rows, const int64_t* index, const char* weights,
                          int64_t pixels, int64_t inner);

  // Adds rows of gradients, in the order of memory: to pixel i those from begin[i] to before
  // begin[i + 1]. ratio: the number of them, where it is the same for all, or 0.
  void (*nearest_gradient)(char* sums, const char* gradient, const int64_t* begin, int64_t pixels,
                           int64_t ratio, int64_t inner);
};

}  // namespace tsc::cpu
