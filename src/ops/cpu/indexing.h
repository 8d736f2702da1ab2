// Reading and writing elements whose places are given by tensors of indices: index, index_put,
// gather, scatter, index_select, embedding, take, and their gradients.
//
// An iterator walks over the indices. The indexed tensor takes part with stride 0 in its indexed
// dimensions; the loops add index * stride for each of these.
#pragma once

#include <array>
#include <atomic>

#include "core/array_ref.h"
#include "core/scalar_type.h"

namespace tsc::cpu {

// The first index found out of range; loops do not throw. Elements with such an index are left out.
struct BadIndex {
  std::atomic<bool> found{false};
  int64_t index = 0;
  int64_t dimension = 0;  // its number among the indexed ones
  int64_t size = 0;
};

enum class IndexAction : uint8_t {
  get,  // value = tensor[indices]
  put,  // tensor[indices] = value
  add,  // tensor[indices] += value; the others likewise
  multiply,
  maximum,  // NaN wins
  minimum,
};

class IndexLoop {
 public:
  // sizes and strides (in bytes) of the indexed dimensions, at most kMaxDims. `wraps`: negative
  // indices count from the end. Indices are int64.
  static constexpr size_t kMaxDims = 16;
  IndexLoop(IndexAction action, ScalarType type, IntArrayRef sizes, IntArrayRef strides, bool wraps,
            BadIndex& bad);

  // Operands: values, tensor, then one for each indexed dimension. Actions other than get must not
  // run in parallel where indices may repeat.
  void operator()(char* const* data, const int64_t* strides, int64_t size0, int64_t size1) const;

 private:
  void run_row(char* const* data, const int64_t* strides, int64_t count) const;
  bool locate(char* const* data, const int64_t* strides, int64_t number, int64_t* offset) const;

  IndexAction action_;
  ScalarType type_;
  bool wraps_;
  size_t dims_;
  std::array<int64_t, kMaxDims> sizes_;
  std::array<int64_t, kMaxDims> strides_;
  BadIndex& bad_;
};

// How many elements of a contiguous run of bools are true.
int64_t count_true(const char* bools, int64_t count);
// Their places: `rank` coordinates each, in row-major order of the sizes.
void write_true_places(const char* bools, IntArrayRef sizes, int64_t* to);

}  // namespace tsc::cpu
