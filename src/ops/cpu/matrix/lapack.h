// LAPACK: factorisations of matrices, from the library that the large products come from.
//
// Matrices are stored by columns; `lda` is the distance between two columns, in elements. A
// function has LAPACK's name without its letter for the type (netlib.org/lapack/explore-html), and
// returns LAPACK's `info`: 0 for success, -i for an invalid argument i (a matrix with a NaN is
// one), and above 0 a failure of the computation. Where the real and the complex routine have two
// names, it is the complex one.
//
// The first of them opens the library; RuntimeError where there is none.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace tsc::cpu::lapack {

using Int = int;  // of the builds that Debian and Ubuntu ship

template <class T>
struct RealPart {
  using type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using type = T;
};
template <class T>
using Real = typename RealPart<T>::type;

// The workspace of a routine. One serves all matrices of a batch: the first call queries its size.
template <class T>
struct Workspace {
  std::vector<T> values;
  std::vector<Real<T>> reals;
  std::vector<Int> ints;
};

// What a routine's time is spent on.
struct Work {
  // The number of elements from which several threads are faster than one, measured on two
  // processors.
  int64_t threads_from;
  // Products of matrices run at some 10 operations a nanosecond; orthogonal factorisations, half
  // products with vectors that wait for memory, at one, and they need more of them.
  bool is_products;
};
inline constexpr Work kProducts = {64 * 64, true};
inline constexpr Work kRotations = {512 * 512, false};
// Products in steps that are so short that most of a thread's time is its waking.
inline constexpr Work kCholesky = {1024 * 1024, true};

// During its lifetime, matrices with fewer than `least` elements are computed by one thread: some
// routines of OpenBLAS start all threads for the smallest of matrices.
class ThreadsForSize {
 public:
  ThreadsForSize(int64_t elements, int64_t least);
  ~ThreadsForSize();
  ThreadsForSize(const ThreadsForSize&) = delete;
  ThreadsForSize& operator=(const ThreadsForSize&) = delete;

 private:
  int saved_ = 0;
};

// a = P L U; L and U replace a, pivots has min(m, n) elements.
template <class T>
Int getrf(Int m, Int n, T* a, Int lda, Int* pivots);
// Solves with the result of getrf; b is n x columns. `transpose` is 'N', 'T' or 'C'.
template <class T>
Int getrs(char transpose, Int n, Int columns, const T* a, Int lda, const Int* pivots, T* b,
          Int ldb);

// A Hermitian positive definite a = L L^H or U^H U, of which `triangle` ('L' or 'U') is read.
template <class T>
Int potrf(char triangle, Int n, T* a, Int lda);
template <class T>
Int potrs(char triangle, Int n, Int columns, const T* a, Int lda, T* b, Int ldb);
template <class T>
Int potri(char triangle, Int n, T* a, Int lda);

// b becomes the x of a x = b (side 'L') or x a = b ('R'), b being m x n; `diagonal` is 'U' where
// that of a counts as ones.
template <class T>
void trsm(char side, char triangle, char transpose, char diagonal, Int m, Int n, const T* a,
          Int lda, T* b, Int ldb);

// a = Q R; R replaces the upper part of a, and Q its lower part as `k` reflectors with factors in
// tau.
template <class T>
Int geqrf(Int m, Int n, T* a, Int lda, T* tau, Workspace<T>& space);
// The first n columns of Q, over the reflectors in a.
template <class T>
Int ungqr(Int m, Int n, Int k, T* a, Int lda, const T* tau, Workspace<T>& space);
// c becomes Q c or c Q.
template <class T>
Int unmqr(char side, char transpose, Int m, Int n, Int k, const T* a, Int lda, const T* tau, T* c,
          Int ldc, Workspace<T>& space);

// Eigenvalues in ascending order of a Hermitian matrix, of which `triangle` is read; with `vectors`
// 'V' a becomes its eigenvectors.
template <class T>
Int heevd(char vectors, char triangle, Int n, T* a, Int lda, Real<T>* values, Workspace<T>& space);
// Eigenvalues and right eigenvectors of any square matrix. Of a real one the values are two
// lines of n: the real and the imaginary parts; and a pair of conjugate vectors is two columns, the
// real and the imaginary part of the first.
template <class T>
Int geev(char right_vectors, Int n, T* a, Int lda, T* values, T* vectors, Int ldv,
         Workspace<T>& space);

// Singular values in descending order; `job` is 'A' for all vectors, 'S' for the first min(m, n),
// 'N' for none.
template <class T>
Int gesdd(char job, Int m, Int n, T* a, Int lda, Real<T>* values, T* u, Int ldu, T* vh, Int ldvh,
          Workspace<T>& space);

// Least squares: b, of max(m, n) rows, becomes x. By QR where a has full rank; by QR with pivots
// (pivots has n zeros); by singular values, divide and conquer or not.
template <class T>
Int gels(Int m, Int n, Int columns, T* a, Int lda, T* b, Int ldb, Workspace<T>& space);
template <class T>
Int gelsy(Int m, Int n, Int columns, T* a, Int lda, T* b, Int ldb, Int* pivots, Real<T> rcond,
          Int* rank, Workspace<T>& space);
template <class T>
Int gelsd(Int m, Int n, Int columns, T* a, Int lda, T* b, Int ldb, Real<T>* values, Real<T> rcond,
          Int* rank, Workspace<T>& space);
template <class T>
Int gelss(Int m, Int n, Int columns, T* a, Int lda, T* b, Int ldb, Real<T>* values, Real<T> rcond,
          Int* rank, Workspace<T>& space);

// A symmetric (or, for hetrf, Hermitian) a = L D L^T with blocks of 1 or 2 on the diagonal of D.
template <class T>
Int sytrf(bool hermitian, char triangle, Int n, T* a, Int lda, Int* pivots, Workspace<T>& space);
template <class T>
Int sytrs(bool hermitian, char triangle, Int n, Int columns, const T* a, Int lda, const Int* pivots,
          T* b, Int ldb);

}  // namespace tsc::cpu::lapack
