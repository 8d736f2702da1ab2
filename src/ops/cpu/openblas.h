// OpenBLAS, opened when first needed.
#pragma once

#include <complex>
#include <cstdint>
#include <string>

namespace tsc::cpu {

enum class BlasThreading : uint8_t { none, pthreads, openmp };

struct OpenBlas {
  using Int = int;  // of the builds that Debian and Ubuntu ship
  enum Layout : int { row_major = 101 };
  enum Transpose : int { no_transpose = 111, transpose = 112 };

  template <class T, class Factor>
  using Gemm = void (*)(Layout, Transpose, Transpose, Int m, Int n, Int k, Factor alpha, const T* a,
                        Int lda, const T* b, Int ldb, Factor beta, T* c, Int ldc);

  Gemm<float, float> sgemm;
  Gemm<double, double> dgemm;
  // Complex factors come by address.
  Gemm<std::complex<float>, const void*> cgemm;
  Gemm<std::complex<double>, const void*> zgemm;
  BlasThreading threading;
  std::string path;
};

// Null where no OpenBLAS is installed.
const OpenBlas* open_blas();
// Null, too, when nothing has opened it yet.
const OpenBlas* opened_blas();

}  // namespace tsc::cpu
