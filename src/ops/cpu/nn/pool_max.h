// The largest element of each window, and its place in the volume. A NaN is larger than all, the
// last one of several; of equal elements the first one counts.
#pragma once

#include <limits>

#include "ops/cpu/isa.h"
#include "ops/cpu/nn/pool_list.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {

// Results that are worked on together, in the first-level cache.
inline constexpr int64_t kPoolLine = 128;

template <class T>
inline constexpr T kPoolLowest = is_float<T> ? -std::numeric_limits<T>::infinity()
                                             : std::numeric_limits<T>::lowest();

template <class T>
TSC_INLINE bool is_larger(T value, T best) {
  return static_cast<bool>(static_cast<int>(value > best) | static_cast<int>(value != value));
}

// Calls f(place) for each element of a window, but for the innermost dimension: of the first one.
template <class F>
TSC_INLINE void for_each_row_of(const PoolWindows& windows, int64_t d, int64_t h, F f) {
  const PoolAxis& depth = windows.depth;
  const PoolAxis& height = windows.height;
  for (int64_t i = 0; i < depth.count[d]; i++) {
    const int64_t plane = (depth.first[d] + i * depth.step) * height.size;
    for (int64_t j = 0; j < height.count[h]; j++) {
      f((plane + height.first[h] + j * height.step) * windows.width.size);
    }
  }
}

TSC_INLINE int64_t first_place(const PoolWindows& windows, int64_t d, int64_t h, int64_t w) {
  return (windows.depth.first[d] * windows.height.size + windows.height.first[h]) *
             windows.width.size +
         windows.width.first[w];
}

// A line of results. P: the type of places; the same width as T's lets them share vectors.
template <class T, class P, bool kPlaces>
struct LargestLine {
  T best[kPoolLine];
  P place[kPlaces ? kPoolLine : 1];

  TSC_INLINE void start(int64_t count, int64_t first, int64_t stride) {
    for (int64_t i = 0; i < count; i++) best[i] = kPoolLowest<T>;
    if constexpr (kPlaces) {
      for (int64_t i = 0; i < count; i++) place[i] = static_cast<P>(first + i * stride);
    }
  }

  // Elements and places are kStride apart, or `stride` with kStride 0; with `moves` false all are at
  // one place.
  template <int kStride, bool kMoves>
  TSC_INLINE void add(const T* from, int64_t count, int64_t first, int64_t stride) {
    const auto here = static_cast<P>(first);
    const auto apart = static_cast<P>(kStride > 0 ? kStride : stride);
    TSC_INDEPENDENT
    for (int64_t i = 0; i < count; i++) {
      const T value = from[i * (kStride > 0 ? kStride : stride)];
      const bool larger = is_larger(value, best[i]);
      best[i] = larger ? value : best[i];
      if constexpr (kPlaces) {
        place[i] =
            larger ? static_cast<P>(kMoves ? here + static_cast<P>(i) * apart : here) : place[i];
      }
    }
  }

  TSC_INLINE void store(T* out, int64_t* indices, int64_t count) const {
    for (int64_t i = 0; i < count; i++) out[i] = best[i];
    if constexpr (kPlaces) {
      for (int64_t i = 0; i < count; i++) indices[i] = static_cast<int64_t>(place[i]);
    }
  }
};

template <class T, class P, bool kPlaces>
struct MaxPool {
  const PoolWindows& windows;

  // One window of a contiguous plane.
  TSC_INLINE void window(const T* plane, T* out, int64_t* indices, int64_t d, int64_t h,
                         int64_t w) const {
    const int64_t depth_step = windows.depth.step * windows.height.size * windows.width.size;
    const int64_t height_step = windows.height.step * windows.width.size;
    const int64_t step = windows.width.step;
    const int64_t depth = windows.depth.count[d];
    const int64_t height = windows.height.count[h];
    const int64_t width = windows.width.count[w];
    const T* const first = plane + first_place(windows, d, h, w);
    const T* largest = first;
    T best = kPoolLowest<T>;
    for (int64_t i = 0; i < depth; i++) {
      for (int64_t j = 0; j < height; j++) {
        const T* from = first + i * depth_step + j * height_step;
        for (int64_t k = 0; k < width; k++, from += step) {
          const bool larger = is_larger(*from, best);
          best = larger ? *from : best;
          largest = larger ? from : largest;
        }
      }
    }
    *out = best;
    if constexpr (kPlaces) *indices = largest - plane;
  }

  template <int kStride>
  TSC_INLINE void whole(const T* plane, T* out, int64_t* indices, int64_t d, int64_t h) const {
    const PoolAxis& width = windows.width;
    LargestLine<T, P, kPlaces> line;
    for (int64_t w = width.whole_begin; w < width.whole_end; w += kPoolLine) {
      const int64_t rest = width.whole_end - w;
      const int64_t count = rest < kPoolLine ? rest : kPoolLine;
      line.start(count, first_place(windows, d, h, w), width.stride);
      for_each_row_of(windows, d, h, [&](int64_t row) {
        const int64_t first = row + width.first[w];
        for (int64_t k = 0; k < width.count[w]; k++) {
          const int64_t place = first + k * width.step;
          line.template add<kStride, true>(plane + place, count, place, width.stride);
        }
      });
      line.store(out + w, indices + w, count);
    }
  }

  TSC_INLINE void rows(const T* in, T* out, int64_t* indices, int64_t begin, int64_t end) const {
    const PoolAxis& width = windows.width;
    for (int64_t row = begin; row < end; row++) {
      const int64_t h = row % windows.height.windows;
      const int64_t d = row / windows.height.windows % windows.depth.windows;
      const T* const plane = in + row / windows.rows() * windows.volume();
      T* const to = out + row * width.windows;
      int64_t* const places = kPlaces ? indices + row * width.windows : nullptr;
      const bool fits = sizeof(P) == sizeof(int64_t) || !kPlaces ||
                        windows.volume() <= std::numeric_limits<int32_t>::max();
      const int64_t before = fits ? width.whole_begin : width.windows;
      for (int64_t w = 0; w < before; w++) {
        window(plane, to + w, places + w, d, h, w);
      }
      if (!fits) continue;
      if (width.stride == 1) {
        whole<1>(plane, to, places, d, h);
      } else {
        whole<0>(plane, to, places, d, h);
      }
      for (int64_t w = width.whole_end; w < width.windows; w++) {
        window(plane, to + w, places + w, d, h, w);
      }
    }
  }

  TSC_INLINE void channels(int64_t number, const T* in, T* out, int64_t* indices, int64_t begin,
                           int64_t end) const {
    const PoolAxis& width = windows.width;
    LargestLine<T, P, kPlaces> line;
    for (int64_t i = begin; i < end; i++) {
      const int64_t w = i % width.windows;
      const int64_t h = i / width.windows % windows.height.windows;
      const int64_t d = i / width.windows / windows.height.windows % windows.depth.windows;
      const T* const image = in + i / windows.windows() * windows.volume() * number;
      for (int64_t c = 0; c < number; c += kPoolLine) {
        const int64_t count = number - c < kPoolLine ? number - c : kPoolLine;
        line.start(count, first_place(windows, d, h, w), 0);
        for_each_row_of(windows, d, h, [&](int64_t row) {
          for (int64_t k = 0; k < width.count[w]; k++) {
            const int64_t place = row + width.first[w] + k * width.step;
            line.template add<1, false>(image + place * number + c, count, place, 0);
          }
        });
        line.store(out + i * number + c, indices + i * number + c, count);
      }
    }
  }
};

// Places beyond it take 64 bits.
inline constexpr int64_t kMostPlaces = std::numeric_limits<int32_t>::max();
template <class T>
using PlaceOf = std::conditional_t<sizeof(T) <= sizeof(int32_t), int32_t, int64_t>;

// One window of a contiguous plane; `out` and `indices`, or null, are its row's.
template <class T>
void max_pool_window(const PoolWindows& windows, const T* plane, T* out, int64_t* indices,
                     int64_t d, int64_t h, int64_t w) {
  if (indices == nullptr) {
    MaxPool<T, int64_t, false>{windows}.window(plane, out + w, nullptr, d, h, w);
  } else {
    MaxPool<T, int64_t, true>{windows}.window(plane, out + w, indices + w, d, h, w);
  }
}

template <class T>
void max_pool_rows(const PoolWindows& windows, const char* in, char* out, int64_t* indices,
                   int64_t begin, int64_t end) {
  const T* const from = reinterpret_cast<const T*>(in);
  T* const to = reinterpret_cast<T*>(out);
  if (indices == nullptr) {
    MaxPool<T, PlaceOf<T>, false>{windows}.rows(from, to, nullptr, begin, end);
  } else {
    MaxPool<T, PlaceOf<T>, true>{windows}.rows(from, to, indices, begin, end);
  }
}

template <class T>
void max_pool_channels(const PoolWindows& windows, int64_t channels, const char* in, char* out,
                       int64_t* indices, int64_t begin, int64_t end) {
  const T* const from = reinterpret_cast<const T*>(in);
  T* const to = reinterpret_cast<T*>(out);
  if (indices == nullptr) {
    MaxPool<T, PlaceOf<T>, false>{windows}.channels(channels, from, to, nullptr, begin, end);
  } else if (windows.volume() <= kMostPlaces) {
    MaxPool<T, PlaceOf<T>, true>{windows}.channels(channels, from, to, indices, begin, end);
  } else {
    MaxPool<T, int64_t, true>{windows}.channels(channels, from, to, indices, begin, end);
  }
}

}  // namespace tsc::cpu::TSC_ISA
