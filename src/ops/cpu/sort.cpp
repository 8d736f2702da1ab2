#include "ops/cpu/sort.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "core/dispatch_types.h"
#include "core/parallel.h"
#include "ops/cpu/radix_sort.h"

namespace tsc::cpu {

namespace {

template <class T>
struct Item {
  T value;
  int64_t index;
};

template <class T>
bool is_less(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b;
  } else {
    const auto x = static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(a);
    const auto y = static_cast<decltype(x)>(b);
    return x < y || (x == x && y != y);
  }
}

// Reads lines, lets f put each in order, and writes the first `kept` of it.
template <class T, class F>
void for_each_line(const LineShape& shape, int64_t kept, char* values, int64_t* indices,
                   const char* in, F f) {
  const T* const from = reinterpret_cast<const T*>(in);
  T* const to = reinterpret_cast<T*>(values);
  const int64_t grain =
      std::max<int64_t>(1, kParallelGrain / (std::max<int64_t>(1, shape.size) * 8));
  parallel_for(0, shape.outer * shape.inner, grain, [&](int64_t begin, int64_t end) {
    std::vector<Item<T>> line(static_cast<size_t>(shape.size));
    for (int64_t number = begin; number < end; ++number) {
      const int64_t outer = number / shape.inner;
      const int64_t inner = number % shape.inner;
      for (int64_t p = 0; p < shape.size; ++p) {
        line[static_cast<size_t>(p)] = {from[(outer * shape.size + p) * shape.inner + inner], p};
      }
      f(line);
      for (int64_t p = 0; p < kept; ++p) {
        const int64_t at = (outer * kept + p) * shape.inner + inner;
        to[at] = line[static_cast<size_t>(p)].value;
        indices[at] = line[static_cast<size_t>(p)].index;
      }
    }
  });
}

// Calls f with a functor type that says what comes first.
template <class T, class F>
void with_order(bool descending, F f) {
  if (descending) {
    f([](const Item<T>& a, const Item<T>& b) { return is_less(b.value, a.value); });
  } else {
    f([](const Item<T>& a, const Item<T>& b) { return is_less(a.value, b.value); });
  }
}

// Lines from which sorting by digits is faster than by comparisons.
constexpr int64_t kShortestForDigits = 256;

template <class T>
void sort_by_digits(const LineShape& shape, bool descending, T* to, int64_t* indices,
                    const T* from) {
  using Key = UnsignedOf<sizeof(T)>;
  parallel_for(0, shape.outer * shape.inner, 1, [&](int64_t begin, int64_t end) {
    std::vector<KeyedIndex<Key>> items(static_cast<size_t>(shape.size));
    std::vector<KeyedIndex<Key>> spare(static_cast<size_t>(shape.size));
    std::unique_ptr<T[]> line(new T[static_cast<size_t>(shape.size)]);  // vector<bool> is no array
    for (int64_t number = begin; number < end; ++number) {
      const int64_t first = number / shape.inner * shape.size * shape.inner + number % shape.inner;
      for (int64_t p = 0; p < shape.size; ++p) {
        const T value = from[first + p * shape.inner];
        const Key key = sort_key(value);
        line[static_cast<size_t>(p)] = value;
        items[static_cast<size_t>(p)] = {descending ? static_cast<Key>(~key) : key,
                                         static_cast<uint32_t>(p)};
      }
      radix_sort(items, spare);
      for (int64_t p = 0; p < shape.size; ++p) {
        const uint32_t place = items[static_cast<size_t>(p)].index;
        to[first + p * shape.inner] = line[place];
        indices[first + p * shape.inner] = place;
      }
    }
  });
}

}  // namespace

void sort(const LineShape& shape, ScalarType type, bool descending, char* values, int64_t* indices,
          const char* in) {
  dispatch_real_types(type, "sort", [&]<class T>() {
    if (shape.size >= kShortestForDigits && shape.size <= std::numeric_limits<uint32_t>::max()) {
      return sort_by_digits(shape, descending, reinterpret_cast<T*>(values), indices,
                            reinterpret_cast<const T*>(in));
    }
    with_order<T>(descending, [&](auto before) {
      for_each_line<T>(shape, shape.size, values, indices, in,
                       [&](auto& line) { std::stable_sort(line.begin(), line.end(), before); });
    });
  });
}

// Which of equals come, and in which order, is what these algorithms make of them: PyTorch's steps,
// so that the indices are the same.
void topk(const LineShape& shape, ScalarType type, int64_t k, bool largest, bool sorted,
          char* values, int64_t* indices, const char* in) {
  if (k == 0) {
    return;
  }
  dispatch_real_types(type, "topk", [&]<class T>() {
    with_order<T>(largest, [&](auto before) {
      for_each_line<T>(shape, k, values, indices, in, [&](auto& line) {
        if (k * 64 <= shape.size) {
          std::partial_sort(line.begin(), line.begin() + k, line.end(), before);
          return;
        }
        std::nth_element(line.begin(), line.begin() + k - 1, line.end(), before);
        if (sorted) {
          std::sort(line.begin(), line.begin() + k - 1, before);
        }
      });
    });
  });
}

}  // namespace tsc::cpu
