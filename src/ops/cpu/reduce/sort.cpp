#include "ops/cpu/reduce/sort.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "core/dispatch_types.h"
#include "core/error.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "ops/cpu/reduce/radix_sort.h"

namespace tsc::cpu {

namespace {

// Sorts a line; `spare` is memory of the same size. Returns the one of the two that holds the
// result.
template <class Key>
using PutInOrder = FunctionRef<KeyedIndex<Key>*(KeyedIndex<Key>* line, KeyedIndex<Key>* spare)>;

// Uninitialised memory: pages that are never touched are never allocated by the system.
template <class T>
std::unique_ptr<T[]> room_for(int64_t size) {
  return std::unique_ptr<T[]>(new T[static_cast<size_t>(size)]);
}

// Reads the keys of each line, lets `put_in_order` sort them, and writes the first `kept` values.
// Only this part depends on the values' type; the sort, which is slow to compile, depends on the
// key's.
template <class T>
void for_each_line(const LineShape& shape, bool descending, int64_t kept, char* values,
                   int64_t* indices, const char* in,
                   PutInOrder<UnsignedOf<sizeof(T)>> put_in_order) {
  using Key = UnsignedOf<sizeof(T)>;
  const T* const from = reinterpret_cast<const T*>(in);
  T* const to = reinterpret_cast<T*>(values);
  const int64_t grain =
      std::max<int64_t>(1, kParallelGrain / (std::max<int64_t>(1, shape.size) * 8));
  parallel_for(0, shape.outer * shape.inner, grain, [&](int64_t begin, int64_t end) {
    const auto items = room_for<KeyedIndex<Key>>(shape.size);
    const auto spare = room_for<KeyedIndex<Key>>(shape.size);
    const auto line = room_for<T>(shape.size);
    for (int64_t number = begin; number < end; number++) {
      const int64_t outer = number / shape.inner;
      const int64_t inner = number % shape.inner;
      const T* const first = from + outer * shape.size * shape.inner + inner;
      for_pieces(shape.size, [&](int64_t piece, int64_t piece_end) {
        for (int64_t p = piece; p < piece_end; p++) {
          const T value = first[p * shape.inner];
          const Key key = sort_key(value);
          line[p] = value;
          items[p] = {descending ? static_cast<Key>(~key) : key, static_cast<uint32_t>(p)};
        }
      });
      const KeyedIndex<Key>* const ordered = put_in_order(items.get(), spare.get());
      for_pieces(kept, [&](int64_t piece, int64_t piece_end) {
        for (int64_t p = piece; p < piece_end; p++) {
          const int64_t at = (outer * kept + p) * shape.inner + inner;
          const uint32_t place = ordered[p].index;
          to[at] = line[place];
          indices[at] = place;
        }
      });
    }
  });
}

struct ComesBefore {
  template <class Key>
  bool operator()(const KeyedIndex<Key>& a, const KeyedIndex<Key>& b) const {
    return a.key < b.key;
  }
};
struct ComesBeforeUntilInterrupt {
  template <class Key>
  bool operator()(const KeyedIndex<Key>& a, const KeyedIndex<Key>& b) const {
    if (a.key < b.key) {
      throw_if_interrupted();
      return true;
    }
    return false;
  }
};
// So few elements are sorted in some 10 ms.
constexpr int64_t kFewToOrder = 1 << 17;

template <class Key>
KeyedIndex<Key>* sort_line(KeyedIndex<Key>* line, KeyedIndex<Key>* spare, int64_t size) {
  if (size >= kShortestForDigits) {
    return radix_sort(line, spare, size);
  }
  std::sort(line, line + size, StandsBefore());
  return line;
}

// Lines of two to four elements, by a network of exchanges without branches. A key and its place are
// one number.
template <size_t kSize, class T>
void sort_short_lines(const LineShape& shape, bool descending, char* values, int64_t* indices,
                      const char* in) {
  using Key = UnsignedOf<sizeof(T)>;
  using Word = std::conditional_t<sizeof(Key) <= sizeof(uint32_t), uint64_t, unsigned __int128>;
  constexpr int64_t kGrain = kParallelGrain / 8;
  parallel_for(0, shape.outer * shape.inner, kGrain, [&](int64_t begin, int64_t end) {
    for_pieces(end - begin, [&](int64_t piece, int64_t piece_end) {
      for (int64_t number = begin + piece; number < begin + piece_end; number++) {
        const int64_t at = shape.inner == 1 ? number * shape.size
                                            : number / shape.inner * shape.size * shape.inner +
                                                  number % shape.inner;
        const T* const from = reinterpret_cast<const T*>(in) + at;
        Word words[kSize];
        for (size_t p = 0; p < kSize; p++) {
          const Key key = sort_key(from[static_cast<int64_t>(p) * shape.inner]);
          words[p] = Word{descending ? static_cast<Key>(~key) : key} << 2 | p;
        }
        const auto exchange = [&](size_t i, size_t j) {
          Word low = std::min(words[i], words[j]);
          Word high = std::max(words[i], words[j]);
          // In registers of their own: as lanes of a vector they would wait for one another.
          __asm__("" : "+r"(low), "+r"(high));
          words[i] = low;
          words[j] = high;
        };
        if constexpr (kSize == 4) {
          exchange(0, 2);
          exchange(1, 3);
          exchange(0, 1);
          exchange(2, 3);
          exchange(1, 2);
        } else {
          exchange(0, 1);
          if constexpr (kSize == 3) {
            exchange(1, 2);
            exchange(0, 1);
          }
        }
        for (size_t p = 0; p < kSize; p++) {
          const auto place = static_cast<int64_t>(words[p] & 3);
          const int64_t to = at + static_cast<int64_t>(p) * shape.inner;
          reinterpret_cast<T*>(values)[to] = from[place * shape.inner];
          indices[to] = place;
        }
      }
    });
  });
}

// The choice and order among equal elements depend on the algorithm: these are PyTorch's steps, so
// that the indices are the same. A few of many are kept in a heap.
bool takes_heap(int64_t size, int64_t k) { return k * 64 <= size; }
template <class Key, class Before>
void select_first(KeyedIndex<Key>* line, int64_t size, int64_t k, bool sorted, Before before) {
  std::nth_element(line, line + k - 1, line + size, before);
  if (sorted) {
    std::sort(line, line + k - 1, before);
  }
}

// The first place from p on whose value is not certainly behind `worst`, or `end`. NaN never is.
template <bool kLargest, class T>
int64_t next_candidate(const T* line, int64_t stride, int64_t p, int64_t end, T worst) {
  const auto is_behind = [worst](T value) { return kLargest ? value <= worst : value >= worst; };
  if (stride == 1) {
    constexpr int64_t kTogether = 16;
    for (; p + kTogether <= end; p += kTogether) {
      int behind = 0;
      for (int64_t k = 0; k < kTogether; k++) behind += is_behind(line[p + k]) ? 1 : 0;
      if (behind < kTogether) break;
    }
  }
  while (p < end && is_behind(line[p * stride])) p++;
  return p;
}

// std::partial_sort of each line's keys, which stand in memory only while they are among the first k.
template <class T>
void first_of_lines(const LineShape& shape, bool descending, int64_t k, char* values,
                    int64_t* indices, const char* in) {
  using Key = UnsignedOf<sizeof(T)>;
  const T* const from = reinterpret_cast<const T*>(in);
  T* const to = reinterpret_cast<T*>(values);
  const int64_t grain = std::max<int64_t>(1, kParallelGrain / 4 / shape.size);
  parallel_for(0, shape.outer * shape.inner, grain, [&](int64_t begin, int64_t end) {
    // The last place takes the element that comes in.
    const auto heap = room_for<KeyedIndex<Key>>(k + 1);
    KeyedIndex<Key>* const first = heap.get();
    KeyedIndex<Key>* const last = first + k;
    for (int64_t number = begin; number < end; number++) {
      const int64_t outer = number / shape.inner;
      const int64_t inner = number % shape.inner;
      const T* const line = from + outer * shape.size * shape.inner + inner;
      const auto item = [&](int64_t p) {
        const Key key = sort_key(line[p * shape.inner]);
        return KeyedIndex<Key>{descending ? static_cast<Key>(~key) : key, static_cast<uint32_t>(p)};
      };
      for (int64_t p = 0; p < k; p++) first[p] = item(p);
      std::make_heap(first, last, ComesBefore());
      T worst = line[first->index * shape.inner];
      // Most elements are behind, which their values say.
      for_pieces(shape.size - k, [&](int64_t piece, int64_t piece_end) {
        const auto next_from = [&](int64_t p) {
          return descending ? next_candidate<true>(line, shape.inner, p, k + piece_end, worst)
                            : next_candidate<false>(line, shape.inner, p, k + piece_end, worst);
        };
        for (int64_t p = next_from(k + piece); p < k + piece_end; p = next_from(p + 1)) {
          const KeyedIndex<Key> next = item(p);
          if (ComesBefore()(next, *first)) {
            *last = next;
            std::pop_heap(first, last + 1, ComesBefore());
            worst = line[first->index * shape.inner];
          }
        }
      });
      std::sort_heap(first, last, ComesBefore());
      for (int64_t p = 0; p < k; p++) {
        const int64_t at = (outer * k + p) * shape.inner + inner;
        to[at] = line[first[p].index * shape.inner];
        indices[at] = first[p].index;
      }
    }
  });
}

}  // namespace

void check_length(const LineShape& shape) {
  TSC_CHECK(shape.size <= std::numeric_limits<uint32_t>::max(),
            "cannot put {} elements in order at once, {} at the most", shape.size,
            std::numeric_limits<uint32_t>::max());
}

void sort(const LineShape& shape, ScalarType type, bool descending, char* values, int64_t* indices,
          const char* in) {
  check_length(shape);
  dispatch_real_types(type, "sort", [&]<class T>() {
    using Key = UnsignedOf<sizeof(T)>;
    switch (shape.size) {
      case 2: return sort_short_lines<2, T>(shape, descending, values, indices, in);
      case 3: return sort_short_lines<3, T>(shape, descending, values, indices, in);
      case 4: return sort_short_lines<4, T>(shape, descending, values, indices, in);
      default: break;
    }
    for_each_line<T>(shape, descending, shape.size, values, indices, in,
                     [&](KeyedIndex<Key>* line, KeyedIndex<Key>* spare) {
                       return sort_line<Key>(line, spare, shape.size);
                     });
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
    if (takes_heap(shape.size, k)) {
      first_of_lines<T>(shape, largest, k, values, indices, in);
      return;
    }
    for_each_line<T>(shape, largest, k, values, indices, in,
                     [&](KeyedIndex<Key>* line, KeyedIndex<Key>*) {
                       if (shape.size <= kFewToOrder) {
                         select_first(line, shape.size, k, sorted, ComesBefore());
                       } else {
                         select_first(line, shape.size, k, sorted, ComesBeforeUntilInterrupt());
                       }
                       return line;
                     });
  });
}

}  // namespace tsc::cpu
