#include "autograd/spectral/fft.h"

#include "core/small_vector.h"
#include "gen/calls/copy.h"
#include "gen/calls/mul.h"
#include "gen/calls/narrow.h"
#include "gen/calls/new_zeros.h"
#include "gen/calls/slice.h"

namespace tsc::autograd {

// As a full transform of which the first half was kept, of numbers whose imaginary parts were zero.
Tensor fft_r2c_backward(const Tensor& grad, IntArrayRef dim, int64_t normalization, bool onesided,
                        IntArrayRef sizes) {
  Tensor whole = grad;
  const int64_t last = dim.back();
  const int64_t missing =
      sizes[static_cast<size_t>(maybe_wrap_dim(last, grad.dim()))] - grad.size(last);
  if (onesided && missing > 0) {
    DimVector all = grad.sizes();
    all[static_cast<size_t>(maybe_wrap_dim(last, grad.dim()))] += missing;
    whole = new_zeros(grad, all);
    copy_(slice(whole, last, 0, grad.size(last)), grad);
  }
  return real_part(_fft_c2c(whole, dim, normalization, false));
}

// Elements that also stand for their mirror image count twice.
Tensor fft_c2r_backward(const Tensor& grad, IntArrayRef dim, int64_t normalization) {
  const Tensor half = _fft_r2c(grad, dim, normalization, true);
  const int64_t last = maybe_wrap_dim(dim.back(), half.dim());
  if (const int64_t mirrored = grad.size(last) - half.size(last); mirrored > 0) {
    mul_(narrow(half, last, 1, mirrored), 2);
  }
  return half;
}

}  // namespace tsc::autograd
