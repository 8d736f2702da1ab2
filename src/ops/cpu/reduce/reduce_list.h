// Reductions, and the interface of their kernels to the loop over shapes (reduce.cpp).
//
// A reduction folds a sequence of elements of its compute type into a state, a few numbers. Kernels
// see contiguous runs ("tiles") or rows of columns; states of parts of a sequence can be merged.
// How a sequence is cut into parts depends on sizes alone, so results do not depend on threads.
#pragma once

#include <cstdint>

#include "core/scalar_type.h"

namespace tsc::cpu {

// Name, and the type of the results: the `same` as the compute type, an `index` (int64), both, or
// the real part's type.
//   sum, nansum, mean, prod      of float, double, complex, int64
//   max, min                     NaN wins; of every real type
//   any, all                     of bool
//   argmax, argmin               the first of equals; NaN wins
//   max_index, min_index         value and index
//   norm                         (sum |x|^p)^(1/p), p = 0, inf and -inf as limits; of floats and
//                                complex doubles
//   variance, variance_mean      of double; divided by max(0, n - correction)
#define TSC_FORALL_REDUCTIONS(_) \
  _(sum, same)                   \
  _(nansum, same)                \
  _(mean, same)                  \
  _(prod, same)                  \
  _(max, same)                   \
  _(min, same)                   \
  _(any, same)                   \
  _(all, same)                   \
  _(argmax, index)               \
  _(argmin, index)               \
  _(max_index, both)             \
  _(min_index, both)             \
  _(norm, real)                  \
  _(variance, same)              \
  _(variance_mean, two)

enum class Reduction : uint8_t {
#define TSC_REDUCTION(name, result) name,
  TSC_FORALL_REDUCTIONS(TSC_REDUCTION)
#undef TSC_REDUCTION
};
#define TSC_REDUCTION(name, result) +1
inline constexpr int kReductionCount = 0 TSC_FORALL_REDUCTIONS(TSC_REDUCTION);
#undef TSC_REDUCTION

struct ReduceParameters {
  int64_t count = 0;       // elements that one result reduces
  double order = 2;        // p of norm
  double correction = 1;   // of variance
  bool take_root = false;  // the standard deviation instead of the variance
};

// Bytes that the state of any kernel fits in, aligned to 16.
inline constexpr int64_t kReduceStateBytes = 32;

// The longest sequences that `few` takes, and those that `rows` does.
inline constexpr int64_t kFewRows = 32;
inline constexpr int64_t kMostInRow = 1024;

struct ReduceKernel {
  int64_t state_size;
  void (*start)(char* states, int64_t count);
  // Folds `count` contiguous elements into the state; `first` is the first one's number in the
  // sequence.
  void (*run)(char* state, const char* tile, int64_t count, int64_t first,
              const ReduceParameters& parameters);
  // Folds rows into the states, element j of each into state j; `first` is the first row's number in
  // the sequence. Null where the loop transposes instead.
  void (*columns)(char* states, const char* rows, int64_t row_stride, int64_t row_count,
                  int64_t column_count, int64_t first);
  // As `columns` of a whole sequence of at most kFewRows rows, with the results that `run` would
  // have. Null where it would not be faster.
  void (*few)(char* states, const char* rows, int64_t row_stride, int64_t row_count,
              int64_t column_count, const ReduceParameters& parameters);
  // Merges the state of a later part of the sequence.
  void (*merge)(char* state, const char* other);
  // The results of `count` states, side by side.
  void (*finish)(char* const* results, const char* states, int64_t count,
                 const ReduceParameters& parameters);
  // As `run` for each of some rows of `count` elements, which are whole sequences. Null where it
  // would not be faster.
  void (*rows)(char* states, const char* rows, int64_t row_stride, int64_t row_count, int64_t count,
               const ReduceParameters& parameters) = nullptr;
};

struct ReduceEntry {
  Reduction op;
  ScalarType compute;
  ReduceKernel kernel;
};

}  // namespace tsc::cpu
