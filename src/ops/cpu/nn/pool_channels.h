// Pooling of images whose channels are the fastest, in vectors of neighbouring channels: the results
// of a window stay in registers while its elements are read.
#pragma once

#include "ops/cpu/nn/pool_average.h"
#include "ops/cpu/shape/reduced.h"

namespace tsc::cpu::TSC_ISA {

// Calls f(window number, d, h, w, image number) for windows [begin, end), counted through all images.
template <class F>
TSC_INLINE void for_each_window(const PoolWindows& windows, int64_t begin, int64_t end, F f) {
  int64_t w = begin % windows.width.windows;
  int64_t h = begin / windows.width.windows % windows.height.windows;
  int64_t d = begin / windows.width.windows / windows.height.windows % windows.depth.windows;
  int64_t image = begin / windows.windows();
  for (int64_t i = begin; i < end; i++) {
    f(i, d, h, w, image);
    if (++w < windows.width.windows) continue;
    w = 0;
    if (++h < windows.height.windows) continue;
    h = 0;
    if (++d < windows.depth.windows) continue;
    d = 0;
    image++;
  }
}

// Calls f(vectors as a constant, first channel, channels in the last vector) for all channels.
template <class T, class F>
TSC_INLINE void for_each_channel_block(int64_t channels, F f) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  int64_t c = 0;
  for (; c + 4 * kLanes <= channels; c += 4 * kLanes) {
    f(std::integral_constant<int, 4>(), c, kLanes);
  }
  for (; c + 2 * kLanes <= channels; c += 2 * kLanes) {
    f(std::integral_constant<int, 2>(), c, kLanes);
  }
  for (; c < channels; c += kLanes) {
    f(std::integral_constant<int, 1>(), c, channels - c < kLanes ? channels - c : kLanes);
  }
}

// Places of the same width as T, so that a comparison of elements chooses them, too.
template <class T, class Stored>
struct MaxChannels {
  using W = Wide<T>;
  using Place = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  using PlaceTag = hn::Rebind<Place, typename W::D>;
  static constexpr int64_t kLanes = W::kLanes;

  const PoolWindows& windows;
  int64_t channels;

  template <int kVectors>
  TSC_INLINE void window(const Stored* image, Stored* out, int64_t* indices, int64_t d, int64_t h,
                         int64_t w, int64_t last) const {
    const PoolAxis& width = windows.width;
    const PlaceTag tag;
    W best[kVectors];
    hn::Vec<PlaceTag> place[kVectors];
    const auto first = hn::Set(tag, static_cast<Place>(first_place(windows, d, h, w)));
    for (int v = 0; v < kVectors; v++) {
      best[v] = W(kPoolLowest<T>);
      place[v] = first;
    }
    for_each_row_of(windows, d, h, [&](int64_t row) {
      for (int64_t k = 0; k < width.count[w]; k++) {
        const int64_t at = row + width.first[w] + k * width.step;
        const auto here = hn::Set(tag, static_cast<Place>(at));
        const Stored* const from = image + at * channels;
        for (int v = 0; v < kVectors; v++) {
          const W value = load_stored<T>(from + v * kLanes, v + 1 < kVectors ? kLanes : last);
          const Mask<T> larger = value > best[v] || is_nan(value);
          best[v] = select(larger, value, best[v]);
          place[v] = hn::IfThenElse(hn::RebindMask(tag, larger.m), here, place[v]);
        }
      }
    });
    for (int v = 0; v < kVectors; v++) {
      const int64_t count = v + 1 < kVectors ? kLanes : last;
      store_stored(best[v], out + v * kLanes, count);
      if (indices != nullptr) {
        alignas(HWY_MAX_BYTES) Place lanes[kLanes];
        hn::Store(place[v], tag, lanes);
        for (int64_t i = 0; i < count; i++) indices[v * kLanes + i] = lanes[i];
      }
    }
  }

  TSC_INLINE void run(const Stored* in, Stored* out, int64_t* indices, int64_t begin,
                      int64_t end) const {
    const int64_t volume = windows.volume() * channels;
    for_each_window(
        windows, begin, end, [&](int64_t i, int64_t d, int64_t h, int64_t w, int64_t image) {
          const Stored* const from = in + image * volume;
          const int64_t to = i * channels;
          for_each_channel_block<T>(channels, [&](auto vectors, int64_t c, int64_t last) {
            window<decltype(vectors)::value>(from + c, out + to + c,
                                             indices == nullptr ? nullptr : indices + to + c, d, h,
                                             w, last);
          });
        });
  }
};

template <class T, class Stored>
struct AverageChannels {
  using W = Wide<T>;
  static constexpr int64_t kLanes = W::kLanes;

  const PoolWindows& windows;
  int64_t channels;

  TSC_INLINE W divided(W sum, int64_t d, int64_t h, int64_t w) const {
    const auto number = [](int64_t value) { return W(static_cast<T>(value)); };
    const int64_t depth = windows.depth.divisor[d];
    const int64_t height = windows.height.divisor[h];
    const int64_t width = windows.width.divisor[w];
    if (windows.divisor == PoolDivisor::one_by_one) {
      if (windows.depth.size > 1) sum = sum / number(depth);
      return sum / number(height) / number(width);
    }
    return sum / number(windows.divisor == PoolDivisor::fixed ? windows.fixed_divisor
                                                              : depth * height * width);
  }

  template <int kVectors>
  TSC_INLINE void window(const Stored* image, Stored* out, int64_t d, int64_t h, int64_t w,
                         int64_t last) const {
    const PoolAxis& width = windows.width;
    W sums[kVectors];
    for (int v = 0; v < kVectors; v++) sums[v] = W(0);
    for_each_row_of(windows, d, h, [&](int64_t row) {
      const Stored* from = image + (row + width.first[w]) * channels;
      for (int64_t k = 0; k < width.count[w]; k++, from += channels) {
        for (int v = 0; v < kVectors; v++) {
          sums[v] = sums[v] + load_stored<T>(from + v * kLanes, v + 1 < kVectors ? kLanes : last);
        }
      }
    });
    const bool empty =
        windows.depth.count[d] == 0 || windows.height.count[h] == 0 || width.count[w] == 0;
    for (int v = 0; v < kVectors; v++) {
      store_stored(empty ? W(0) : divided(sums[v], d, h, w), out + v * kLanes,
                   v + 1 < kVectors ? kLanes : last);
    }
  }

  TSC_INLINE void run(const Stored* in, Stored* out, int64_t begin, int64_t end) const {
    const int64_t volume = windows.volume() * channels;
    for_each_window(
        windows, begin, end, [&](int64_t i, int64_t d, int64_t h, int64_t w, int64_t image) {
          const Stored* const from = in + image * volume;
          for_each_channel_block<T>(channels, [&](auto vectors, int64_t c, int64_t last) {
            window<decltype(vectors)::value>(from + c, out + i * channels + c, d, h, w, last);
          });
        });
  }
};

// T computes; volumes whose places do not fit into its width go through max_pool_channels.
template <class T, class Stored>
void max_pool_vectors(const PoolWindows& windows, int64_t channels, const char* in, char* out,
                      int64_t* indices, int64_t begin, int64_t end) {
  if constexpr (std::is_same_v<T, Stored>) {
    if (sizeof(T) == 4 && windows.volume() > std::numeric_limits<int32_t>::max()) {
      max_pool_channels<T>(windows, channels, in, out, indices, begin, end);
      return;
    }
  }
  MaxChannels<T, Stored>{windows, channels}.run(
      reinterpret_cast<const Stored*>(in), reinterpret_cast<Stored*>(out), indices, begin, end);
}
template <class T, class Stored>
void average_pool_vectors(const PoolWindows& windows, int64_t channels, const char* in, char* out,
                          int64_t begin, int64_t end) {
  AverageChannels<T, Stored>{windows, channels}.run(reinterpret_cast<const Stored*>(in),
                                                    reinterpret_cast<Stored*>(out), begin, end);
}

}  // namespace tsc::cpu::TSC_ISA
