// Factorisations P L U of floats and doubles, and what is solved with them, by this folder's
// kernels and products. As lapack.h has them: matrices by columns, pivots from 1, and the same
// choice of pivots. What comes out does not depend on the number of threads.
#pragma once

#include <cstdint>

#include "core/macros.h"

namespace tsc::cpu {

// Elements from which on one matrix keeps several threads busy.
inline constexpr int64_t kLargeLu = 128 * 128;

// a, of rows x columns, becomes L and U; pivots has min(rows, columns). Gives the first column,
// from 1, whose pivot is zero, or 0. T is float or double.
template <class T>
TSC_API int32_t factor_lu(int64_t rows, int64_t columns, T* a, int64_t distance, int32_t* pivots);

// b, of size x columns, becomes the solution of A x = b, or of A^T x = b. Pivots must be rows.
template <class T>
TSC_API void solve_lu(bool transposed, int64_t size, int64_t columns, const T* lu, int64_t distance,
                      const int32_t* pivots, T* b, int64_t b_distance);

// `inverse`, which is as large as A and by columns one behind the other, is only written.
template <class T>
TSC_API void invert_lu(int64_t size, const T* lu, int64_t distance, const int32_t* pivots,
                       T* inverse);

}  // namespace tsc::cpu
