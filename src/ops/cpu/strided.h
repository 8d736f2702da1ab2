// Runs of elements in two dimensions, gathered into contiguous memory and scattered from it.
#pragma once

#include <cstdint>
#include <cstring>

namespace tsc::cpu {

// What fits the first-level cache beside its like.
inline constexpr int64_t kTileBytes = 8192;
// Columns in which a transposed operand is read: a cache line of each stays until the next rows
// need it.
inline constexpr int64_t kTransposedColumns = 256;

// A run of elements in two dimensions; strides in bytes.
struct Strided {
  char* data;
  int64_t stride0;
  int64_t stride1;
};

template <class Word>
void gather_words(char* to_bytes, Strided from, int64_t size0, int64_t size1) {
  for (int64_t j = 0; j < size1; ++j) {
    const char* source = from.data + j * from.stride1;
    char* to = to_bytes + j * size0 * static_cast<int64_t>(sizeof(Word));
    for (int64_t i = 0; i < size0; ++i) {
      std::memcpy(to + i * static_cast<int64_t>(sizeof(Word)), source + i * from.stride0,
                  sizeof(Word));
    }
  }
}

template <class Word>
void scatter_words(Strided to, const char* from_bytes, int64_t size0, int64_t size1) {
  for (int64_t j = 0; j < size1; ++j) {
    char* target = to.data + j * to.stride1;
    const char* from = from_bytes + j * size0 * static_cast<int64_t>(sizeof(Word));
    for (int64_t i = 0; i < size0; ++i) {
      std::memcpy(target + i * to.stride0, from + i * static_cast<int64_t>(sizeof(Word)),
                  sizeof(Word));
    }
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
    for (int64_t j = 0; j < size1; ++j) {
      std::memcpy(to + static_cast<size_t>(j) * row, from.data + j * from.stride1, row);
    }
    return;
  }
  with_word(size, [&](auto word) { gather_words<decltype(word)>(to, from, size0, size1); });
}

inline void scatter(Strided to, const char* from, size_t size, int64_t size0, int64_t size1) {
  if (to.stride0 == static_cast<int64_t>(size)) {
    const size_t row = static_cast<size_t>(size0) * size;
    for (int64_t j = 0; j < size1; ++j) {
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
