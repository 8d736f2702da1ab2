// OpenBLAS, opened when first needed.
//
// A computation that was abandoned after Ctrl-C (ops/cpu/matrix/background.h) goes on in the
// library, which changes its threads and their memory for each caller. Other calls then go to a
// second copy, opened from the same file, so that none waits for an abandoned computation.
#pragma once

#include <array>
#include <atomic>
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
  void* library;
  // LAPACK's functions, as ops/cpu/matrix/lapack.cpp numbers them; null where not yet looked for.
  mutable std::array<std::atomic<void*>, 128> routines{};
  // True while an abandoned computation uses this copy.
  mutable std::atomic<bool> is_left{false};
};

// Null where no OpenBLAS is installed. Where abandoned computations use all copies and no other can
// be made, it waits for one of them, or for Ctrl-C.
const OpenBlas* open_blas();
// Makes open_blas() return this copy on the calling thread.
void use_blas_on_this_thread(const OpenBlas* blas);
// The copy is reserved until it is given back. Both accept null.
void leave_blas(const OpenBlas* blas);
void give_blas_back(const OpenBlas* blas);
// Null before the library was opened.
const OpenBlas* opened_blas();

}  // namespace tsc::cpu
