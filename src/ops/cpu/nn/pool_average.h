// The average of each window, and its gradient. A window's elements are added in their order, and a
// gradient's contributions in the order of the windows, however many share a vector.
#pragma once

#include "ops/cpu/nn/pool_max.h"

namespace tsc::cpu::TSC_ISA {

// Integers wrap.
template <class T>
TSC_INLINE T plus(T a, T b) {
  if constexpr (is_float<T>) {
    return a + b;
  } else {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
}

template <class T>
struct AveragePool {
  const PoolWindows& windows;

  // Divides `count` sums by the divisor of a window whose elements exist.
  TSC_INLINE void divide(T* sums, int64_t count, int64_t d, int64_t h, int64_t w) const {
    const int64_t depth = windows.depth.divisor[d];
    const int64_t height = windows.height.divisor[h];
    const int64_t width = windows.width.divisor[w];
    if (windows.divisor == PoolDivisor::one_by_one) {
      if (windows.depth.size > 1) {
        for (int64_t i = 0; i < count; i++) sums[i] = sums[i] / static_cast<T>(depth);
      }
      for (int64_t i = 0; i < count; i++) {
        sums[i] = sums[i] / static_cast<T>(height) / static_cast<T>(width);
      }
      return;
    }
    const auto divisor = static_cast<T>(
        windows.divisor == PoolDivisor::fixed ? windows.fixed_divisor : depth * height * width);
    if constexpr (!is_float<T>) {
      if (divisor == -1) {  // the processor cannot divide the smallest number by it
        for (int64_t i = 0; i < count; i++) {
          sums[i] = static_cast<T>(0 - static_cast<uint64_t>(sums[i]));
        }
        return;
      }
    }
    for (int64_t i = 0; i < count; i++) sums[i] = sums[i] / divisor;
  }

  TSC_INLINE bool is_empty(int64_t d, int64_t h, int64_t w) const {
    return windows.depth.count[d] == 0 || windows.height.count[h] == 0 ||
           windows.width.count[w] == 0;
  }

  TSC_INLINE T window(const T* plane, int64_t d, int64_t h, int64_t w) const {
    const PoolAxis& width = windows.width;
    if (is_empty(d, h, w)) return T(0);
    T sum(0);
    for_each_row_of(windows, d, h, [&](int64_t row) {
      const T* const from = plane + row + width.first[w];
      for (int64_t k = 0; k < width.count[w]; k++) sum = plus(sum, from[k]);
    });
    divide(&sum, 1, d, h, w);
    return sum;
  }

  template <int kStride>
  TSC_INLINE void whole(const T* plane, T* out, int64_t d, int64_t h) const {
    const PoolAxis& width = windows.width;
    T sums[kPoolLine];
    for (int64_t w = width.whole_begin; w < width.whole_end; w += kPoolLine) {
      const int64_t rest = width.whole_end - w;
      const int64_t count = rest < kPoolLine ? rest : kPoolLine;
      for (int64_t i = 0; i < count; i++) sums[i] = T(0);
      for_each_row_of(windows, d, h, [&](int64_t row) {
        for (int64_t k = 0; k < width.count[w]; k++) {
          const T* const from = plane + row + width.first[w] + k;
          for (int64_t i = 0; i < count; i++) {
            sums[i] = plus(sums[i], from[i * (kStride > 0 ? kStride : width.stride)]);
          }
        }
      });
      divide(sums, count, d, h, w);
      for (int64_t i = 0; i < count; i++) out[w + i] = sums[i];
    }
  }

  TSC_INLINE void rows(const T* in, T* out, int64_t begin, int64_t end) const {
    const PoolAxis& width = windows.width;
    for (int64_t row = begin; row < end; row++) {
      const int64_t h = row % windows.height.windows;
      const int64_t d = row / windows.height.windows % windows.depth.windows;
      const T* const plane = in + row / windows.rows() * windows.volume();
      T* const to = out + row * width.windows;
      for (int64_t w = 0; w < width.whole_begin; w++) to[w] = window(plane, d, h, w);
      if (windows.depth.count[d] == 0 || windows.height.count[h] == 0) {
        for (int64_t w = width.whole_begin; w < width.whole_end; w++) to[w] = T(0);
      } else if (width.stride == 1) {
        whole<1>(plane, to, d, h);
      } else if (width.stride == 2) {
        whole<2>(plane, to, d, h);
      } else {
        whole<0>(plane, to, d, h);
      }
      for (int64_t w = width.whole_end; w < width.windows; w++) to[w] = window(plane, d, h, w);
    }
  }

  TSC_INLINE void channels(int64_t number, const T* in, T* out, int64_t begin, int64_t end) const {
    const PoolAxis& width = windows.width;
    T sums[kPoolLine];
    for (int64_t i = begin; i < end; i++) {
      const int64_t w = i % width.windows;
      const int64_t h = i / width.windows % windows.height.windows;
      const int64_t d = i / width.windows / windows.height.windows % windows.depth.windows;
      const T* const image = in + i / windows.windows() * windows.volume() * number;
      const bool empty = is_empty(d, h, w);
      for (int64_t c = 0; c < number; c += kPoolLine) {
        const int64_t count = number - c < kPoolLine ? number - c : kPoolLine;
        for (int64_t j = 0; j < count; j++) sums[j] = T(0);
        if (!empty) {
          for_each_row_of(windows, d, h, [&](int64_t row) {
            for (int64_t k = 0; k < width.count[w]; k++) {
              const T* const from = image + (row + width.first[w] + k) * number + c;
              for (int64_t j = 0; j < count; j++) sums[j] = plus(sums[j], from[j]);
            }
          });
          divide(sums, count, d, h, w);
        }
        for (int64_t j = 0; j < count; j++) out[i * number + c + j] = sums[j];
      }
    }
  }

  // ---- Gradients

  TSC_INLINE void window_backward(T gradient, T* plane, int64_t d, int64_t h, int64_t w) const {
    const PoolAxis& width = windows.width;
    if (is_empty(d, h, w)) return;
    divide(&gradient, 1, d, h, w);
    for_each_row_of(windows, d, h, [&](int64_t row) {
      T* const to = plane + row + width.first[w];
      for (int64_t k = 0; k < width.count[w]; k++) to[k] = plus(to[k], gradient);
    });
  }

  // The windows that an element lies in come in their order: the last element of each first.
  template <int kStride>
  TSC_INLINE void whole_backward(const T* gradients, T* plane, int64_t d, int64_t h) const {
    const PoolAxis& width = windows.width;
    T parts[kPoolLine];
    for (int64_t w = width.whole_begin; w < width.whole_end; w += kPoolLine) {
      const int64_t rest = width.whole_end - w;
      const int64_t count = rest < kPoolLine ? rest : kPoolLine;
      for (int64_t i = 0; i < count; i++) parts[i] = gradients[w + i];
      divide(parts, count, d, h, w);
      for_each_row_of(windows, d, h, [&](int64_t row) {
        for (int64_t k = width.count[w]; k-- > 0;) {
          T* const to = plane + row + width.first[w] + k;
          TSC_INDEPENDENT
          for (int64_t i = 0; i < count; i++) {
            const int64_t at = i * (kStride > 0 ? kStride : width.stride);
            to[at] = plus(to[at], parts[i]);
          }
        }
      });
    }
  }

  TSC_INLINE void rows_backward(const T* grad_out, T* grad_in, int64_t begin, int64_t end) const {
    const PoolAxis& width = windows.width;
    for (int64_t p = begin; p < end; p++) {
      T* const plane = grad_in + p * windows.volume();
      const T* from = grad_out + p * windows.windows();
      for (int64_t i = 0; i < windows.volume(); i++) plane[i] = T(0);
      for (int64_t row = 0; row < windows.rows(); row++, from += width.windows) {
        const int64_t h = row % windows.height.windows;
        const int64_t d = row / windows.height.windows;
        if (windows.depth.count[d] == 0 || windows.height.count[h] == 0) continue;
        for (int64_t w = 0; w < width.whole_begin; w++) window_backward(from[w], plane, d, h, w);
        if (width.stride == 1) {
          whole_backward<1>(from, plane, d, h);
        } else if (width.stride == 2) {
          whole_backward<2>(from, plane, d, h);
        } else {
          whole_backward<0>(from, plane, d, h);
        }
        for (int64_t w = width.whole_end; w < width.windows; w++) {
          window_backward(from[w], plane, d, h, w);
        }
      }
    }
  }

  // The channels [begin, end), at most kPoolLine of them.
  TSC_INLINE void channels_backward(int64_t number, const T* grad_out, T* grad_in, int64_t begin,
                                    int64_t end) const {
    const PoolAxis& width = windows.width;
    const int64_t count = end - begin;
    T parts[kPoolLine];
    for (int64_t i = 0; i < windows.volume(); i++) {
      for (int64_t c = begin; c < end; c++) grad_in[i * number + c] = T(0);
    }
    for (int64_t i = 0; i < windows.windows(); i++) {
      const int64_t w = i % width.windows;
      const int64_t h = i / width.windows % windows.height.windows;
      const int64_t d = i / width.windows / windows.height.windows;
      if (is_empty(d, h, w)) continue;
      for (int64_t j = 0; j < count; j++) parts[j] = grad_out[i * number + begin + j];
      divide(parts, count, d, h, w);
      for_each_row_of(windows, d, h, [&](int64_t row) {
        for (int64_t k = 0; k < width.count[w]; k++) {
          T* const to = grad_in + (row + width.first[w] + k) * number + begin;
          for (int64_t j = 0; j < count; j++) to[j] = plus(to[j], parts[j]);
        }
      });
    }
  }
};

template <class T>
void average_pool_rows(const PoolWindows& windows, const char* in, char* out, int64_t begin,
                       int64_t end) {
  AveragePool<T>{windows}.rows(reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), begin,
                               end);
}
template <class T>
void average_pool_channels(const PoolWindows& windows, int64_t channels, const char* in, char* out,
                           int64_t begin, int64_t end) {
  AveragePool<T>{windows}.channels(channels, reinterpret_cast<const T*>(in),
                                   reinterpret_cast<T*>(out), begin, end);
}
template <class T>
void average_pool_rows_backward(const PoolWindows& windows, const char* grad_out, char* grad_in,
                                int64_t begin, int64_t end) {
  AveragePool<T>{windows}.rows_backward(reinterpret_cast<const T*>(grad_out),
                                        reinterpret_cast<T*>(grad_in), begin, end);
}
template <class T>
void average_pool_channels_backward(const PoolWindows& windows, int64_t channels,
                                    const char* grad_out, char* grad_in, int64_t begin,
                                    int64_t end) {
  AveragePool<T>{windows}.channels_backward(channels, reinterpret_cast<const T*>(grad_out),
                                            reinterpret_cast<T*>(grad_in), begin, end);
}

}  // namespace tsc::cpu::TSC_ISA
