// Fourier transforms of lines side by side, in blocks (fft_list.h).
#pragma once

#include "ops/cpu/spectral/fft.h"
#include "ops/cpu/spectral/fft_plan.h"

namespace tsc::cpu {

// One call, of complex lines or of real lines of an even length, which are transformed as complex
// ones of half of it.
struct FftCall {
  FftKind kind;
  FftLines lines;
  bool forward;
  double scale;

  int64_t complex_length(int64_t length) const {
    return kind == FftKind::ComplexToComplex ? length : length / 2;
  }
  bool reads_reals() const { return kind == FftKind::RealToComplex; }
  bool writes_reals() const { return kind == FftKind::ComplexToReal; }
};

// R is the type in memory, T the type of the computation.
template <class T, class R>
void transform_side_by_side(const FftCall& call, Plan<T>& plan);

}  // namespace tsc::cpu
