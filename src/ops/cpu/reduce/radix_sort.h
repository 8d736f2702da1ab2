// Sorting by the digits of keys, the lowest first (D. E. Knuth, The Art of Computer Programming,
// volume 3, section 5.2.5): its time grows with the number of elements alone, and equal keys keep
// their order.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/system/interrupt.h"

namespace tsc::cpu {

template <size_t bytes>
using UnsignedOf = std::conditional_t<
    bytes == 1, uint8_t,
    std::conditional_t<bytes == 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;

// Maps a value to an unsigned number in the order of the values: both zeros are equal, and so are
// all NaN, which come last.
template <class T>
UnsignedOf<sizeof(T)> sort_key(T value) {
  using Key = UnsignedOf<sizeof(T)>;
  constexpr auto kSign = static_cast<Key>(Key{1} << (8 * sizeof(T) - 1));
  if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<Key>(static_cast<Key>(value) ^ (std::is_signed_v<T> ? kSign : 0));
  } else {
    const auto number =
        static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(value);
    if (number != number) {
      return static_cast<Key>(~Key{0});
    }
    const auto bits = number == 0 ? Key{0} : std::bit_cast<Key>(value);
    return static_cast<Key>((bits & kSign) != 0 ? ~bits : bits | kSign);
  }
}

template <class Key>
struct KeyedIndex {
  Key key;
  uint32_t index;
};

// Equal keys in the order in which they stood. Short keys and their places are compared at once.
struct StandsBefore {
  template <class Key>
  bool operator()(const KeyedIndex<Key>& a, const KeyedIndex<Key>& b) const {
    if constexpr (sizeof(Key) <= sizeof(uint32_t)) {
      return (uint64_t{a.key} << 32 | a.index) < (uint64_t{b.key} << 32 | b.index);
    } else {
      return a.key < b.key || (a.key == b.key && a.index < b.index);
    }
  }
};

// The length from which sorting by digits is faster than by comparisons.
inline constexpr int64_t kShortestForDigits = 256;

// Sorts `items`; `spare` is memory of the same size. Returns the one of the two that holds the
// result. A digit that all keys share costs no pass.
template <class Key>
KeyedIndex<Key>* radix_sort(KeyedIndex<Key>* items, KeyedIndex<Key>* spare, int64_t size) {
  constexpr size_t kDigits = sizeof(Key);
  const auto digit = [](Key key, size_t d) { return static_cast<size_t>(key >> (8 * d)) & 0xff; };
  std::array<std::array<uint32_t, 256>, kDigits> counts{};
  for_pieces(size, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      for (size_t d = 0; d < kDigits; d++) ++counts[d][digit(items[i].key, d)];
    }
  });
  for (size_t d = 0; d < kDigits; d++) {
    std::array<uint32_t, 256>& places = counts[d];
    if (places[digit(items[0].key, d)] == static_cast<uint64_t>(size)) continue;
    uint32_t next = 0;
    for (uint32_t& place : places) next += std::exchange(place, next);
    for_pieces(size, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) spare[places[digit(items[i].key, d)]++] = items[i];
    });
    std::swap(items, spare);
  }
  return items;
}

}  // namespace tsc::cpu
