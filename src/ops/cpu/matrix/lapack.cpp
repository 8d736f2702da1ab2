#include "ops/cpu/matrix/lapack.h"

#include <dlfcn.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <utility>

#include "core/error.h"
#include "ops/cpu/matrix/openblas.h"

namespace tsc::cpu::lapack {

namespace {

// The names of the real and the complex routine, without the type's letter.
#define TSC_FORALL_LAPACK_ROUTINES(_) \
  _(getrf, "getrf", "getrf")          \
  _(getrs, "getrs", "getrs")          \
  _(potrf, "potrf", "potrf")          \
  _(potrs, "potrs", "potrs")          \
  _(potri, "potri", "potri")          \
  _(trsm, "trsm", "trsm")             \
  _(geqrf, "geqrf", "geqrf")          \
  _(ungqr, "orgqr", "ungqr")          \
  _(unmqr, "ormqr", "unmqr")          \
  _(heevd, "syevd", "heevd")          \
  _(geev, "geev", "geev")             \
  _(gesdd, "gesdd", "gesdd")          \
  _(gels, "gels", "gels")             \
  _(gelsy, "gelsy", "gelsy")          \
  _(gelsd, "gelsd", "gelsd")          \
  _(gelss, "gelss", "gelss")          \
  _(sytrf, "sytrf", "sytrf")          \
  _(hetrf, "sytrf", "hetrf")          \
  _(sytrs, "sytrs", "sytrs")          \
  _(hetrs, "sytrs", "hetrs")

enum class Routine : uint8_t {
#define TSC_DEFINE_ROUTINE(name, real, complex) name,
  TSC_FORALL_LAPACK_ROUTINES(TSC_DEFINE_ROUTINE)
#undef TSC_DEFINE_ROUTINE
};

struct Names {
  const char* real;
  const char* complex;
};
constexpr Names kNames[] = {
#define TSC_ROUTINE_NAMES(name, real, complex) {real, complex},
    TSC_FORALL_LAPACK_ROUTINES(TSC_ROUTINE_NAMES)
#undef TSC_ROUTINE_NAMES
};

template <class T>
constexpr bool kIsComplex = !std::is_same_v<T, Real<T>>;
template <class T>
constexpr bool kIsDouble = std::is_same_v<Real<T>, double>;

// OpenBLAS contains LAPACK, unless it was built without it.
void* find_symbol(const OpenBlas* blas, const char* name) {
  void* symbol = blas != nullptr ? dlsym(blas->library, name) : nullptr;
  if (symbol == nullptr) {
    void* const library = dlopen("liblapack.so.3", RTLD_LAZY | RTLD_LOCAL);  // never closed
    symbol = library != nullptr ? dlsym(library, name) : nullptr;
  }
  if (symbol != nullptr) {
    return symbol;
  }
  throw_error(ErrorKind::RuntimeError,
              "{} is in no library here: linear algebra needs LAPACK, which comes with OpenBLAS "
              "(the package libopenblas0-openmp)",
              name);
}

template <class T>
void* find(Routine routine) {
  constexpr size_t kType = 2 * size_t(kIsComplex<T>) + size_t(kIsDouble<T>);
  static_assert(4 * std::size(kNames) <= std::tuple_size_v<decltype(OpenBlas::routines)>);
  static decltype(OpenBlas::routines) without_blas{};
  const OpenBlas* const blas = open_blas();
  auto& routines = blas != nullptr ? blas->routines : without_blas;
  std::atomic<void*>& entry = routines[kType * std::size(kNames) + static_cast<size_t>(routine)];
  void* function = entry.load(std::memory_order_acquire);
  if (function == nullptr) {
    const Names& names = kNames[static_cast<size_t>(routine)];
    const char letter = kIsComplex<T> ? (kIsDouble<T> ? 'z' : 'c') : (kIsDouble<T> ? 'd' : 's');
    function = find_symbol(
        blas, fmt::format("{}{}_", letter, kIsComplex<T> ? names.complex : names.real).c_str());
    entry.store(function, std::memory_order_release);
  }
  return function;
}

// Fortran takes every argument by address, and after them the length of each character.
template <class Value>
Value* address(Value*& pointer) {
  return pointer;
}
template <class Value>
const Value* address(const Value& value) {
  return &value;
}
template <class... Args, size_t... Characters>
void call_with_lengths(void* function, std::index_sequence<Characters...>, Args... args) {
  using Function = void (*)(decltype(address(args))..., decltype(Characters)...);
  reinterpret_cast<Function>(function)(address(args)..., (Characters * 0 + 1)...);
}
template <class T, class... Args>
Int call(Routine routine, Args... args) {
  Int info = 0;
  constexpr size_t kCharacters = (size_t(std::is_same_v<Args, char>) + ... + 0);
  call_with_lengths(find<T>(routine), std::make_index_sequence<kCharacters>(), args..., &info);
  return info;
}

// A length of -1 asks a routine for the size of its workspace: the answer is in the first element,
// where a float may have been rounded down.
constexpr Int kAsk = -1;
template <class Value>
size_t asked(Value answer) {
  const auto count = std::max<size_t>(1, static_cast<size_t>(std::real(answer)));
  return count + (count >> 22);
}
template <class Value>
Int length(const std::vector<Value>& memory) {
  return static_cast<Int>(memory.size());
}

// Runs `routine(memory, length)`, after asking it for the size of its workspace.
template <class T, class F>
Int with_values(Workspace<T>& space, F&& routine) {
  if (space.values.empty()) {
    T answer{};
    if (const Int info = routine(&answer, kAsk); info != 0) {
      return info;
    }
    space.values.resize(asked(answer));
  }
  return routine(space.values.data(), length(space.values));
}

template <class Value>
void make_room(std::vector<Value>& memory, int64_t count) {
  if (static_cast<int64_t>(memory.size()) < count) {
    memory.resize(static_cast<size_t>(std::max<int64_t>(count, 1)));
  }
}

}  // namespace

ThreadsForSize::ThreadsForSize(int64_t elements, int64_t least) {
  if (elements < least) {
    saved_ = omp_get_max_threads();
    omp_set_num_threads(1);
  }
}
ThreadsForSize::~ThreadsForSize() {
  if (saved_ != 0) {
    omp_set_num_threads(saved_);
  }
}

template <class T>
Int getrf(Int m, Int n, T* a, Int lda, Int* pivots) {
  return call<T>(Routine::getrf, m, n, a, lda, pivots);
}
template <class T>
Int getrs(char transpose, Int n, Int columns, const T* a, Int lda, const Int* pivots, T* b,
          Int ldb) {
  return call<T>(Routine::getrs, transpose, n, columns, a, lda, pivots, b, ldb);
}

template <class T>
Int potrf(char triangle, Int n, T* a, Int lda) {
  return call<T>(Routine::potrf, triangle, n, a, lda);
}
template <class T>
Int potrs(char triangle, Int n, Int columns, const T* a, Int lda, T* b, Int ldb) {
  return call<T>(Routine::potrs, triangle, n, columns, a, lda, b, ldb);
}
template <class T>
Int potri(char triangle, Int n, T* a, Int lda) {
  return call<T>(Routine::potri, triangle, n, a, lda);
}

template <class T>
void trsm(char side, char triangle, char transpose, char diagonal, Int m, Int n, const T* a,
          Int lda, T* b, Int ldb) {
  // This one is BLAS's: it has a factor, and no info.
  call_with_lengths(find<T>(Routine::trsm), std::make_index_sequence<4>(), side, triangle,
                    transpose, diagonal, m, n, T(1), a, lda, b, ldb);
}

template <class T>
Int geqrf(Int m, Int n, T* a, Int lda, T* tau, Workspace<T>& space) {
  return with_values(space, [&](T* work, Int size) {
    return call<T>(Routine::geqrf, m, n, a, lda, tau, work, size);
  });
}
template <class T>
Int ungqr(Int m, Int n, Int k, T* a, Int lda, const T* tau, Workspace<T>& space) {
  return with_values(space, [&](T* work, Int size) {
    return call<T>(Routine::ungqr, m, n, k, a, lda, tau, work, size);
  });
}
template <class T>
Int unmqr(char side, char transpose, Int m, Int n, Int k, const T* a, Int lda, const T* tau, T* c,
          Int ldc, Workspace<T>& space) {
  return with_values(space, [&](T* work, Int size) {
    return call<T>(Routine::unmqr, side, transpose, m, n, k, a, lda, tau, c, ldc, work, size);
  });
}

template <class T>
Int heevd(char vectors, char triangle, Int n, T* a, Int lda, Real<T>* values, Workspace<T>& space) {
  const auto run = [&](T* work, Int size, Real<T>* reals, Int real_size, Int* ints, Int int_size) {
    if constexpr (kIsComplex<T>) {
      return call<T>(Routine::heevd, vectors, triangle, n, a, lda, values, work, size, reals,
                     real_size, ints, int_size);
    } else {
      return call<T>(Routine::heevd, vectors, triangle, n, a, lda, values, work, size, ints,
                     int_size);
    }
  };
  if (space.values.empty()) {
    T value{};
    Real<T> real{};
    Int integer = 0;
    if (const Int info = run(&value, kAsk, &real, kAsk, &integer, kAsk); info != 0) {
      return info;
    }
    space.values.resize(asked(value));
    space.reals.resize(asked(real));
    space.ints.resize(asked(integer));
  }
  return run(space.values.data(), length(space.values), space.reals.data(), length(space.reals),
             space.ints.data(), length(space.ints));
}

template <class T>
Int geev(char right_vectors, Int n, T* a, Int lda, T* values, T* vectors, Int ldv,
         Workspace<T>& space) {
  const char left_vectors = 'N';
  T* const left = nullptr;
  make_room(space.reals, 2 * int64_t(n));
  return with_values(space, [&](T* work, Int size) {
    if constexpr (kIsComplex<T>) {
      return call<T>(Routine::geev, left_vectors, right_vectors, n, a, lda, values, left, Int(1),
                     vectors, ldv, work, size, space.reals.data());
    } else {
      return call<T>(Routine::geev, left_vectors, right_vectors, n, a, lda, values, values + n,
                     left, Int(1), vectors, ldv, work, size);
    }
  });
}

template <class T>
Int gesdd(char job, Int m, Int n, T* a, Int lda, Real<T>* values, T* u, Int ldu, T* vh, Int ldvh,
          Workspace<T>& space) {
  const int64_t least = std::min(m, n);
  const int64_t most = std::max(m, n);
  make_room(space.ints, 8 * least);
  if constexpr (kIsComplex<T>) {
    make_room(space.reals,
              job == 'N' ? 7 * least : least * std::max(5 * least + 7, 2 * (most + least) + 1));
  }
  return with_values(space, [&](T* work, Int size) {
    if constexpr (kIsComplex<T>) {
      return call<T>(Routine::gesdd, job, m, n, a, lda, values, u, ldu, vh, ldvh, work, size,
                     space.reals.data(), space.ints.data());
    } else {
      return call<T>(Routine::gesdd, job, m, n, a, lda, values, u, ldu, vh, ldvh, work, size,
                     space.ints.data());
    }
  });
}

template <class T>
Int gels(Int m, Int n, Int columns, T* a, Int lda, T* b, Int ldb, Workspace<T>& space) {
  return with_values(space, [&](T* work, Int size) {
    return call<T>(Routine::gels, 'N', m, n, columns, a, lda, b, ldb, work, size);
  });
}
template <class T>
Int gelsy(Int m, Int n, Int columns, T* a, Int lda, T* b, Int ldb, Int* pivots, Real<T> rcond,
          Int* rank, Workspace<T>& space) {
  make_room(space.reals, 2 * int64_t(n));
  return with_values(space, [&](T* work, Int size) {
    if constexpr (kIsComplex<T>) {
      return call<T>(Routine::gelsy, m, n, columns, a, lda, b, ldb, pivots, rcond, rank, work, size,
                     space.reals.data());
    } else {
      return call<T>(Routine::gelsy, m, n, columns, a, lda, b, ldb, pivots, rcond, rank, work,
                     size);
    }
  });
}
template <class T>
Int gelsd(Int m, Int n, Int columns, T* a, Int lda, T* b, Int ldb, Real<T>* values, Real<T> rcond,
          Int* rank, Workspace<T>& space) {
  const auto run = [&](T* work, Int size, Real<T>* reals, Int* ints) {
    if constexpr (kIsComplex<T>) {
      return call<T>(Routine::gelsd, m, n, columns, a, lda, b, ldb, values, rcond, rank, work, size,
                     reals, ints);
    } else {
      return call<T>(Routine::gelsd, m, n, columns, a, lda, b, ldb, values, rcond, rank, work, size,
                     ints);
    }
  };
  if (space.values.empty()) {
    T value{};
    Real<T> real{};
    Int integer = 0;
    if (const Int info = run(&value, kAsk, &real, &integer); info != 0) {
      return info;
    }
    space.values.resize(asked(value));
    space.reals.resize(asked(real));
    space.ints.resize(asked(integer));
  }
  return run(space.values.data(), length(space.values), space.reals.data(), space.ints.data());
}
template <class T>
Int gelss(Int m, Int n, Int columns, T* a, Int lda, T* b, Int ldb, Real<T>* values, Real<T> rcond,
          Int* rank, Workspace<T>& space) {
  make_room(space.reals, 5 * int64_t(std::min(m, n)));
  return with_values(space, [&](T* work, Int size) {
    if constexpr (kIsComplex<T>) {
      return call<T>(Routine::gelss, m, n, columns, a, lda, b, ldb, values, rcond, rank, work, size,
                     space.reals.data());
    } else {
      return call<T>(Routine::gelss, m, n, columns, a, lda, b, ldb, values, rcond, rank, work,
                     size);
    }
  });
}

template <class T>
Int sytrf(bool hermitian, char triangle, Int n, T* a, Int lda, Int* pivots, Workspace<T>& space) {
  return with_values(space, [&](T* work, Int size) {
    return call<T>(hermitian ? Routine::hetrf : Routine::sytrf, triangle, n, a, lda, pivots, work,
                   size);
  });
}
template <class T>
Int sytrs(bool hermitian, char triangle, Int n, Int columns, const T* a, Int lda, const Int* pivots,
          T* b, Int ldb) {
  return call<T>(hermitian ? Routine::hetrs : Routine::sytrs, triangle, n, columns, a, lda, pivots,
                 b, ldb);
}

#define TSC_INSTANTIATE(T)                                                                        \
  template Int getrf<T>(Int, Int, T*, Int, Int*);                                                 \
  template Int getrs<T>(char, Int, Int, const T*, Int, const Int*, T*, Int);                      \
  template Int potrf<T>(char, Int, T*, Int);                                                      \
  template Int potrs<T>(char, Int, Int, const T*, Int, T*, Int);                                  \
  template Int potri<T>(char, Int, T*, Int);                                                      \
  template void trsm<T>(char, char, char, char, Int, Int, const T*, Int, T*, Int);                \
  template Int geqrf<T>(Int, Int, T*, Int, T*, Workspace<T>&);                                    \
  template Int ungqr<T>(Int, Int, Int, T*, Int, const T*, Workspace<T>&);                         \
  template Int unmqr<T>(char, char, Int, Int, Int, const T*, Int, const T*, T*, Int,              \
                        Workspace<T>&);                                                           \
  template Int heevd<T>(char, char, Int, T*, Int, Real<T>*, Workspace<T>&);                       \
  template Int geev<T>(char, Int, T*, Int, T*, T*, Int, Workspace<T>&);                           \
  template Int gesdd<T>(char, Int, Int, T*, Int, Real<T>*, T*, Int, T*, Int, Workspace<T>&);      \
  template Int gels<T>(Int, Int, Int, T*, Int, T*, Int, Workspace<T>&);                           \
  template Int gelsy<T>(Int, Int, Int, T*, Int, T*, Int, Int*, Real<T>, Int*, Workspace<T>&);     \
  template Int gelsd<T>(Int, Int, Int, T*, Int, T*, Int, Real<T>*, Real<T>, Int*, Workspace<T>&); \
  template Int gelss<T>(Int, Int, Int, T*, Int, T*, Int, Real<T>*, Real<T>, Int*, Workspace<T>&); \
  template Int sytrf<T>(bool, char, Int, T*, Int, Int*, Workspace<T>&);                           \
  template Int sytrs<T>(bool, char, Int, Int, const T*, Int, const Int*, T*, Int);
TSC_INSTANTIATE(float)
TSC_INSTANTIATE(double)
TSC_INSTANTIATE(std::complex<float>)
TSC_INSTANTIATE(std::complex<double>)
#undef TSC_INSTANTIATE

}  // namespace tsc::cpu::lapack
