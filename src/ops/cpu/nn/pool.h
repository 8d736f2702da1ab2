// Pooling over dense memory: which elements each window has, and the loops over planes and images.
#pragma once

#include <optional>
#include <vector>

#include "core/array_ref.h"
#include "core/scalar_type.h"
#include "core/system/parallel.h"
#include "ops/cpu/indexing/indexing.h"
#include "ops/cpu/nn/pool_list.h"

namespace tsc::cpu {

// The windows along one dimension, with the memory that PoolAxis views.
class PoolWindowList {
 public:
  // Windows of `kernel` elements `dilation` apart, `stride` from one to the next. The first starts
  // `padding` before the first element. An average divides by what the padding makes of a window, or
  // by its elements alone.
  static PoolWindowList regular(int64_t size, int64_t windows, int64_t kernel, int64_t stride,
                                int64_t padding, int64_t dilation, bool count_padding);
  // As many windows as asked for, which together have all elements.
  static PoolWindowList adaptive(int64_t size, int64_t windows);
  // Windows of `kernel` elements that start where starts() says.
  static PoolWindowList random(int64_t size, int64_t windows, int64_t kernel);

  PoolAxis axis() const;
  int64_t* starts() { return first_.data(); }

 private:
  explicit PoolWindowList(int64_t size) { axis_.size = size; }
  void add(int64_t first, int64_t count, int64_t divisor);

  PoolAxis axis_ = {};
  std::vector<int64_t> first_;
  std::vector<int64_t> count_;
  std::vector<int64_t> divisor_;
};

// Elements of windows that are worth a thread: each takes some steps.
inline constexpr int64_t kPoolGrain = kParallelGrain / 4;

// A batch of volumes: contiguous [images, channels, volume], or [images, volume, channels], or, with
// strides, of any layout, Float or Double; then the results are [images, channels, windows].
struct PoolCall {
  PoolWindows windows;
  ScalarType type;  // of elements and results; a gradient's is Float, Double or Long
  int64_t images;
  int64_t channels;
  bool channels_last;
  std::optional<PoolStrides> strides = {};
};

// indices: the place of each result in its volume; null where they are not wanted.
void max_pool(const PoolCall& call, const char* in, char* out, int64_t* indices);
void average_pool(const PoolCall& call, const char* in, char* out);
void average_pool_backward(const PoolCall& call, const char* grad_out, char* grad_in);

// Moves between volumes of two sizes: each element of the smaller one has a place in the larger one.
struct PlaceCall {
  ScalarType type;
  int64_t images;
  int64_t channels;
  int64_t elements;  // of the volume with places
  int64_t volume;    // of the volume that the places are in
  bool channels_last;
};
// Adds each element to its place, or, with `add` false, writes it there; all else becomes zero. Types
// that add: Float and Double. A place outside of the volume is left out, and reported in `bad`.
void scatter_to_places(const PlaceCall& call, bool add, const char* from, const int64_t* places,
                       char* to, BadIndex& bad);

}  // namespace tsc::cpu
