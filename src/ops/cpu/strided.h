// Runs of elements in two dimensions, gathered into contiguous memory and scattered from it.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "ops/cpu/cpu_level.h"

namespace tsc::cpu {

// Bytes of a tile: those of all operands together fit the first-level cache.
inline constexpr int64_t kTileBytes = 4096;
// Columns in which a transposed operand is read: a cache line of each stays until the next rows
// need it.
inline constexpr int64_t kTransposedColumns = 256;

// A run of elements in two dimensions; strides in bytes.
struct Strided {
  char* data;
  int64_t stride0;
  int64_t stride1;
};

#define TSC_VECTOR_OF(type, count) type __attribute__((vector_size(sizeof(type) * (count))))

// A contiguous run of one value.
template <class Word>
void fill_run(char* to, Word value, int64_t count) {
  int64_t i = 0;
  if constexpr (std::is_integral_v<Word>) {
    constexpr int64_t kLanes = 64 / sizeof(Word);
    using Line = TSC_VECTOR_OF(uint64_t, 8);
    const Line line = Line{} + value * (~uint64_t{0} / std::numeric_limits<Word>::max());
    for (; i + kLanes <= count; i += kLanes) {
      std::memcpy(to + i * static_cast<int64_t>(sizeof(Word)), &line, sizeof line);
    }
  }
  for (; i < count; i++) {
    std::memcpy(to + i * static_cast<int64_t>(sizeof(Word)), &value, sizeof(Word));
  }
}

using Bytes16 = TSC_VECTOR_OF(uint8_t, 16);
using Halves8 = TSC_VECTOR_OF(uint16_t, 8);
using Words4 = TSC_VECTOR_OF(uint32_t, 4);
using Longs2 = TSC_VECTOR_OF(uint64_t, 2);

// The lower or upper halves of two vectors, lanes of the first and the second in turns.
inline Bytes16 zip_low(Bytes16 a, Bytes16 b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
inline Halves8 zip_low(Halves8 a, Halves8 b) {
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
inline Halves8 zip_high(Halves8 a, Halves8 b) {
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}
inline Words4 zip_low(Words4 a, Words4 b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
inline Words4 zip_high(Words4 a, Words4 b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
inline Longs2 zip_low(Longs2 a, Longs2 b) { return __builtin_shufflevector(a, b, 0, 2); }
inline Longs2 zip_high(Longs2 a, Longs2 b) { return __builtin_shufflevector(a, b, 1, 3); }

// Blocks of a matrix, turned in registers: to[j][i] = from[i][j].
inline void turn_block(char* to, int64_t to_row, const char* from, int64_t from_row, uint32_t) {
  using Row = Words4;
  Row a, b, c, d;
  std::memcpy(&a, from, sizeof a);
  std::memcpy(&b, from + from_row, sizeof b);
  std::memcpy(&c, from + 2 * from_row, sizeof c);
  std::memcpy(&d, from + 3 * from_row, sizeof d);
  const Row ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Row ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Row cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Row cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
  std::memcpy(to, &a, sizeof a);
  std::memcpy(to + to_row, &b, sizeof b);
  std::memcpy(to + 2 * to_row, &c, sizeof c);
  std::memcpy(to + 3 * to_row, &d, sizeof d);
}
inline void turn_block(char* to, int64_t to_row, const char* from, int64_t from_row, uint64_t) {
  Longs2 a, b;
  std::memcpy(&a, from, sizeof a);
  std::memcpy(&b, from + from_row, sizeof b);
  const Longs2 low = zip_low(a, b);
  const Longs2 high = zip_high(a, b);
  std::memcpy(to, &low, sizeof low);
  std::memcpy(to + to_row, &high, sizeof high);
}
// 8 x 8 bytes: the elements of a column lie side by side, first of two rows, then of four and eight.
inline void turn_block(char* to, int64_t to_row, const char* from, int64_t from_row, uint8_t) {
  const auto of_two = [&](int64_t i) {
    Longs2 first = {}, second = {};
    std::memcpy(&first, from + i * from_row, 8);
    std::memcpy(&second, from + (i + 1) * from_row, 8);
    return std::bit_cast<Halves8>(
        zip_low(std::bit_cast<Bytes16>(first), std::bit_cast<Bytes16>(second)));
  };
  const auto of_four = [&](int64_t i) {
    const Halves8 first = of_two(i);
    const Halves8 second = of_two(i + 2);
    return std::pair(std::bit_cast<Words4>(zip_low(first, second)),
                     std::bit_cast<Words4>(zip_high(first, second)));
  };
  const auto [low, high] = of_four(0);
  const auto [next_low, next_high] = of_four(4);
  const auto put_two = [&](int64_t j, Words4 columns) {
    const auto two = std::bit_cast<Longs2>(columns);
    const uint64_t first = two[0];
    const uint64_t second = two[1];
    std::memcpy(to + j * to_row, &first, 8);
    std::memcpy(to + (j + 1) * to_row, &second, 8);
  };
  put_two(0, zip_low(low, next_low));
  put_two(2, zip_high(low, next_low));
  put_two(4, zip_low(high, next_high));
  put_two(6, zip_high(high, next_high));
}
// 8 x 8 elements of two bytes.
inline void turn_block(char* to, int64_t to_row, const char* from, int64_t from_row, uint16_t) {
  const auto of_two = [&](int64_t i) {
    Halves8 first, second;
    std::memcpy(&first, from + i * from_row, sizeof first);
    std::memcpy(&second, from + (i + 1) * from_row, sizeof second);
    return std::pair(std::bit_cast<Words4>(zip_low(first, second)),
                     std::bit_cast<Words4>(zip_high(first, second)));
  };
  const auto [low0, high0] = of_two(0);
  const auto [low2, high2] = of_two(2);
  const auto [low4, high4] = of_two(4);
  const auto [low6, high6] = of_two(6);
  const auto put_two = [&](int64_t j, Words4 upper, Words4 lower) {
    const Longs2 first = zip_low(std::bit_cast<Longs2>(upper), std::bit_cast<Longs2>(lower));
    const Longs2 second = zip_high(std::bit_cast<Longs2>(upper), std::bit_cast<Longs2>(lower));
    std::memcpy(to + j * to_row, &first, sizeof first);
    std::memcpy(to + (j + 1) * to_row, &second, sizeof second);
  };
  put_two(0, zip_low(low0, low2), zip_low(low4, low6));
  put_two(2, zip_high(low0, low2), zip_high(low4, low6));
  put_two(4, zip_low(high0, high2), zip_low(high4, high6));
  put_two(6, zip_high(high0, high2), zip_high(high4, high6));
}

// 16 bytes in reverse.
inline void reverse_block(char* to, const char* from, uint32_t) {
  TSC_VECTOR_OF(uint32_t, 4) row;
  std::memcpy(&row, from, sizeof row);
  row = __builtin_shufflevector(row, row, 3, 2, 1, 0);
  std::memcpy(to, &row, sizeof row);
}
inline void reverse_block(char* to, const char* from, uint64_t) {
  TSC_VECTOR_OF(uint64_t, 2) row;
  std::memcpy(&row, from, sizeof row);
  row = __builtin_shufflevector(row, row, 1, 0);
  std::memcpy(to, &row, sizeof row);
}
#undef TSC_VECTOR_OF

// `count` elements of which `from` is the first, in a run that goes backwards.
template <class Word>
void copy_reversed(char* to, const char* from, int64_t count) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(Word));
  int64_t i = 0;
  if constexpr (kSize == 4 || kSize == 8) {
    constexpr int64_t kLanes = 16 / kSize;
    for (; i + kLanes <= count; i += kLanes) {
      reverse_block(to + i * kSize, from - (i + kLanes - 1) * kSize, Word());
    }
  }
  for (; i < count; i++) {
    std::memcpy(to + i * kSize, from - i * kSize, sizeof(Word));
  }
}

// Gathers size1 rows of size0 elements from as many columns, by groups that fill a cache line of
// the result, so that no line is written in parts.
template <class Word>
void copy_transposed(char* to, int64_t to_row, const char* from, int64_t from_row, int64_t size0,
                     int64_t size1) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(Word));
  constexpr int64_t kWidth = 64 / kSize;
  constexpr int64_t kBlock = kSize == 4 ? 4 : kSize == 8 ? 2 : kSize <= 2 ? 8 : 1;
  const auto move = [&](int64_t i, int64_t j) {
    std::memcpy(to + j * to_row + i * kSize, from + i * from_row + j * kSize, sizeof(Word));
  };
  for (int64_t begin = 0; begin < size0; begin += kWidth) {
    const int64_t end = begin + kWidth < size0 ? begin + kWidth : size0;
    int64_t j = 0;
    if constexpr (kBlock > 1) {
      const int64_t whole = end - (end - begin) % kBlock;
      for (; j + kBlock <= size1; j += kBlock) {
        for (int64_t i = begin; i < whole; i += kBlock) {
          turn_block(to + j * to_row + i * kSize, to_row, from + i * from_row + j * kSize, from_row,
                     Word());
        }
        for (int64_t i = whole; i < end; i++) {
          for (int64_t k = 0; k < kBlock; k++) move(i, j + k);
        }
      }
    }
    for (; j < size1; j++) {
      for (int64_t i = begin; i < end; i++) move(i, j);
    }
  }
}

// `count` elements from every `step` bytes, stored by words of 8 bytes (the first element is a word's
// lowest).
template <class Word>
void gather_run(char* to, const char* from, int64_t step, int64_t count) {
  int64_t i = 0;
  if constexpr (sizeof(Word) < sizeof(uint64_t)) {
    constexpr int64_t kTogether = sizeof(uint64_t) / sizeof(Word);
    const auto together = [&](int64_t first) {
      uint64_t word = 0;
      for (int64_t k = kTogether; k-- > 0;) {
        Word element;
        std::memcpy(&element, from + (first + k) * step, sizeof element);
        word = word << (8 * sizeof(Word)) | element;
      }
      return word;
    };
    for (; i + 2 * kTogether <= count; i += 2 * kTogether) {
      __builtin_prefetch(from + prefetch_distance);
      const uint64_t words[] = {together(0), together(kTogether)};
      std::memcpy(to, words, sizeof words);
      from += 2 * kTogether * step;
      to += sizeof words;
    }
  }
  for (; i < count; i++, from += step, to += sizeof(Word)) std::memcpy(to, from, sizeof(Word));
}

// Contiguous elements to every `step` bytes, some loaded at once.
template <class Word>
void scatter_run(char* to, int64_t step, const char* from, int64_t count) {
  constexpr int64_t kTogether = 8;
  const auto put = [&]<size_t... k>(std::index_sequence<k...>) {
    Word words[kTogether];
    std::memcpy(words, from, sizeof words);
    (std::memcpy(to + static_cast<int64_t>(k) * step, &words[k], sizeof(Word)), ...);
  };
  int64_t i = 0;
  for (; i + kTogether <= count; i += kTogether) {
    put(std::make_index_sequence<kTogether>());
    from += kTogether * sizeof(Word);
    to += kTogether * step;
  }
  for (; i < count; i++, from += sizeof(Word), to += step) std::memcpy(to, from, sizeof(Word));
}

template <class Word>
void gather_words(char* to_bytes, Strided from, int64_t size0, int64_t size1) {
  if (from.stride1 == static_cast<int64_t>(sizeof(Word)) && from.stride0 != 0 && size1 > 1) {
    copy_transposed<Word>(to_bytes, size0 * static_cast<int64_t>(sizeof(Word)), from.data,
                          from.stride0, size0, size1);
    return;
  }
  for (int64_t j = 0; j < size1; j++) {
    const char* source = from.data + j * from.stride1;
    char* to = to_bytes + j * size0 * static_cast<int64_t>(sizeof(Word));
    if (from.stride0 == 0) {
      Word value;
      std::memcpy(&value, source, sizeof value);
      fill_run(to, value, size0);
      continue;
    }
    if (from.stride0 == -static_cast<int64_t>(sizeof(Word))) {
      copy_reversed<Word>(to, source, size0);
      continue;
    }
    gather_run<Word>(to, source, from.stride0, size0);
  }
}

template <class Word>
void scatter_words(Strided to, const char* from_bytes, int64_t size0, int64_t size1) {
  for (int64_t j = 0; j < size1; j++) {
    char* target = to.data + j * to.stride1;
    const char* from = from_bytes + j * size0 * static_cast<int64_t>(sizeof(Word));
    scatter_run<Word>(target, to.stride0, from, size0);
  }
}

struct alignas(16) Word16 {
  uint64_t half[2];
};

// Calls f with a value of a type of that many bytes.
template <class F>
void with_word(size_t size, F f) {
  switch (size) {
    case 1: return f(uint8_t());
    case 2: return f(uint16_t());
    case 4: return f(uint32_t());
    case 8: return f(uint64_t());
    default: return f(Word16());
  }
}

inline void gather(char* to, Strided from, size_t size, int64_t size0, int64_t size1) {
  if (from.stride0 == static_cast<int64_t>(size)) {
    const size_t row = static_cast<size_t>(size0) * size;
    for (int64_t j = 0; j < size1; j++) {
      std::memcpy(to + static_cast<size_t>(j) * row, from.data + j * from.stride1, row);
    }
    return;
  }
  with_word(size, [&](auto word) { gather_words<decltype(word)>(to, from, size0, size1); });
}

inline void scatter(Strided to, const char* from, size_t size, int64_t size0, int64_t size1) {
  if (to.stride0 == static_cast<int64_t>(size)) {
    const size_t row = static_cast<size_t>(size0) * size;
    for (int64_t j = 0; j < size1; j++) {
      std::memcpy(to.data + j * to.stride1, from + static_cast<size_t>(j) * row, row);
    }
    return;
  }
  with_word(size, [&](auto word) { scatter_words<decltype(word)>(to, from, size0, size1); });
}

inline bool is_dense(int64_t stride0, int64_t stride1, int64_t size0, int64_t size1, int64_t size) {
  return (stride0 == size || size0 == 1) && (stride1 == size0 * size || size1 == 1);
}

inline int64_t magnitude(int64_t stride) { return stride < 0 ? -stride : stride; }

}  // namespace tsc::cpu
