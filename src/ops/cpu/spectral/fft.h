// Discrete Fourier transforms of lines of numbers.
#pragma once

#include <cstdint>

namespace tsc::cpu {

enum class FftKind : uint8_t {
  ComplexToComplex,
  RealToComplex,  // forward
  ComplexToReal,  // backward, from the first half of a Hermitian spectrum
};

// Two dense arrays of outer x length x inner elements, whose lengths differ where one of them holds
// half a spectrum. A line runs through the middle dimension. In the array that is written, lines
// follow one another where `to_inner` is 1, else they lie as in the other.
struct FftLines {
  const void* from;
  void* to;
  int64_t outer;
  int64_t inner;
  int64_t to_inner;
  int64_t from_length;
  int64_t to_length;
};

// Transforms every line: sums of elements times e^(-2 pi i j k / length), with + where it is not
// forward, times `scale`. `from` and `to` may be one array of complex numbers. R is float or
// double. A whole spectrum is written where `to` has room for it.
template <class R>
void transform_lines(FftKind kind, const FftLines& lines, int64_t length, bool forward,
                     double scale);

}  // namespace tsc::cpu
