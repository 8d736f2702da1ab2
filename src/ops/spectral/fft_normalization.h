// The divisors of Fourier transforms: the meaning of `int normalization` in their schemas.
#pragma once

#include <cstdint>

namespace tsc {

enum class FftNormalization : int64_t { None, ByRootN, ByN };

}  // namespace tsc
