// Factorisations P L U of floats and doubles, and solutions by them, with this folder's kernels and
// products. As in lapack.h, matrices are stored by columns and pivots count from 1; the choice of
// pivots is the same, too. Results do not depend on the number of threads.
#pragma once

#include <cstdint>

#include "core/macros.h"

namespace tsc::cpu {

// The number of elements from which several threads are faster on one matrix.
inline constexpr int64_t kLargeLu = 128 * 128;

// Factors a, of rows x columns, in place into L and U; pivots has min(rows, columns) elements.
// Returns the first column, from 1, whose pivot is zero, or 0. T is float or double.
template <class T>
TSC_API int32_t factor_lu(int64_t rows, int64_t columns, T* a, int64_t distance, int32_t* pivots);

// Replaces b, of size x columns, by the solution of A x = b, or of A^T x = b. Pivots must be rows.
template <class T>
TSC_API void solve_lu(bool transposed, int64_t size, int64_t columns, const T* lu, int64_t distance,
                      const int32_t* pivots, T* b, int64_t b_distance);

// `inverse`, of the size of a and contiguous by columns, is only written.
template <class T>
TSC_API void invert_lu(int64_t size, const T* lu, int64_t distance, const int32_t* pivots,
                       T* inverse);

}  // namespace tsc::cpu
