// Columns of few rows, each of which is in a vector of its own.
#pragma once

#include <cstdint>

#include "ops/cpu/isa.h"
#include "ops/cpu/reduce/reduce_list.h"

namespace tsc::cpu::TSC_ISA {

// Joins pairs of rows, those that are a power of two apart, until `Last` are left: the order in
// which the lanes of a vector are joined.
template <int64_t Last, class V, class Join>
TSC_INLINE void join_rows(V* rows, int64_t count, Join join) {
  for (int64_t half = kFewRows / 2; half >= Last; half /= 2) {
    for (int64_t k = 0; k < half && k + half < count; k++) rows[k] = join(rows[k], rows[k + half]);
  }
}

// The `few` of a kernel whose `columns` give the results of `run`.
template <auto Columns>
void fold_few(char* states, const char* rows, int64_t row_stride, int64_t row_count,
              int64_t column_count, const ReduceParameters&) {
  Columns(states, rows, row_stride, row_count, column_count, 0);
}

}  // namespace tsc::cpu::TSC_ISA
