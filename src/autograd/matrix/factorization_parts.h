// Functions shared by the derivatives of matrix factorisations. All of them work on batches.
#pragma once

#include "autograd/matrix/matmul.h"
#include "gen/calls/diagonal.h"
#include "gen/calls/unsqueeze.h"

namespace tsc::autograd {

inline Tensor diagonal_of(const Tensor& matrix) { return diagonal(matrix, 0, -2, -1); }
// A vector as a column, and as a row, of a matrix.
inline Tensor as_column(const Tensor& vector) { return unsqueeze(vector, -1); }
inline Tensor as_row(const Tensor& vector) { return unsqueeze(vector, -2); }
// The difference; an undefined tensor stands for zeros.
inline Tensor sub_defined(const Tensor& a, const Tensor& b) {
  return !b.defined() ? a : a.defined() ? a - b : -b;
}

}  // namespace tsc::autograd
