#include "ops/cpu/nn/pool_line.h"

#include <limits>

#include "ops/cpu/wide.h"

namespace tsc::cpu::TSC_ISA {
namespace {

template <class T>
struct LineOfWindows {
  using W = Wide<T>;
  static constexpr int64_t kLanes = W::kLanes;
  static constexpr T kLowest = -std::numeric_limits<T>::infinity();

  const LineWindows& windows;
  const T* in;
  T* out;

  TSC_INLINE static W larger(W value, W best) {
    return select(value > best || is_nan(value), value, best);
  }

  // A window of which elements may be missing.
  TSC_INLINE void window(int64_t i) const {
    const int64_t start = i * windows.stride - windows.padding;
    T best = kLowest;
    for (int64_t k = 0; k < windows.kernel; k++) {
      const int64_t at = start + k * windows.dilation;
      if (at < 0 || at >= windows.size) continue;
      const T value = in[at];
      best = value > best || value != value ? value : best;
    }
    out[i] = best;
  }

  TSC_INLINE void neighbours(int64_t i) const {
    const T* const first = in + i - windows.padding;
    W best(kLowest);
    for (int64_t k = 0; k < windows.kernel; k++) {
      best = larger(load(first + k * windows.dilation), best);
    }
    store(best, out + i);
  }

  // Windows that are two elements apart: elements side by side are read at once.
  TSC_INLINE void every_second(int64_t i) const {
    const T* const first = in + 2 * i - windows.padding;
    W best(kLowest);
    int64_t k = 0;
    for (; windows.dilation == 1 && k + 2 <= windows.kernel; k += 2) {
      W even, odd;
      hn::LoadInterleaved2(typename W::D(), first + k, even.v, odd.v);
      best = larger(odd, larger(even, best));
    }
    for (; k < windows.kernel; k++) {
      best = larger(apart(first + k * windows.dilation, 2), best);
    }
    store(best, out + i);
  }

  TSC_INLINE static W apart(const T* from, int64_t stride) {
    alignas(HWY_MAX_BYTES) T values[kLanes];
    for (int64_t lane = 0; lane < kLanes; lane++) values[lane] = from[lane * stride];
    return load(values);
  }

  TSC_INLINE void any(int64_t i) const {
    const T* const first = in + i * windows.stride - windows.padding;
    W best(kLowest);
    for (int64_t k = 0; k < windows.kernel; k++) {
      best = larger(apart(first + k * windows.dilation, windows.stride), best);
    }
    store(best, out + i);
  }

  TSC_INLINE void run(int64_t begin, int64_t end) const {
    const int64_t extent = (windows.kernel - 1) * windows.dilation;
    const auto is_whole = [&](int64_t i) {
      const int64_t start = i * windows.stride - windows.padding;
      return start >= 0 && start + extent < windows.size;
    };
    int64_t i = begin;
    for (; i < end && !is_whole(i); i++) window(i);
    if (windows.stride == 1) {
      for (; i + kLanes <= end && is_whole(i + kLanes - 1); i += kLanes) neighbours(i);
    } else if (windows.stride == 2) {
      for (; i + kLanes <= end && is_whole(i + kLanes - 1); i += kLanes) every_second(i);
    } else {
      for (; i + kLanes <= end && is_whole(i + kLanes - 1); i += kLanes) any(i);
    }
    for (; i < end; i++) window(i);
  }
};

template <class T>
void pool(const LineWindows& windows, const T* in, T* out, int64_t begin, int64_t end) {
  LineOfWindows<T>{windows, in, out}.run(begin, end);
}

}  // namespace

const LinePool kLinePool = {pool<float>, pool<double>};

}  // namespace tsc::cpu::TSC_ISA
