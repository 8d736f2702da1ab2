#include "ops/cpu/nn/pool.h"

#include <algorithm>
#include <cstring>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "ops/cpu/kernels.h"

namespace tsc::cpu {
namespace {

// Channels whose gradients are worked on together.
constexpr int64_t kChannels = 64;

// Elements that a window has on average, 1 at least.
int64_t work_of_window(const PoolWindows& windows) {
  const auto longest = [](const PoolAxis& axis) {
    return axis.windows == 0 ? int64_t{1}
                             : *std::max_element(axis.count, axis.count + axis.windows);
  };
  return std::max<int64_t>(
      1, longest(windows.depth) * longest(windows.height) * longest(windows.width));
}

// Calls f(begin, end) for pieces of [0, count), each of which takes `work` simple steps, on several
// threads; Ctrl-C is looked at between pieces.
template <class F>
void for_pieces_of_work(int64_t count, int64_t work, F f) {
  const int64_t piece = std::max<int64_t>(1, kElementsBetweenPolls * 4 / work);
  parallel_for(0, count, std::max<int64_t>(1, kPoolGrain / work), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += piece) {
      throw_if_interrupted();
      f(i, std::min(end, i + piece));
    }
  });
}

int64_t bytes_of(ScalarType type) { return static_cast<int64_t>(element_size(type)); }

}  // namespace

void PoolWindowList::add(int64_t first, int64_t count, int64_t divisor) {
  first_.push_back(first);
  count_.push_back(count);
  divisor_.push_back(divisor);
}

PoolAxis PoolWindowList::axis() const {
  PoolAxis axis = axis_;
  axis.windows = static_cast<int64_t>(first_.size());
  axis.first = first_.data();
  axis.count = count_.data();
  axis.divisor = divisor_.data();
  return axis;
}

PoolWindowList PoolWindowList::regular(int64_t size, int64_t windows, int64_t kernel,
                                       int64_t stride, int64_t padding, int64_t dilation,
                                       bool count_padding) {
  PoolWindowList list(size);
  list.axis_.step = dilation;
  list.axis_.stride = stride;
  int64_t& whole_begin = list.axis_.whole_begin;
  int64_t& whole_end = list.axis_.whole_end;
  whole_begin = whole_end = windows;
  for (std::vector<int64_t>* const numbers : {&list.first_, &list.count_, &list.divisor_}) {
    numbers->reserve(static_cast<size_t>(windows));
  }
  for (int64_t i = 0; i < windows; i++) {
    const int64_t start = i * stride - padding;
    const int64_t last = start + (kernel - 1) * dilation;
    if (start >= 0 && last < size) {
      list.add(start, kernel, kernel);
      whole_begin = std::min(whole_begin, i);
      continue;
    }
    if (whole_begin < windows) whole_end = std::min(whole_end, i);
    const int64_t skipped = start < 0 ? (-start + dilation - 1) / dilation : 0;
    const int64_t first = start + skipped * dilation;
    const int64_t end = std::min(last + 1, size);
    const int64_t count = first < end ? (end - first + dilation - 1) / dilation : 0;
    list.add(first, count,
             count_padding ? std::min(start + kernel, size + padding) - start : count);
  }
  return list;
}

PoolWindowList PoolWindowList::adaptive(int64_t size, int64_t windows) {
  PoolWindowList list(size);
  list.axis_.step = 1;
  const bool regular = windows > 0 && size % windows == 0;
  list.axis_.stride = regular ? size / windows : 1;
  list.axis_.whole_begin = regular ? 0 : windows;
  list.axis_.whole_end = windows;
  for (int64_t i = 0; i < windows; i++) {
    // floor(i * size / windows) without a product that does not fit.
    const int64_t first = i / windows * size + i % windows * size / windows;
    const int64_t end = 1 + ((i + 1) * size - 1) / windows;
    list.add(first, end - first, end - first);
  }
  return list;
}

PoolWindowList PoolWindowList::random(int64_t size, int64_t windows, int64_t kernel) {
  PoolWindowList list(size);
  list.axis_.step = 1;
  list.axis_.stride = 1;
  list.axis_.whole_begin = list.axis_.whole_end = windows;
  for (int64_t i = 0; i < windows; i++) {
    list.add(0, kernel, kernel);
  }
  return list;
}

namespace {

// Pools planes of Half or BFloat16, each as a plane of floats: f(plane, result, first result).
template <class F>
void for_each_widened_plane(const PoolCall& call, const char* in, char* out, F f) {
  const int64_t volume = call.windows.volume();
  const int64_t count = call.windows.windows();
  const ConvertFunction widen = find_convert(ScalarType::Float, call.type);
  const ConvertFunction narrow = find_convert(call.type, ScalarType::Float);
  const int64_t size = bytes_of(call.type);
  for_pieces_of_work(call.images * call.channels, volume + count * work_of_window(call.windows),
                     [&](int64_t begin, int64_t end) {
                       std::vector<float> memory(static_cast<size_t>(volume + count));
                       char* const plane = reinterpret_cast<char*>(memory.data());
                       char* const result = reinterpret_cast<char*>(memory.data() + volume);
                       for (int64_t i = begin; i < end; i++) {
                         widen(plane, in + i * volume * size, volume);
                         f(plane, result, i * count);
                         narrow(out + i * count * size, result, count);
                       }
                     });
}

// Calls f(begin, end) for windows of all images.
template <class F>
void for_windows_of_images(const PoolCall& call, F f) {
  for_pieces_of_work(call.images * call.windows.windows(),
                     work_of_window(call.windows) * std::max<int64_t>(1, call.channels), f);
}

// The same for rows of windows of all planes.
template <class F>
void for_rows_of_planes(const PoolCall& call, F f) {
  for_pieces_of_work(
      call.images * call.channels * call.windows.rows(),
      work_of_window(call.windows) * std::max<int64_t>(1, call.windows.width.windows), f);
}

}  // namespace

void max_pool(const PoolCall& call, const char* in, char* out, int64_t* indices) {
  const PoolWindows& windows = call.windows;
  if (call.strides.has_value()) {
    const auto run = find_pool(call.type)->max_strided;
    for_windows_of_images(call, [&](int64_t begin, int64_t end) {
      run(windows, *call.strides, call.channels, in, out, indices, begin, end);
    });
    return;
  }
  if (call.channels_last) {
    const auto run = find_pool(call.type)->max_channels;
    for_windows_of_images(call, [&](int64_t begin, int64_t end) {
      run(windows, call.channels, in, out, indices, begin, end);
    });
    return;
  }
  const auto run = find_pool(compute_type(call.type))->max_rows;
  if (is_reduced_floating_point(call.type)) {
    for_each_widened_plane(call, in, out, [&](const char* plane, char* result, int64_t first) {
      run(windows, plane, result, indices == nullptr ? nullptr : indices + first, 0,
          windows.rows());
    });
    return;
  }
  for_rows_of_planes(
      call, [&](int64_t begin, int64_t end) { run(windows, in, out, indices, begin, end); });
}

void average_pool(const PoolCall& call, const char* in, char* out) {
  const PoolWindows& windows = call.windows;
  if (call.strides.has_value()) {
    const auto run = find_pool(call.type)->average_strided;
    for_windows_of_images(call, [&](int64_t begin, int64_t end) {
      run(windows, *call.strides, call.channels, in, out, begin, end);
    });
    return;
  }
  if (call.channels_last) {
    const auto run = find_pool(call.type)->average_channels;
    for_windows_of_images(call, [&](int64_t begin, int64_t end) {
      run(windows, call.channels, in, out, begin, end);
    });
    return;
  }
  const auto run = find_pool(compute_type(call.type))->average_rows;
  if (is_reduced_floating_point(call.type)) {
    for_each_widened_plane(call, in, out, [&](const char* plane, char* result, int64_t) {
      run(windows, plane, result, 0, windows.rows());
    });
    return;
  }
  for_rows_of_planes(call, [&](int64_t begin, int64_t end) { run(windows, in, out, begin, end); });
}

void average_pool_backward(const PoolCall& call, const char* grad_out, char* grad_in) {
  const PoolKernels& functions = *find_pool(call.type);
  const PoolWindows& windows = call.windows;
  const int64_t work = work_of_window(windows) * windows.windows() + windows.volume();
  if (!call.channels_last) {
    for_pieces_of_work(call.images * call.channels, work, [&](int64_t begin, int64_t end) {
      functions.average_rows_backward(windows, grad_out, grad_in, begin, end);
    });
    return;
  }
  const int64_t blocks = (call.channels + kChannels - 1) / kChannels;
  const int64_t size = bytes_of(call.type) * call.channels;
  for_pieces_of_work(call.images * blocks,
                     work * std::min(kChannels, std::max<int64_t>(1, call.channels)),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; i++) {
                         const int64_t image = i / blocks;
                         const int64_t first = i % blocks * kChannels;
                         functions.average_channels_backward(
                             windows, call.channels, grad_out + image * windows.windows() * size,
                             grad_in + image * windows.volume() * size, first,
                             std::min(call.channels, first + kChannels));
                       }
                     });
}

namespace {

void report(BadIndex& bad, int64_t place, int64_t volume) {
  if (!bad.found.exchange(true)) {
    bad.index = place;
    bad.size = volume;
  }
}

template <class T, bool kAdd>
TSC_ALWAYS_INLINE void put(T& target, T value) {
  target = kAdd ? static_cast<T>(target + value) : value;
}

template <class T, bool kAdd>
void scatter_plane(const PlaceCall& call, const T* from, const int64_t* places, T* to,
                   BadIndex& bad) {
  std::fill_n(to, call.volume, T());
  for (int64_t i = 0; i < call.elements; i++) {
    const int64_t place = places[i];
    if (TSC_LIKELY(static_cast<uint64_t>(place) < static_cast<uint64_t>(call.volume))) {
      put<T, kAdd>(to[place], from[i]);
    } else {
      report(bad, place, call.volume);
    }
  }
}

// The channels [begin, end) of an image.
template <class T, bool kAdd>
void scatter_channels(const PlaceCall& call, const T* from, const int64_t* places, T* to,
                      int64_t begin, int64_t end, BadIndex& bad) {
  const int64_t channels = call.channels;
  const auto volume = static_cast<uint64_t>(call.volume);
  for (int64_t i = 0; i < call.volume; i++) {
    std::fill_n(to + i * channels + begin, end - begin, T());
  }
  for (int64_t i = 0; i < call.elements; i++) {
    const int64_t* const place = places + i * channels;
    const T* const value = from + i * channels;
    bool good = true;
    for (int64_t c = begin; c < end; c++) {
      good = good && static_cast<uint64_t>(place[c]) < volume;
    }
    if (TSC_LIKELY(good)) {
      for (int64_t c = begin; c < end; c++) {
        put<T, kAdd>(to[place[c] * channels + c], value[c]);
      }
      continue;
    }
    for (int64_t c = begin; c < end; c++) {
      if (static_cast<uint64_t>(place[c]) < volume) {
        put<T, kAdd>(to[place[c] * channels + c], value[c]);
      } else {
        report(bad, place[c], call.volume);
      }
    }
  }
}

template <class T, bool kAdd>
void scatter(const PlaceCall& call, const T* from, const int64_t* places, T* to, BadIndex& bad) {
  const int64_t work = call.elements * 2 + call.volume;
  if (!call.channels_last) {
    for_pieces_of_work(call.images * call.channels, work, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) {
        scatter_plane<T, kAdd>(call, from + i * call.elements, places + i * call.elements,
                               to + i * call.volume, bad);
      }
    });
    return;
  }
  const int64_t groups = (call.channels + kChannels - 1) / kChannels;
  for_pieces_of_work(call.images * groups, work * std::min(kChannels, call.channels),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; i++) {
                         const int64_t skipped = i / groups * call.channels;
                         const int64_t first = i % groups * kChannels;
                         scatter_channels<T, kAdd>(call, from + skipped * call.elements,
                                                   places + skipped * call.elements,
                                                   to + skipped * call.volume, first,
                                                   std::min(call.channels, first + kChannels), bad);
                       }
                     });
}

}  // namespace

void scatter_to_places(const PlaceCall& call, bool add, const char* from, const int64_t* places,
                       char* to, BadIndex& bad) {
  if (call.images * call.channels == 0) return;
  const auto run = [&]<class T, bool kAdd>() {
    scatter<T, kAdd>(call, reinterpret_cast<const T*>(from), places, reinterpret_cast<T*>(to), bad);
  };
  if (add) {
    if (call.type == ScalarType::Float) {
      run.template operator()<float, true>();
    } else {
      run.template operator()<double, true>();
    }
  } else {
    dispatch_floating_types(call.type, "max_unpool",
                            [&]<class T>() { run.template operator()<T, false>(); });
  }
}

}  // namespace tsc::cpu
