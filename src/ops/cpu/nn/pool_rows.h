// Pooling of contiguous planes of floats, in vectors of neighbouring windows of a row. Where windows
// are whole and one or two elements apart, their elements are read as runs. Others are read by
// themselves where they are long, and the elements of short ones are gathered, each lane from its
// own window as long as that has elements.
#pragma once

#include "ops/cpu/nn/pool_average.h"

namespace tsc::cpu::TSC_ISA {

// The lanes of a vector as windows [w, w + count) of a row; the others repeat the last one.
template <class T>
struct RowLanes {
  using W = Wide<T>;
  using D = typename W::D;
  using Offset = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  using OffsetTag = hn::Rebind<Offset, D>;
  using Offsets = hn::Vec<OffsetTag>;
  static constexpr int64_t kLanes = W::kLanes;

  const PoolAxis& width;
  int64_t w;
  int64_t count;
  // Of windows that are gathered: where they begin after the first one, and their elements.
  Offsets begin;
  Offsets elements;
  int64_t most = 0;

  TSC_INLINE RowLanes(const PoolAxis& axis, int64_t first, int64_t number)
      : width(axis), w(first), count(number) {}

  // False where a window has no elements.
  TSC_INLINE bool prepare_gathers() {
    const OffsetTag tag;
    bool good = true;
    alignas(HWY_MAX_BYTES) Offset begins[kLanes];
    alignas(HWY_MAX_BYTES) Offset counts[kLanes];
    for (int64_t i = 0; i < kLanes; i++) {
      const int64_t at = w + (i < count ? i : count - 1);
      begins[i] = static_cast<Offset>(width.first[at] - width.first[w]);
      counts[i] = static_cast<Offset>(width.count[at]);
      most = width.count[at] > most ? width.count[at] : most;
      good = good && width.count[at] > 0;
    }
    begin = hn::Load(tag, begins);
    elements = hn::Load(tag, counts);
    return good;
  }

  // The elements at `from` and every kStride-th after it: none beyond the last one is read.
  template <int kStride>
  TSC_INLINE W load_run(const T* from) const {
    if constexpr (kStride == 1) {
      return count == kLanes ? load(from) : load_first(from, count);
    } else {
      // Of two vectors the elements with even numbers.
      const D d;
      if (TSC_LIKELY(count == kLanes)) {
        return {hn::ConcatEven(d, load_first(from + kLanes, kLanes - 1).v, load(from).v)};
      }
      const int64_t needed = 2 * count - 1;
      const W low = needed >= kLanes ? load(from) : load_first(from, needed);
      const W high = needed > kLanes ? load_first(from + kLanes, needed - kLanes) : low;
      return {hn::ConcatEven(d, high.v, low.v)};
    }
  }

  // Calls f(vector, offset of the lanes' elements from the first one's place, mask of the lanes
  // whose window has this element) for the elements of each window in this row of the volume.
  template <int kStride, class F>
  TSC_INLINE void for_each_element(const T* from, F f) const {
    const OffsetTag tag;
    const D d;
    if constexpr (kStride > 0) {
      const Offsets apart = hn::Iota(tag, Offset{0});
      const Offsets offsets = kStride == 1 ? apart : hn::Add(apart, apart);
      const Mask<T> all{hn::FirstN(d, static_cast<size_t>(kLanes))};
      for (int64_t k = 0; k < width.count[w]; k++) {
        const Offsets here = hn::Add(offsets, hn::Set(tag, static_cast<Offset>(k * width.step)));
        f(load_run<kStride>(from + k * width.step), here, all);
      }
    } else {
      for (int64_t k = 0; k < most; k++) {
        const Offsets number = hn::Set(tag, static_cast<Offset>(k));
        const auto exists = hn::Lt(number, elements);
        // Windows without this element read their first one, which has no part in the result.
        const Offsets step =
            hn::IfThenElseZero(exists, hn::Set(tag, static_cast<Offset>(k * width.step)));
        const Offsets here = hn::Add(begin, step);
        f(W(hn::GatherIndex(d, from, here)), here, Mask<T>{hn::RebindMask(d, exists)});
      }
    }
  }
};

// Calls vectors(lanes, stride as a constant) for the whole windows of a row that are one or two
// elements apart, and rest(begin, end) for all others.
template <class T, class Vectors, class Rest>
TSC_INLINE void for_each_lanes(const PoolAxis& width, Vectors vectors, Rest rest) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  const int64_t begin = width.whole_begin;
  const int64_t end = width.whole_end;
  constexpr int64_t kFewest = kLanes < 4 ? 1 : kLanes / 4;
  if (end - begin < kFewest || width.stride > 2) {
    rest(0, width.windows);
    return;
  }
  // The last vector begins earlier where it would not be full: it writes the same again.
  const auto run = [&](auto stride) {
    if (end - begin < kLanes) {
      vectors(RowLanes<T>(width, begin, end - begin), stride);
      return;
    }
    int64_t w = begin;
    for (; w + kLanes <= end; w += kLanes) vectors(RowLanes<T>(width, w, kLanes), stride);
    if (w < end) vectors(RowLanes<T>(width, end - kLanes, kLanes), stride);
  };
  rest(0, begin);
  if (width.stride == 1) {
    run(std::integral_constant<int, 1>());
  } else {
    run(std::integral_constant<int, 2>());
  }
  rest(end, width.windows);
}

// One long window, whose rows are read as vectors. Each lane finds the largest of its elements; of
// equal lanes the one with the first place is right, and of NaNs the last.
template <class T>
TSC_INLINE void max_pool_long_window(const PoolWindows& windows, const T* plane, T* out,
                                     int64_t* index, int64_t d, int64_t h, int64_t w) {
  using Lanes = RowLanes<T>;
  using Offset = typename Lanes::Offset;
  constexpr int64_t kLanes = Lanes::kLanes;
  const typename Wide<T>::D tag;
  const typename Lanes::OffsetTag places;
  const int64_t count = windows.width.count[w];
  const int64_t start = first_place(windows, d, h, w);
  Wide<T> best(kPoolLowest<T>);
  auto place = hn::Set(places, static_cast<Offset>(start));
  const auto add = [&](Wide<T> value, Mask<T> exists, int64_t at) {
    const Mask<T> larger = (value > best || is_nan(value)) && exists;
    best = select(larger, value, best);
    place = hn::IfThenElse(hn::RebindMask(places, larger.m),
                           hn::Iota(places, static_cast<Offset>(at)), place);
  };
  const int64_t rest = count % kLanes;
  const Mask<T> all{hn::FirstN(tag, static_cast<size_t>(kLanes))};
  const Mask<T> some{hn::FirstN(tag, static_cast<size_t>(rest))};
  for_each_row_of(windows, d, h, [&](int64_t row) {
    const int64_t first = row + windows.width.first[w];
    int64_t k = 0;
    for (; k + kLanes <= count; k += kLanes) add(load(plane + first + k), all, first + k);
    if (rest > 0) add(load_first(plane + first + k, rest), some, first + k);
  });
  alignas(HWY_MAX_BYTES) T values[kLanes];
  alignas(HWY_MAX_BYTES) Offset numbers[kLanes];
  store(best, values);
  hn::Store(place, places, numbers);
  T largest = values[0];
  Offset number = numbers[0];
  const int64_t used = count < kLanes ? count : kLanes;
  for (int64_t i = 1; i < used; i++) {
    const bool earlier = numbers[i] < number;
    const bool takes = values[i] != values[i] ? largest == largest || !earlier
                       : values[i] == largest ? earlier
                                              : values[i] > largest;
    largest = takes ? values[i] : largest;
    number = takes ? numbers[i] : number;
  }
  *out = largest;
  if (index != nullptr) *index = number;
}

template <class T>
TSC_INLINE void max_pool_row(const PoolWindows& windows, const T* plane, T* out, int64_t* indices,
                             int64_t d, int64_t h) {
  using Lanes = RowLanes<T>;
  using Offset = typename Lanes::Offset;
  constexpr int64_t kLanes = Lanes::kLanes;
  const typename Lanes::OffsetTag tag;
  const PoolAxis& width = windows.width;
  const auto vectors = [&](const Lanes& lanes, auto stride) {
    constexpr int kStride = decltype(stride)::value;
    const int64_t first = width.first[lanes.w];
    Wide<T> best(kPoolLowest<T>);
    auto apart = hn::Iota(tag, Offset{0});
    if constexpr (kStride == 2) apart = hn::Add(apart, apart);
    if constexpr (kStride == 0) apart = lanes.begin;
    auto place =
        hn::Add(hn::Set(tag, static_cast<Offset>(first_place(windows, d, h, lanes.w))), apart);
    for_each_row_of(windows, d, h, [&](int64_t row) {
      const auto base = hn::Set(tag, static_cast<Offset>(row + first));
      lanes.template for_each_element<kStride>(
          plane + row + first, [&](Wide<T> value, auto offsets, Mask<T> exists) {
            Mask<T> larger = value > best || is_nan(value);
            if constexpr (kStride == 0) larger = larger && exists;
            best = select(larger, value, best);
            place = hn::IfThenElse(hn::RebindMask(tag, larger.m), hn::Add(base, offsets), place);
          });
    });
    if (lanes.count == kLanes) {
      store(best, out + lanes.w);
    } else {
      store_first(best, out + lanes.w, lanes.count);
    }
    if (indices != nullptr) {
      alignas(HWY_MAX_BYTES) Offset numbers[kLanes];
      hn::Store(place, tag, numbers);
      for (int64_t i = 0; i < lanes.count; i++) indices[lanes.w + i] = numbers[i];
    }
  };
  // Whether vectors lie along a window: the alternative is to take each element by itself, or to
  // gather those of many windows.
  const auto is_long = [&](int64_t w) {
    const int64_t count = width.count[w];
    const bool has_rows = windows.depth.count[d] * windows.height.count[h] > 1;
    return width.step == 1 && count >= (has_rows ? kLanes / 2 : 2 * kLanes);
  };
  const auto rest = [&](int64_t begin, int64_t end) {
    for (int64_t w = begin; w < end;) {
      if (is_long(w)) {
        max_pool_long_window(windows, plane, out + w, indices == nullptr ? nullptr : indices + w, d,
                             h, w);
        w++;
        continue;
      }
      // Too few for a vector, or one without elements, which has nothing to gather.
      Lanes lanes(width, w, kLanes);
      if (end - w < kLanes || !lanes.prepare_gathers()) {
        max_pool_window(windows, plane, out, indices, d, h, w++);
        continue;
      }
      vectors(lanes, std::integral_constant<int, 0>());
      w += kLanes;
    }
  };
  const int64_t whole = width.whole_end - width.whole_begin;
  const bool are_longer =
      whole > 0 && is_long(width.whole_begin) && whole < width.count[width.whole_begin];
  if (width.stride > 2 && whole >= 4 && !are_longer) {
    // A line of results in the first-level cache, which vectors of strided elements update.
    rest(0, width.whole_begin);
    if (indices == nullptr) {
      MaxPool<T, Offset, false>{windows}.template whole<0>(plane, out, nullptr, d, h);
    } else {
      MaxPool<T, Offset, true>{windows}.template whole<0>(plane, out, indices, d, h);
    }
    rest(width.whole_end, width.windows);
    return;
  }
  for_each_lanes<T>(width, vectors, rest);
}

// The sums of some windows of a row, side by side: each alone would wait for its additions.
template <int kWindows, class T>
TSC_INLINE void add_windows(const PoolWindows& windows, const T* plane, T* sums, int64_t d,
                            int64_t h, int64_t w) {
  const PoolAxis& width = windows.width;
  int64_t common = width.count[w];
  for (int64_t i = 1; i < kWindows; i++) {
    common = width.count[w + i] < common ? width.count[w + i] : common;
  }
  T sum[kWindows] = {};
  for_each_row_of(windows, d, h, [&](int64_t row) {
    const T* from[kWindows];
    for (int64_t i = 0; i < kWindows; i++) from[i] = plane + row + width.first[w + i];
    for (int64_t k = 0; k < common; k++) {
      for (int64_t i = 0; i < kWindows; i++) sum[i] = sum[i] + from[i][k];
    }
    for (int64_t i = 0; i < kWindows; i++) {
      for (int64_t k = common; k < width.count[w + i]; k++) sum[i] = sum[i] + from[i][k];
    }
  });
  for (int64_t i = 0; i < kWindows; i++) sums[i] = sum[i];
}

template <class T>
TSC_INLINE void average_pool_row(const PoolWindows& windows, const T* plane, T* out, int64_t d,
                                 int64_t h) {
  using Lanes = RowLanes<T>;
  constexpr int64_t kLanes = Lanes::kLanes;
  const PoolAxis& width = windows.width;
  const AveragePool<T> pool{windows};
  if (windows.depth.count[d] == 0 || windows.height.count[h] == 0) {
    for (int64_t w = 0; w < width.windows; w++) out[w] = T(0);
    return;
  }
  const auto vectors = [&](const Lanes& lanes, auto stride) {
    const T* const first = plane + width.first[lanes.w];
    Wide<T> sum(0);
    for_each_row_of(windows, d, h, [&](int64_t row) {
      lanes.template for_each_element<decltype(stride)::value>(
          first + row, [&](Wide<T> value, auto, Mask<T>) { sum = sum + value; });
    });
    alignas(HWY_MAX_BYTES) T sums[kLanes];
    store(sum, sums);
    pool.divide(sums, kLanes, d, h, lanes.w);
    for (int64_t i = 0; i < lanes.count; i++) out[lanes.w + i] = sums[i];
  };
  const auto rest = [&](int64_t begin, int64_t end) {
    int64_t w = begin;
    const auto add = [&](auto number) {
      constexpr int kWindows = decltype(number)::value;
      for (; w + kWindows <= end; w += kWindows) {
        T sums[kWindows];
        add_windows<kWindows>(windows, plane, sums, d, h, w);
        for (int64_t i = 0; i < kWindows; i++) {
          if (width.count[w + i] > 0) pool.divide(sums + i, 1, d, h, w + i);
          out[w + i] = sums[i];
        }
      }
    };
    add(std::integral_constant<int, 4>());
    add(std::integral_constant<int, 2>());
    for (; w < end; w++) out[w] = pool.window(plane, d, h, w);
  };
  for_each_lanes<T>(width, vectors, rest);
}

// Calls f(plane number, d, h, row number) for the rows [begin, end).
template <class F>
TSC_INLINE void for_each_pooled_row(const PoolWindows& windows, int64_t begin, int64_t end, F f) {
  int64_t plane = begin / windows.rows();
  int64_t d = begin / windows.height.windows % windows.depth.windows;
  int64_t h = begin % windows.height.windows;
  for (int64_t row = begin; row < end; row++) {
    f(plane, d, h, row);
    if (++h < windows.height.windows) continue;
    h = 0;
    if (++d < windows.depth.windows) continue;
    d = 0;
    plane++;
  }
}

template <class T>
void max_pool_float_rows(const PoolWindows& windows, const char* in, char* out, int64_t* indices,
                         int64_t begin, int64_t end) {
  const int64_t volume = windows.volume();
  const int64_t length = windows.width.windows;
  const bool is_large = volume > kMostPlaces;
  for_each_pooled_row(windows, begin, end, [&](int64_t plane, int64_t d, int64_t h, int64_t row) {
    const T* const from = reinterpret_cast<const T*>(in) + plane * volume;
    T* const to = reinterpret_cast<T*>(out) + row * length;
    int64_t* const places = indices == nullptr ? nullptr : indices + row * length;
    if (!is_large) {
      max_pool_row(windows, from, to, places, d, h);
      return;
    }
    for (int64_t w = 0; w < length; w++) max_pool_window(windows, from, to, places, d, h, w);
  });
}

template <class T>
void average_pool_float_rows(const PoolWindows& windows, const char* in, char* out, int64_t begin,
                             int64_t end) {
  const int64_t volume = windows.volume();
  const int64_t length = windows.width.windows;
  const bool is_large = volume > kMostPlaces;
  const AveragePool<T> pool{windows};
  for_each_pooled_row(windows, begin, end, [&](int64_t plane, int64_t d, int64_t h, int64_t row) {
    const T* const from = reinterpret_cast<const T*>(in) + plane * volume;
    T* const to = reinterpret_cast<T*>(out) + row * length;
    if (!is_large) {
      average_pool_row(windows, from, to, d, h);
      return;
    }
    for (int64_t w = 0; w < length; w++) to[w] = pool.window(from, d, h, w);
  });
}

}  // namespace tsc::cpu::TSC_ISA
