#include <algorithm>
#include <cstring>
#include <utility>

#include "core/system/copy_bytes.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/shape/moves.h"
#include "ops/cpu/strided.h"

namespace tsc::cpu {

namespace {

constexpr int64_t kLine = 64;  // bytes
constexpr int64_t kLongRun = 1024;
// Fewer columns than this are copied one after the other.
constexpr int64_t kFewColumns = 4;

template <class Word>
void fill_dense(char* to, Word value, int64_t count) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(Word));
  if (count < kLongRun / kSize) {
    fill_run(to, value, count);
    return;
  }
  const auto past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % kLine);
  const int64_t before = (kLine - past) % kLine / kSize;
  alignas(kLine) char line[kLine];
  for (int64_t i = 0; i < kLine; i += kSize) std::memcpy(line + i, &value, sizeof value);
  for (int64_t i = 0; i < before; i++) std::memcpy(to + i * kSize, &value, sizeof value);
  const int64_t lines = (count - before) * kSize / kLine;
  moves->fill(to + before * kSize, line, lines);
  for (int64_t i = before + lines * (kLine / kSize); i < count; i++) {
    std::memcpy(to + i * kSize, &value, sizeof value);
  }
}

template <class Word>
void fill_words(Strided to, Word value, int64_t size0, int64_t size1) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(Word));
  for (int64_t j = 0; j < size1; j++) {
    char* const row = to.data + j * to.stride1;
    if (to.stride0 == kSize) {
      fill_dense(row, value, size0);
    } else {
      for (int64_t i = 0; i < size0; i++) std::memcpy(row + i * to.stride0, &value, sizeof value);
    }
  }
}

template <class Word>
void reverse_run(char* to, const char* from, int64_t count) {
  if constexpr (sizeof(Word) > 1 && sizeof(Word) <= 8) {
    moves->reverse(to, from, count, sizeof(Word));
  } else {
    copy_reversed<Word>(to, from, count);
  }
}

// Of every second element, `from` being the first and all others before it.
template <class Word>
void reverse_every_second(char* to, const char* from, int64_t count) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(Word));
  constexpr int64_t kCapacity = kTileBytes / 4 / kSize;
  alignas(64) char gathered[kCapacity * kSize];
  for (int64_t i = 0; i < count; i += kCapacity) {
    const int64_t length = std::min(kCapacity, count - i);
    const char* const last = from - (i + length - 1) * 2 * kSize;
    gather_elements(gathered, {const_cast<char*>(last), 2 * kSize, 0}, kSize, length, 1);
    reverse_run<Word>(to + i * kSize, gathered + (length - 1) * kSize, length);
  }
}

constexpr int64_t kShortRow = 32;  // bytes

// Rows of at most kBytes to rows without gaps, kBytes at a time: what is too much is in memory that
// belongs to later rows, and these overwrite it. The last rows are copied without that.
template <int64_t kBytes>
void copy_short_rows(char* to, const char* from, int64_t from_stride, int64_t row, int64_t rows) {
  const int64_t last = std::max((kBytes - row + from_stride - 1) / from_stride, (kBytes - 1) / row);
  int64_t j = 0;
  for (; j < rows - last; j++, to += row, from += from_stride) std::memcpy(to, from, kBytes);
  for (; j < rows; j++, to += row, from += from_stride) {
    std::memcpy(to, from, static_cast<size_t>(row));
  }
}

template <class Word>
void copy_words(Strided to, Strided from, int64_t size0, int64_t size1) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(Word));
  if (from.stride0 == 0 && size0 >= kFewColumns) {  // each row is one element
    for (int64_t j = 0; j < size1; j++) {
      Word value;
      std::memcpy(&value, from.data + j * from.stride1, sizeof value);
      fill_words(Strided{to.data + j * to.stride1, to.stride0, 0}, value, size0, 1);
    }
    return;
  }
  if (to.stride0 == kSize && from.stride1 == kSize && size0 >= kFewColumns) {
    copy_transposed<Word>(to.data, to.stride1, from.data, from.stride0, size0, size1);
    return;
  }
  const bool every_second = from.stride0 == -2 * kSize && kSize <= 8;
  if (to.stride0 == kSize && (from.stride0 == -kSize || every_second)) {
    for (int64_t j = 0; j < size1; j++) {
      char* const target = to.data + j * to.stride1;
      const char* const source = from.data + j * from.stride1;
      if (every_second) {
        reverse_every_second<Word>(target, source, size0);
      } else {
        reverse_run<Word>(target, source, size0);
      }
    }
    return;
  }
  // Few columns change places with the rows, so that the inner loop is long.
  const bool few = size0 < kFewColumns && size1 > size0;
  if (few) {
    std::swap(to.stride0, to.stride1);
    std::swap(from.stride0, from.stride1);
    std::swap(size0, size1);
  }
  // Where one of the two operands is walked in large steps, as many elements at a time as fill a
  // cache line.
  const bool transposed = magnitude(from.stride1) < magnitude(from.stride0) ||
                          magnitude(to.stride1) < magnitude(to.stride0);
  const int64_t most = few ? kTransposedColumns : static_cast<int64_t>(64 / sizeof(Word));
  const int64_t width = few || (transposed && size1 > 1) ? std::min(size0, most) : size0;
  for (int64_t begin = 0; begin < size0; begin += width) {
    const int64_t end = std::min(begin + width, size0);
    for (int64_t j = 0; j < size1; j++) {
      char* const target = to.data + j * to.stride1;
      const char* const source = from.data + j * from.stride1;
      if (to.stride0 == kSize) {
        gather_run<Word>(target + begin * kSize, source + begin * from.stride0, from.stride0,
                         end - begin);
      } else if (from.stride0 == kSize) {
        scatter_run<Word>(target + begin * to.stride0, to.stride0, source + begin * kSize,
                          end - begin);
      } else {
        for (int64_t i = begin; i < end; i++) {
          std::memcpy(target + i * to.stride0, source + i * from.stride0, sizeof(Word));
        }
      }
    }
  }
}

}  // namespace

CopyLoop::CopyLoop(ScalarType to, ScalarType from)
    : convert_(to == from ? nullptr : find_convert(to, from)),
      to_size_(static_cast<int64_t>(element_size(to))),
      from_size_(static_cast<int64_t>(element_size(from))) {}

void CopyLoop::operator()(char* const* data, const int64_t* strides, int64_t size0,
                          int64_t size1) const {
  if (size0 <= 0 || size1 <= 0) return;
  if (strides[1] == 0 && (strides[3] == 0 || size1 == 1)) {
    fill(data[0], strides[0], strides[2], data[1], size0, size1);
    return;
  }
  if (is_dense(strides[0], strides[2], size0, size1, to_size_) &&
      is_dense(strides[1], strides[3], size0, size1, from_size_)) {
    if (convert_ != nullptr) {
      convert_(data[0], data[1], size0 * size1);
    } else {
      copy_bytes(data[0], data[1], static_cast<size_t>(size0 * size1 * to_size_));
    }
    return;
  }
  copy_strided(data, strides, size0, size1);
}

void CopyLoop::fill(char* to, int64_t stride0, int64_t stride1, const char* from, int64_t size0,
                    int64_t size1) const {
  alignas(16) char element[16];
  if (convert_ != nullptr) {
    convert_(element, from, 1);
  } else {
    std::memcpy(element, from, static_cast<size_t>(from_size_));
  }
  if (is_dense(stride0, stride1, size0, size1, to_size_)) {
    size0 *= size1;
    size1 = 1;
    stride0 = to_size_;
  }
  with_word(static_cast<size_t>(to_size_), [&](auto word) {
    std::memcpy(&word, element, sizeof word);
    fill_words(Strided{to, stride0, stride1}, word, size0, size1);
  });
}

void CopyLoop::copy_strided(char* const* data, const int64_t* strides, int64_t size0,
                            int64_t size1) const {
  const Strided to = {data[0], strides[0], strides[2]};
  const Strided from = {data[1], strides[1], strides[3]};
  if (convert_ == nullptr) {
    if (to.stride0 == to_size_ && from.stride0 == to_size_) {
      const int64_t row = size0 * to_size_;
      if (row <= 16 && (row & (row - 1)) == 0) {
        // A row is one larger element.
        with_word(static_cast<size_t>(row), [&](auto word) {
          copy_words<decltype(word)>({to.data, to.stride1, 0}, {from.data, from.stride1, 0}, size1,
                                     1);
        });
        return;
      }
      if (row <= kShortRow && to.stride1 == row && from.stride1 > 0) {
        if (row <= kShortRow / 2) {
          copy_short_rows<kShortRow / 2>(to.data, from.data, from.stride1, row, size1);
        } else {
          copy_short_rows<kShortRow>(to.data, from.data, from.stride1, row, size1);
        }
        return;
      }
      for (int64_t j = 0; j < size1; j++) {
        copy_bytes(to.data + j * to.stride1, from.data + j * from.stride1,
                   static_cast<size_t>(row));
      }
      return;
    }
    if (to.stride0 == to_size_ && from.stride0 == 2 * to_size_ && from.stride1 != to_size_) {
      for (int64_t j = 0; j < size1; j++) {
        gather_elements(to.data + j * to.stride1,
                        {from.data + j * from.stride1, from.stride0, from.stride1}, to_size_, size0,
                        1);
      }
      return;
    }
    if (from.stride0 == to_size_ && to.stride0 == 2 * to_size_) {
      for (int64_t j = 0; j < size1; j++) {
        scatter_elements({to.data + j * to.stride1, to.stride0, to.stride1},
                         from.data + j * from.stride1, to_size_, size0, 1);
      }
      return;
    }
    with_word(static_cast<size_t>(to_size_),
              [&](auto word) { copy_words<decltype(word)>(to, from, size0, size1); });
    return;
  }
  alignas(64) char gathered[kTileBytes];
  alignas(64) char converted[kTileBytes];
  const int64_t capacity = kTileBytes / std::max(to_size_, from_size_);
  const bool transposed = magnitude(from.stride1) < magnitude(from.stride0);
  const int64_t columns = std::min(size0, transposed && size1 > 1 ? kTransposedColumns : capacity);
  for (int64_t i = 0; i < size0; i += columns) {
    const int64_t width = std::min(columns, size0 - i);
    const int64_t rows = capacity / width;
    for (int64_t j = 0; j < size1; j += rows) {
      const int64_t height = std::min(rows, size1 - j);
      const Strided source = {from.data + i * from.stride0 + j * from.stride1, from.stride0,
                              from.stride1};
      const Strided target = {to.data + i * to.stride0 + j * to.stride1, to.stride0, to.stride1};
      const char* dense = source.data;
      if (!is_dense(from.stride0, from.stride1, width, height, from_size_)) {
        gather_elements(gathered, source, from_size_, width, height);
        dense = gathered;
      }
      if (is_dense(to.stride0, to.stride1, width, height, to_size_)) {
        convert_(target.data, dense, width * height);
      } else {
        convert_(converted, dense, width * height);
        scatter_elements(target, converted, to_size_, width, height);
      }
    }
  }
}

}  // namespace tsc::cpu
