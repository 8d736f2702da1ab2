#include "ops/cpu/sort.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "core/dispatch_types.h"
#include "core/error.h"
#include "core/parallel.h"
#include "ops/cpu/radix_sort.h"

namespace tsc::cpu {

namespace {

template <class Key>
using Items = std::vector<KeyedIndex<Key>>;

// Puts a line in order; `spare` is memory of the same size.
template <class Key>
using PutInOrder = FunctionRef<void(Items<Key>& line, Items<Key>& spare)>;

// Reads the keys of each line, lets `put_in_order` work on them, and writes the first `kept`
// values. What differs by the type of the values is here, what takes long to compile is not.
template <class T>
void for_each_line(const LineShape& shape, bool descending, int64_t kept, char* values,
                   int64_t* indices, const char* in,
                   PutInOrder<UnsignedOf<sizeof(T)>> put_in_order) {
  using Key = UnsignedOf<sizeof(T)>;
  const T* const from = reinterpret_cast<const T*>(in);
  T* const to = reinterpret_cast<T*>(values);
  const auto size = static_cast<size_t>(shape.size);
  const int64_t grain =
      std::max<int64_t>(1, kParallelGrain / (std::max<int64_t>(1, shape.size) * 8));
  parallel_for(0, shape.outer * shape.inner, grain, [&](int64_t begin, int64_t end) {
    Items<Key> items(size);
    Items<Key> spare(size);
    std::unique_ptr<T[]> line(new T[size]);  // vector<bool> is no array
    for (int64_t number = begin; number < end; ++number) {
      const int64_t outer = number / shape.inner;
      const int64_t inner = number % shape.inner;
      const T* const first = from + outer * shape.size * shape.inner + inner;
      for (size_t p = 0; p < size; ++p) {
        const T value = first[static_cast<int64_t>(p) * shape.inner];
        const Key key = sort_key(value);
        line[p] = value;
        items[p] = {descending ? static_cast<Key>(~key) : key, static_cast<uint32_t>(p)};
      }
      put_in_order(items, spare);
      for (int64_t p = 0; p < kept; ++p) {
        const int64_t at = (outer * kept + p) * shape.inner + inner;
        const uint32_t place = items[static_cast<size_t>(p)].index;
        to[at] = line[place];
        indices[at] = place;
      }
    }
  });
}

template <class Key>
bool comes_before(const KeyedIndex<Key>& a, const KeyedIndex<Key>& b) {
  return a.key < b.key;
}

// Lines from which sorting by digits is faster than by comparisons.
constexpr size_t kShortestForDigits = 256;

template <class Key>
void sort_line(Items<Key>& line, Items<Key>& spare) {
  if (line.size() >= kShortestForDigits) {
    radix_sort(line, spare);
  } else {
    std::stable_sort(line.begin(), line.end(), comes_before<Key>);
  }
}

// Which of equals come, and in which order, is what these algorithms make of them: PyTorch's steps,
// so that the indices are the same.
template <class Key>
void select_first(Items<Key>& line, int64_t k, bool sorted) {
  if (static_cast<size_t>(k) * 64 <= line.size()) {
    std::partial_sort(line.begin(), line.begin() + k, line.end(), comes_before<Key>);
    return;
  }
  std::nth_element(line.begin(), line.begin() + k - 1, line.end(), comes_before<Key>);
  if (sorted) {
    std::sort(line.begin(), line.begin() + k - 1, comes_before<Key>);
  }
}

void check_length(const LineShape& shape) {
  TSC_CHECK(shape.size <= std::numeric_limits<uint32_t>::max(),
            "cannot put {} elements in order at once, {} at the most", shape.size,
            std::numeric_limits<uint32_t>::max());
}

}  // namespace

void sort(const LineShape& shape, ScalarType type, bool descending, char* values, int64_t* indices,
          const char* in) {
  check_length(shape);
  dispatch_real_types(type, "sort", [&]<class T>() {
    using Key = UnsignedOf<sizeof(T)>;
    for_each_line<T>(shape, descending, shape.size, values, indices, in,
                     [](Items<Key>& line, Items<Key>& spare) { sort_line<Key>(line, spare); });
  });
}

void topk(const LineShape& shape, ScalarType type, int64_t k, bool largest, bool sorted,
          char* values, int64_t* indices, const char* in) {
  if (k == 0) {
    return;
  }
  check_length(shape);
  dispatch_real_types(type, "topk", [&]<class T>() {
    using Key = UnsignedOf<sizeof(T)>;
    for_each_line<T>(shape, largest, k, values, indices, in,
                     [&](Items<Key>& line, Items<Key>&) { select_first<Key>(line, k, sorted); });
  });
}

}  // namespace tsc::cpu
