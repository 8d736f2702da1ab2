#include "ops/cpu/reduce/pick.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "ops/cpu/reduce/quickselect.h"
#include "ops/cpu/reduce/radix_sort.h"
#include "ops/cpu/reduce/sort.h"

namespace tsc::cpu {

namespace {

// A line's elements, which need not lie next to each other.
template <class T>
struct Line {
  const T* first;
  int64_t size;
  int64_t step;

  T operator[](int64_t i) const { return first[i * step]; }
};

// Writes what a picker made for the thread, make_picker(), finds in each line: the index of an
// element.
template <class T, class MakePicker>
void pick_from_lines(const LineShape& shape, char* values, int64_t* indices, const char* in,
                     const MakePicker& make_picker) {
  const T* const from = reinterpret_cast<const T*>(in);
  T* const to = reinterpret_cast<T*>(values);
  const int64_t grain =
      std::max<int64_t>(1, kParallelGrain / (std::max<int64_t>(1, shape.size) * 8));
  parallel_for(0, shape.outer * shape.inner, grain, [&](int64_t begin, int64_t end) {
    auto picker = make_picker();
    for (int64_t number = begin; number < end; number++) {
      throw_if_interrupted();
      const int64_t first = number / shape.inner * shape.size * shape.inner + number % shape.inner;
      const Line<T> line{from + first, shape.size, shape.inner};
      indices[number] = picker(line);
      to[number] = line[indices[number]];
    }
  });
}

template <class T>
std::unique_ptr<T[]> room_for(int64_t size) {
  return std::make_unique_for_overwrite<T[]>(static_cast<size_t>(size));
}

// For fewer items, comparisons are faster than counts of digits.
constexpr int64_t kFew = 256;

// The index of the item at place `rank` in order, equal keys in the order of their indices, in
// which they come. Many items are narrowed to those that share a digit with it, the highest first.
template <class Key>
int64_t select_ranked(KeyedIndex<Key>* items, int64_t size, int64_t rank) {
  constexpr int kDigitBits = 11;
  int bits = 8 * sizeof(Key);
  while (size > kFew && bits > 0) {
    bits = std::max(bits - kDigitBits, 0);
    const auto digit = [bits](Key key) {
      return static_cast<size_t>(key >> bits) & ((1 << kDigitBits) - 1);
    };
    std::array<uint32_t, 1 << kDigitBits> counts{};
    for_pieces(size, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) counts[digit(items[i].key)]++;
    });
    size_t wanted = 0;
    while (rank >= counts[wanted]) rank -= counts[wanted++];
    int64_t kept = 0;
    for_pieces(size, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) {
        items[kept] = items[i];
        kept += static_cast<int64_t>(digit(items[i].key) == wanted);
      }
    });
    size = kept;
  }
  if (size <= kFew) {
    std::nth_element(items, items + rank, items + size, StandsBefore());
  }
  return items[rank].index;
}

// Calls put(index, key) for each element. How many of them are not NaN?
template <class T, class Put>
int64_t read_keys(const Line<T>& line, const Put& put) {
  int64_t numbers = 0;
  for_pieces(line.size, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      const T value = line[i];
      numbers += static_cast<int64_t>(value == value);
      put(i, sort_key(value));
    }
  });
  return numbers;
}

// Puts keys beside their indices.
template <class Key>
auto put_items(KeyedIndex<Key>* items) {
  return [items](int64_t i, Key key) { items[i] = {key, static_cast<uint32_t>(i)}; };
}

template <class T>
class RankPicker {
 public:
  RankPicker(int64_t size, FunctionRef<int64_t(int64_t)> rank)
      : items_(room_for<KeyedIndex<Key>>(size)), rank_(rank) {}

  int64_t operator()(const Line<T>& line) {
    const int64_t numbers = read_keys(line, put_items(items_.get()));
    return select_ranked(items_.get(), line.size, rank_(numbers));
  }

 private:
  using Key = UnsignedOf<sizeof(T)>;
  std::unique_ptr<KeyedIndex<Key>[]> items_;
  FunctionRef<int64_t(int64_t)> rank_;
};

// The most frequent of sorted keys.
template <class Key, class KeyAt>
Key most_frequent(int64_t count, const KeyAt& key_at) {
  Key best = key_at(0);
  int64_t most = 0;
  int64_t begin = 0;
  for_pieces(count, [&](int64_t piece, int64_t piece_end) {
    for (int64_t i = piece; i < piece_end; i++) {
      if (i + 1 == count || key_at(i + 1) != key_at(i)) {
        if (i + 1 - begin > most) {
          most = i + 1 - begin;
          best = key_at(i);
        }
        begin = i + 1;
      }
    }
  });
  return best;
}

template <class T>
class ModePicker {
 public:
  explicit ModePicker(int64_t size)
      : by_digits_(size >= kShortestForDigits),
        keys_(room_for<Key>(by_digits_ ? 0 : size)),
        items_(room_for<KeyedIndex<Key>>(by_digits_ ? size : 0)),
        spare_(room_for<KeyedIndex<Key>>(by_digits_ ? size : 0)) {}

  int64_t operator()(const Line<T>& line) {
    if (line.size <= kFewToCompare) return of_few(line);
    Key* const keys = keys_.get();
    const int64_t numbers = by_digits_
                                ? read_keys(line, put_items(items_.get()))
                                : read_keys(line, [keys](int64_t i, Key key) { keys[i] = key; });
    // Each NaN counts as different from the others.
    return numbers == 0 ? 0 : last_of(line, mode(line.size, numbers));
  }

 private:
  using Key = UnsignedOf<sizeof(T)>;
  static constexpr int64_t kFewToCompare = 8;

  // By comparing each element with all.
  static int64_t of_few(const Line<T>& line) {
    Key keys[kFewToCompare];
    for (int64_t i = 0; i < line.size; i++) keys[i] = sort_key(line[i]);
    int64_t most = 0;
    int64_t place = 0;
    for (int64_t i = 0; i < line.size; i++) {
      int64_t equal = 0;
      for (int64_t j = 0; j < line.size; j++) equal += static_cast<int64_t>(keys[j] == keys[i]);
      const T value = line[i];
      if (value != value) equal = 0;
      const bool takes = equal > most || (equal == most && most > 0 && keys[i] <= keys[place]);
      most = takes ? equal : most;
      place = takes ? i : place;
    }
    return place;
  }

  Key mode(int64_t size, int64_t numbers) {
    if (by_digits_) {
      const KeyedIndex<Key>* const ordered = radix_sort(items_.get(), spare_.get(), size);
      return most_frequent<Key>(numbers, [&](int64_t i) { return ordered[i].key; });
    }
    const Key* const keys = keys_.get();
    std::sort(keys_.get(), keys_.get() + size);
    return most_frequent<Key>(numbers, [keys](int64_t i) { return keys[i]; });
  }
  static int64_t last_of(const Line<T>& line, Key key) {
    int64_t last = 0;
    for_pieces(line.size, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) last = sort_key(line[i]) == key ? i : last;
    });
    return last;
  }

  bool by_digits_;
  std::unique_ptr<Key[]> keys_;
  std::unique_ptr<KeyedIndex<Key>[]> items_;
  std::unique_ptr<KeyedIndex<Key>[]> spare_;
};

template <class T>
class QuickselectPicker {
 public:
  QuickselectPicker(int64_t size, int64_t rank)
      : values_(room_for<T>(size)), places_(room_for<int64_t>(size)), rank_(rank) {}

  int64_t operator()(const Line<T>& line) {
    for_pieces(line.size, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) values_[static_cast<size_t>(i)] = line[i];
      std::iota(places_.get() + begin, places_.get() + end, begin);
    });
    Quickselect<T>(values_.get(), places_.get()).run(line.size, rank_);
    return places_[static_cast<size_t>(rank_)];
  }

 private:
  std::unique_ptr<T[]> values_;
  std::unique_ptr<int64_t[]> places_;
  int64_t rank_;
};

}  // namespace

void pick_ranked(const LineShape& shape, ScalarType type, FunctionRef<int64_t(int64_t)> rank,
                 char* values, int64_t* indices, const char* in) {
  check_length(shape);
  dispatch_real_types(type, "median", [&]<class T>() {
    pick_from_lines<T>(shape, values, indices, in, [&] { return RankPicker<T>(shape.size, rank); });
  });
}

void pick_mode(const LineShape& shape, ScalarType type, char* values, int64_t* indices,
               const char* in) {
  check_length(shape);
  dispatch_real_types(type, "mode", [&]<class T>() {
    pick_from_lines<T>(shape, values, indices, in, [&] { return ModePicker<T>(shape.size); });
  });
}

void pick_kth(const LineShape& shape, ScalarType type, int64_t rank, char* values, int64_t* indices,
              const char* in) {
  dispatch_real_types(type, "kthvalue_cpu", [&]<class T>() {
    pick_from_lines<T>(shape, values, indices, in,
                       [&] { return QuickselectPicker<T>(shape.size, rank); });
  });
}

}  // namespace tsc::cpu
