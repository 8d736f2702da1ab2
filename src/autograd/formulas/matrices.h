// What the formulas of matrix factorisations have in common. All of these work on batches.
#pragma once

#include "autograd/formulas/linalg.h"
#include "gen/ops/linalg.h"
#include "gen/ops/shape.h"
#include "gen/ops/view.h"

namespace tsc::autograd {

inline Tensor diagonal_of(const Tensor& matrix) { return diagonal(matrix, 0, -2, -1); }
// Numbers for rows and for columns.
inline Tensor as_column(const Tensor& vector) { return unsqueeze(vector, -1); }
inline Tensor as_row(const Tensor& vector) { return unsqueeze(vector, -2); }
// The difference; either may be undefined, which stands for zeros.
inline Tensor sub_defined(const Tensor& a, const Tensor& b) {
  return !b.defined() ? a : a.defined() ? a - b : -b;
}

}  // namespace tsc::autograd
