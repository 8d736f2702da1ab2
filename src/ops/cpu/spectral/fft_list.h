// Fourier transforms: the interface of one instruction set's kernels to the loop over lines
// (fft.cpp).
//
// Kernels transform a block: as many lines as a vector has lanes, side by side. A row of a block
// holds one element of each line, the real parts in one vector and the imaginary ones in the next.
// So every line takes the same steps, and none needs its elements to change lanes; memory in
// another order is transposed on its way into a block and out of it. Where there are fewer lines,
// the results of the other lanes are not used.
//
// A transform is forward. With real and imaginary parts exchanged before and after it is backward.
#pragma once

#include <cstdint>

#include "core/scalar_type.h"

namespace tsc::cpu {

// One pass over the rows of a block, with p < count, q < stride and k < radix: transforms of the
// rows q + stride * (p + count * k), then turns by the power pk of a root.
struct FftStep {
  int64_t radix;
  int64_t count;
  int64_t stride;
  const void* roots;    // complex: the powers p * 1, p * 2, ..., for each p
  const void* cosines;  // of the multiples of the turn by the radix's odd factor, then the sines
  // Row numbers of the results: to_p * p + to_q * q + to_k * k.
  int64_t to_p;
  int64_t to_q;
  int64_t to_k;
};

// Where the lines of a block are in memory: each a column of rows, or one after the other. Columns
// of real numbers hold the real and the imaginary parts in rows by turns.
enum class FftLayout : uint8_t { columns, lines, real_columns };
struct FftView {
  FftLayout layout;
  bool swapped;    // real and imaginary parts, when read or written
  int64_t width;   // lines, at most a vector's lanes
  int64_t stride;  // from row to row of columns, from line to line, in elements
  void* data;
};

// A long line's transform is one of its columns, taken as a matrix, then one of its rows. Between
// them element (j, k) is turned by the product of two roots, and rows become lanes.
struct FftTurn {
  const void* coarse;  // complex, a root for each row; null: all are 1
  const void* fine;    // a block of roots
  void* to;            // blocks, one for each vector of rows
  int64_t block_rows;  // rows of each of these blocks
};

// Converts between the spectrum of real numbers and that of half as many complex ones, each of two
// neighbours. In a block, or in one line, whose elements are then read from both ends.
struct FftReal {
  bool join;           // from the spectrum of the real numbers to the other; else split
  int64_t half;        // the number of complex ones; half + 1 elements are read or written
  const void* coarse;  // complex: the powers of the root that are multiples of `fine_count`
  const void* fine;    // the first powers, times -i
  int64_t fine_count;  // a multiple of a vector's lanes
};

// Memory to prefetch while steps run, in runs as long as a row: the next input or output.
struct FftAhead {
  const char* at = nullptr;
  int64_t stride = 0;  // bytes
  int64_t count = 0;   // runs
};

struct FftKernels {
  int64_t lanes;
  void (*step)(const FftStep& step, const void* from, void* to, FftAhead ahead[2]);
  // Reading writes whole groups of as many rows as there are lanes.
  void (*load)(void* block, const FftView& from, int64_t rows);
  void (*store)(const FftView& to, const void* block, int64_t rows, double scale);
  void (*turn)(const FftTurn& turn, const void* block, int64_t rows);
  void (*real_block)(const FftReal& real, void* block);
  // The elements from `begin` to `end`, and those as far from the other end.
  void (*real_line)(const FftReal& real, void* to, const void* from, int64_t begin, int64_t end);
  // Zeroes elements far below a float's precision relative to their line's largest element.
  void (*drop_noise)(void* block, int64_t rows);
};

}  // namespace tsc::cpu
