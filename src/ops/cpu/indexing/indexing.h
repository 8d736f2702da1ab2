// Reads and writes elements at places that a tensor of indices gives along one dimension (gather,
// scatter, index_add), and elements that a mask chooses.
#pragma once

#include <atomic>
#include <vector>

#include "core/array_ref.h"
#include "core/scalar_type.h"
#include "core/system/parallel.h"
#include "ops/cpu/ufunc.h"

namespace tsc::cpu {

// The first index found out of range; loops do not throw. Elements with such an index are left out.
struct BadIndex {
  std::atomic<bool> found{false};
  int64_t index = 0;
  int64_t size = 0;  // of the dimension
};

enum class IndexAction : uint8_t {
  get,  // value = tensor[index]
  put,  // tensor[index] = value
  add,  // tensor[index] += value; the others likewise
  multiply,
  maximum,  // NaN wins
  minimum,
};

// An iterator walks over the indices. The indexed tensor takes part with stride 0 in its indexed
// dimension, of the given size and stride (in bytes); the loop adds index * stride.
class IndexLoop {
 public:
  // formula: the action's, for slices that have one index; null where it has none for the type.
  IndexLoop(IndexAction action, ScalarType type, int64_t size, int64_t stride, BadIndex& bad,
            Ufunc formula = nullptr)
      : action_(action), formula_(formula), type_(type), size_(size), stride_(stride), bad_(bad) {}

  // Operands: values, tensor, indices (int64). Actions other than get must not run in parallel
  // where indices may repeat.
  void operator()(char* const* data, const int64_t* strides, int64_t size0, int64_t size1) const;

 private:
  struct Row;
  template <size_t kSize, class F>
  void each(const Row& row, F f) const;
  void run_row(const Row& row) const;
  template <class F>
  void each_slice(Row row, int64_t rows, F f) const;
  void run_slices(const Row& first, int64_t rows) const;
  void note_bad(int64_t index) const;

  IndexAction action_;
  Ufunc formula_;
  ScalarType type_;
  int64_t size_;
  int64_t stride_;
  BadIndex& bad_;
};

// The places of a contiguous run of bools that are true.
class TruePlaces {
 public:
  TruePlaces(const char* bools, int64_t size);
  int64_t count() const { return before_.back(); }
  // Writes their coordinates in row-major order of the sizes (not 0-dim): those of the first
  // dimension, then those of the second, ..., `count()` each.
  void write_coordinates(IntArrayRef sizes, int64_t* to) const;
  // Copies those elements of a contiguous run whose bool is true.
  void select(const void* from, size_t element_size, void* to) const;

 private:
  const char* bools_;
  int64_t size_;
  Chunks chunks_;
  std::vector<int64_t> before_;  // how many there are before each chunk, and in all
};

}  // namespace tsc::cpu
