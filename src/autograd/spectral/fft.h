// Longer formulas of autograd/spectral/fft.yaml.
#pragma once

#include "autograd/operators.h"
#include "gen/ops/fft.h"

namespace tsc::autograd {

Tensor fft_r2c_backward(const Tensor& grad, IntArrayRef dim, int64_t normalization, bool onesided,
                        IntArrayRef sizes);
Tensor fft_c2r_backward(const Tensor& grad, IntArrayRef dim, int64_t normalization);

}  // namespace tsc::autograd
