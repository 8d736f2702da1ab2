// Kernels of each instruction set for orthogonal factorisations by Householder's reflectors, of
// matrices that fit into the cache. As in lapack.h, matrices are stored by columns, `distance` is
// that between two columns, in elements, and a matrix holds reflector i below the diagonal of its
// column i: H = I - factor * v * v^T, where v is 1 on the diagonal and zero above it.
#pragma once

#include <cstdint>

namespace tsc::cpu {

struct HouseholderKernels {
  // Factors a in place into R and reflectors, as many as the smaller of rows and columns. `space`
  // has room for rows + kRoom elements, as below.
  void (*factor)(char* a, int64_t rows, int64_t columns, int64_t distance, char* factors,
                 char* space);
  // Replaces the reflectors in a by the first columns of their product.
  void (*multiply_out)(char* a, int64_t rows, int64_t columns, int64_t distance,
                       const char* factors, int64_t count, char* space);
  // c becomes Q c, where Q is the product of the reflectors, or its transpose.
  void (*apply)(bool transposed, char* c, int64_t rows, int64_t columns, int64_t c_distance,
                const char* reflectors, int64_t distance, const char* factors, int64_t count,
                char* space);
  static constexpr int64_t kRoom = 16;
};

}  // namespace tsc::cpu
