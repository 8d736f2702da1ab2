// Normalizations of contiguous rows of floats or doubles, each to mean 0 and variance 1. A row is
// `groups` runs of `size` elements, and each run's factors are one number (channels), or the row is
// one run and has a factor for each element.
#pragma once

#include <cstdint>

#include "core/scalar_type.h"

namespace tsc::cpu {

struct NormalizedRows {
  int64_t rows;
  int64_t runs;  // of a row; 0: one, with a factor for each element
  int64_t size;  // of a run
  int64_t sets;  // rows from one use of the factors to the next: row r has those of r % sets

  int64_t row_size() const { return runs == 0 ? size : runs * size; }
};

// mean and inverse: an element a row. weight and bias may be null.
void normalize(const NormalizedRows& shape, ScalarType type, char* to, const char* from,
               const char* weight, const char* bias, double eps, char* mean, char* inverse);

// The gradients that are not null.
void normalize_backward(const NormalizedRows& shape, ScalarType type, char* to, char* to_weight,
                        char* to_bias, const char* gradient, const char* from, const char* weight,
                        const char* mean, const char* inverse);

}  // namespace tsc::cpu
