// Matrix products.
//
// Small ones, and those of integers, run here. Larger ones of float, double and complex numbers go
// to OpenBLAS, which is opened at the first of them: the OpenMP build by its path if it is there,
// since its threads are then ours; any other build gets one row panel a thread from here. Half
// and BFloat16 are multiplied as float and rounded once.
#pragma once

#include <cstdint>
#include <string>

#include "core/scalar.h"
#include "core/scalar_type.h"

namespace tsc::cpu {

// A matrix in memory; strides in elements.
struct Matrix {
  char* data;
  int64_t row_stride;
  int64_t column_stride;

  // The part of it that begins at a row and a column; `element` is its elements' size in bytes.
  Matrix from(int64_t row, int64_t column, int64_t element) const {
    return {data + (row * row_stride + column * column_stride) * element, row_stride,
            column_stride};
  }
};

// result = alpha * a @ b + beta * result, of m x k and k x n matrices. The result's elements are
// not read when beta is 0. Any strides, unless elements of the result overlap.
void gemm(ScalarType type, int64_t m, int64_t n, int64_t k, const Scalar& alpha, const Matrix& a,
          const Matrix& b, const Scalar& beta, const Matrix& result);

// `count` products of the same sizes; batch strides in elements, 0 for an operand that all share.
struct Batch {
  int64_t count;
  int64_t a_stride;
  int64_t b_stride;
  int64_t result_stride;
};
void batched_gemm(ScalarType type, const Batch& batch, int64_t m, int64_t n, int64_t k,
                  const Scalar& alpha, const Matrix& a, const Matrix& b, const Scalar& beta,
                  const Matrix& result);

// Whether there are matrix products of this type.
bool has_gemm(ScalarType type);

// The library that is open, and how it uses threads; "" before the first large product.
std::string blas_description();

}  // namespace tsc::cpu
