// Pooling of volumes of floats of any strides, from where they lie. A sum waits for the addition
// before it, and a largest element for the comparison, so windows of some channels go side by side.
#pragma once

#include "ops/cpu/nn/pool_average.h"

namespace tsc::cpu::TSC_ISA {

// Calls f(element, place in the volume) for each element of a window in the first of some channels,
// of which `volume` is the first element.
template <class T, class F>
TSC_INLINE void for_each_strided(const PoolWindows& windows, const PoolStrides& strides,
                                 const T* volume, int64_t d, int64_t h, int64_t w, F f) {
  const PoolAxis& width = windows.width;
  for (int64_t i = 0; i < windows.depth.count[d]; i++) {
    const int64_t plane = windows.depth.first[d] + i * windows.depth.step;
    for (int64_t j = 0; j < windows.height.count[h]; j++) {
      const int64_t row = windows.height.first[h] + j * windows.height.step;
      const T* from =
          volume + plane * strides.depth + row * strides.height + width.first[w] * strides.width;
      int64_t place = (plane * windows.height.size + row) * width.size + width.first[w];
      for (int64_t k = 0; k < width.count[w]; k++) {
        f(from, place);
        from += width.step * strides.width;
        place += width.step;
      }
    }
  }
}

// Calls f(channels as a constant, first element, first result, d, h, w) for the windows [begin, end)
// of all channels. Results of neighbouring channels are windows.windows() apart.
template <class T, class F>
TSC_INLINE void for_each_channels(const PoolWindows& windows, const PoolStrides& strides,
                                  int64_t channels, const T* in, int64_t begin, int64_t end, F f) {
  const int64_t number = windows.windows();
  for (int64_t i = begin; i < end; i++) {
    const int64_t image = i / number;
    const int64_t window = i % number;
    const int64_t w = window % windows.width.windows;
    const int64_t h = window / windows.width.windows % windows.height.windows;
    const int64_t d = window / windows.width.windows / windows.height.windows;
    int64_t c = 0;
    const auto take = [&](auto group) {
      for (; c + group.value <= channels; c += group.value) {
        f(group, in + image * strides.image + c * strides.channel,
          (image * channels + c) * number + window, d, h, w);
      }
    };
    take(std::integral_constant<int64_t, 8>());
    take(std::integral_constant<int64_t, 4>());
    take(std::integral_constant<int64_t, 2>());
    take(std::integral_constant<int64_t, 1>());
  }
}

template <class T>
void max_pool_strided(const PoolWindows& windows, const PoolStrides& strides, int64_t channels,
                      const char* in, char* out, int64_t* indices, int64_t begin, int64_t end) {
  const auto run = [&](auto group, const T* volume, int64_t result, int64_t d, int64_t h,
                       int64_t w) {
    constexpr int64_t kChannels = decltype(group)::value;
    T best[kChannels];
    int64_t at[kChannels];
    for (int64_t c = 0; c < kChannels; c++) {
      best[c] = kPoolLowest<T>;
      at[c] = first_place(windows, d, h, w);
    }
    for_each_strided(windows, strides, volume, d, h, w, [&](const T* from, int64_t place) {
      for (int64_t c = 0; c < kChannels; c++) {
        const T value = from[c * strides.channel];
        // Most are not larger, and need one comparison.
        if (TSC_LIKELY(value <= best[c]) || !is_larger(value, best[c])) continue;
        best[c] = value;
        at[c] = place;
      }
    });
    for (int64_t c = 0; c < kChannels; c++) {
      reinterpret_cast<T*>(out)[result + c * windows.windows()] = best[c];
      if (indices != nullptr) indices[result + c * windows.windows()] = at[c];
    }
  };
  for_each_channels(windows, strides, channels, reinterpret_cast<const T*>(in), begin, end, run);
}

template <class T>
void average_pool_strided(const PoolWindows& windows, const PoolStrides& strides, int64_t channels,
                          const char* in, char* out, int64_t begin, int64_t end) {
  const AveragePool<T> pool{windows};
  const auto run = [&](auto group, const T* volume, int64_t result, int64_t d, int64_t h,
                       int64_t w) {
    constexpr int64_t kChannels = decltype(group)::value;
    T sums[kChannels] = {};
    for_each_strided(windows, strides, volume, d, h, w, [&](const T* from, int64_t) {
      for (int64_t c = 0; c < kChannels; c++) sums[c] = sums[c] + from[c * strides.channel];
    });
    if (!pool.is_empty(d, h, w)) pool.divide(sums, kChannels, d, h, w);
    for (int64_t c = 0; c < kChannels; c++) {
      reinterpret_cast<T*>(out)[result + c * windows.windows()] = sums[c];
    }
  };
  for_each_channels(windows, strides, channels, reinterpret_cast<const T*>(in), begin, end, run);
}

}  // namespace tsc::cpu::TSC_ISA
