// A matrix product as the callers of kernels prepare it.
#pragma once

#include <algorithm>

#include "core/allocator.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/matrix/blas.h"

namespace tsc::cpu {

// Memory for copies of operands, aligned to cache lines. A little of it lies in the object, because threads
// with small products would wait for one another at the allocator's lock.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if (data_ != nullptr && data_ != here_) cpu_allocator().deallocate(data_, bytes_);
  }
  // To be called once.
  char* allocate(size_t bytes) {
    bytes_ = std::max<size_t>(bytes, 1);
    data_ = bytes_ <= sizeof(here_) ? here_ : static_cast<char*>(cpu_allocator().allocate(bytes_));
    return data_;
  }

 private:
  char* data_ = nullptr;
  size_t bytes_ = 0;
  alignas(64) char here_[8192];  // not initialized
};

inline char* make_room(Memory& memory, int64_t elements, ScalarType type) {
  return memory.allocate(static_cast<size_t>(elements) * element_size(type));
}

// Copies rows x columns elements; strides in elements.
void copy_matrix(ScalarType to_type, const Matrix& to, ScalarType from_type, const Matrix& from,
                 int64_t rows, int64_t columns);

// alpha * a @ b + beta * result, of matrices m x k and k x n, all of `type`.
struct Product {
  ScalarType type;
  int64_t m;
  int64_t n;
  int64_t k;
  Parameters alpha;
  Parameters beta;
  bool keeps;  // beta is not 0
  Matrix a;
  Matrix b;
  Matrix result;

  int64_t size() const { return static_cast<int64_t>(element_size(type)); }
};

// Computes with this folder's kernels. The result has contiguous rows.
void small_product(const Product& product);
// The same for floats and doubles, with operands cut into blocks that fit the caches. A sum over k
// is a sum of partial sums of 512 terms, wherever the element stands.
void blocked_product(const Product& product);
// Whether blocked_product computes few rows times columns that are contiguous, as sums of interleaved
// partial sums, without a copy.
bool is_of_dots(const Product& product);

}  // namespace tsc::cpu
