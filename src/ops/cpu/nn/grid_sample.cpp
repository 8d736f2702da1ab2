#include "ops/cpu/nn/grid_sample.h"

#include <type_traits>

#include "ops/cpu/wide.h"

namespace tsc::cpu::TSC_ISA {
namespace {

template <class T, int kDims>
struct Sampler {
  using W = Wide<T>;
  using D = typename W::D;
  using Offset = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  using OffsetTag = hn::Rebind<Offset, D>;
  using Offsets = hn::Vec<OffsetTag>;
  static constexpr int64_t kLanes = W::kLanes;

  const GridPoints& shape;

  // An element along one dimension, how much it counts, and whether there is one.
  struct Place {
    Offsets at;
    W weight;
    Mask<T> exists;
  };

  TSC_INLINE W coordinate(W given, int64_t size) const {
    const auto extent = static_cast<T>(shape.align_corners ? size - 1 : size);
    const W ahead = given + W(T(1));
    if constexpr (kDims == 2) {
      const W slope(extent / 2);
      return shape.align_corners ? ahead * slope : mul_add(ahead, slope, W(T(-0.5)));
    } else {
      return shape.align_corners ? ahead / W(T(2)) * W(extent)
                                 : (ahead * W(extent) - W(T(1))) / W(T(2));
    }
  }

  TSC_INLINE static Place place(W whole, W weight, int64_t size) {
    const Mask<T> exists = whole >= W(T(0)) && whole < W(static_cast<T>(size));
    const W inside = select(exists, whole, W(T(0)));
    return {hn::ConvertTo(OffsetTag(), inside.v), weight, exists};
  }

  TSC_INLINE void find(W given, int64_t size, Place* places) const {
    W at = coordinate(given, size);
    if (shape.is_clipped) {
      const W most(static_cast<T>(size - 1));
      at = select(at > W(T(0)), select(at >= most, most, at), W(T(0)));
    }
    if (shape.is_nearest) {
      places[0] = place(round_even(at), W(T(1)), size);
      return;
    }
    const W whole = floor(at);
    const W rest = at - whole;
    places[0] = place(whole, W(T(1)) - rest, size);
    places[1] = place(whole + W(T(1)), rest, size);
  }

  // Points side by side; `to` has a row for each channel.
  TSC_INLINE void sample(const T* input, const T* grid, T* to, int64_t to_row) const {
    Place places[kDims][2];
    for (int d = 0; d < kDims; d++) {
      alignas(HWY_MAX_BYTES) T given[kLanes];
      // The grid's coordinates begin with the last dimension.
      for (int64_t i = 0; i < kLanes; i++) given[i] = grid[i * kDims + (kDims - 1 - d)];
      find(load(given), shape.sizes[d], places[d]);
    }
    constexpr int kMost = 1 << kDims;
    const int corners = shape.is_nearest ? 1 : kMost;
    Offsets offset[kMost];
    W weight[kMost];
    Mask<T> exists[kMost];
    for (int corner = 0; corner < corners; corner++) {
      for (int d = 0; d < kDims; d++) {
        const Place& place = places[d][corner >> (kDims - 1 - d) & 1];
        const Offsets stride = hn::Set(OffsetTag(), static_cast<Offset>(shape.strides[d]));
        const Offsets from_edge = hn::Mul(place.at, stride);
        if (d == 0) {
          offset[corner] = from_edge;
          weight[corner] = place.weight;
          exists[corner] = place.exists;
          continue;
        }
        offset[corner] = hn::Add(offset[corner], from_edge);
        weight[corner] = weight[corner] * place.weight;
        exists[corner] = exists[corner] && place.exists;
      }
    }
    for (int64_t c = 0; c < shape.channels; c++) {
      const T* const channel = input + c * shape.channel_stride;
      W sum(T(0));
      for (int corner = 0; corner < corners; corner++) {
        const W value{hn::GatherIndex(D(), channel, offset[corner])};
        sum = sum + select(exists[corner], value * weight[corner], W(T(0)));
      }
      store(sum, to + c * to_row);
    }
  }

  TSC_INLINE void run(const T* input, const T* grid, T* out, int64_t begin, int64_t end) const {
    int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      sample(input, grid + i * kDims, out + i, shape.points);
    }
    if (i == end) return;
    // The last ones, channel by channel.
    T some[kLanes * kDims];
    for (int64_t k = 0; k < kLanes * kDims; k++) {
      some[k] = k < (end - i) * kDims ? grid[i * kDims + k] : T(0);
    }
    GridPoints one = shape;
    one.channels = 1;
    for (int64_t c = 0; c < shape.channels; c++) {
      T values[kLanes];
      Sampler<T, kDims>{one}.sample(input + c * shape.channel_stride, some, values, 0);
      for (int64_t k = 0; i + k < end; k++) out[c * shape.points + i + k] = values[k];
    }
  }
};

template <class T>
void sample(const GridPoints& shape, const T* input, const T* grid, T* out, int64_t begin,
            int64_t end) {
  if (shape.dims == 2) {
    Sampler<T, 2>{shape}.run(input, grid, out, begin, end);
  } else {
    Sampler<T, 3>{shape}.run(input, grid, out, begin, end);
  }
}

}  // namespace

#if HWY_TARGET <= HWY_AVX2
const GridKernels kGridKernels = {sample<float>, sample<double>};
#else
const GridKernels kGridKernels = {nullptr, nullptr};
#endif

}  // namespace tsc::cpu::TSC_ISA
