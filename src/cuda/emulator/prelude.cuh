// What stands before a kernel's source when the host's compiler compiles it: CUDA's keywords and built-in
// functions. No header of the host is included, which would take ten times as long as the kernel.

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
};

// What the emulator and a kernel's library share. The emulator sets it when it loads the library.
struct Emulator {
  uint3 thread;
  uint3 block;
  dim3 block_size;
  dim3 grid_size;
  char* dynamic_shared;
  void (*sync_block)();
  void (*sync_warp)(unsigned mask);
  // Puts a value into the thread's slot, waits for the others of its warp and gives another's.
  unsigned long long (*exchange)(unsigned mask, unsigned long long value, int lane);
  unsigned (*ballot)(unsigned mask, bool value);
  void (*trap)();
};
extern "C" {
__attribute__((visibility("default"))) Emulator* tsc_emulator;
}

#define threadIdx (tsc_emulator->thread)
#define blockIdx (tsc_emulator->block)
#define blockDim (tsc_emulator->block_size)
#define gridDim (tsc_emulator->grid_size)
#define warpSize 32
#define __global__ __attribute__((always_inline))
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __shared__ static
#define __constant__ static const
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

#define __syncthreads() tsc_emulator->sync_block()
#define __trap() tsc_emulator->trap()

namespace emulated {

template <class T>
inline unsigned long long bits_of(T value) {
  static_assert(sizeof(T) <= 8);
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T>
inline T value_of(unsigned long long bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}
inline int lane() {
  const unsigned linear = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  return static_cast<int>(linear % 32);
}
template <class T>
inline T exchange(unsigned mask, T value, int from) {
  return value_of<T>(tsc_emulator->exchange(mask, bits_of(value), from));
}

template <class T, class U, class F>
inline T modify(T* at, U with, F f) {
  const T old = *at;
  *at = f(old, static_cast<T>(with));
  return old;
}

// The arguments of a launch, each behind a pointer.
template <int... I>
struct Indices {};
template <class A>
struct Plain {
  using Type = A;
};
template <class A>
struct Plain<const A> {
  using Type = A;
};
template <class... A, int... I>
__attribute__((always_inline)) inline void call(void (*kernel)(A...), void** at, Indices<I...>) {
  kernel(*static_cast<typename Plain<A>::Type*>(at[I])...);
}
template <class... A>
__attribute__((always_inline)) inline void call(void (*kernel)(A...), void** at) {
  call(kernel, at, Indices<__integer_pack(static_cast<int>(sizeof...(A)))...>());
}

}  // namespace emulated

inline void __syncwarp(unsigned mask = ~0u) { tsc_emulator->sync_warp(mask); }
template <class T>
inline T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  const int lane = emulated::lane();
  return emulated::exchange(mask, value, (lane & ~(width - 1)) + (from & (width - 1)));
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32) {
  const int lane = emulated::lane();
  const int other = lane ^ with;
  return emulated::exchange(mask, value, other / width > lane / width ? lane : other);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const int lane = emulated::lane();
  const int other = lane + static_cast<int>(by);
  return emulated::exchange(mask, value, other / width == lane / width ? other : lane);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const int lane = emulated::lane();
  const int other = lane - static_cast<int>(by);
  return emulated::exchange(mask, value, other >= 0 && other / width == lane / width ? other : lane);
}
inline unsigned __ballot_sync(unsigned mask, int value) {
  return tsc_emulator->ballot(mask, value != 0);
}
inline int __any_sync(unsigned mask, int value) { return __ballot_sync(mask, value) != 0; }
inline int __all_sync(unsigned mask, int value) {
  return (__ballot_sync(mask, value) & mask) == mask;
}
inline void __threadfence() {}
inline void __threadfence_block() {}

template <class T, class U>
inline T atomicAdd(T* at, U by) {
  return emulated::modify(at, by, [](T a, T b) { return static_cast<T>(a + b); });
}
template <class T, class U>
inline T atomicMin(T* at, U by) {
  return emulated::modify(at, by, [](T a, T b) { return b < a ? b : a; });
}
template <class T, class U>
inline T atomicMax(T* at, U by) {
  return emulated::modify(at, by, [](T a, T b) { return b > a ? b : a; });
}
template <class T, class U>
inline T atomicOr(T* at, U by) {
  return emulated::modify(at, by, [](T a, T b) { return static_cast<T>(a | b); });
}
template <class T, class U>
inline T atomicAnd(T* at, U by) {
  return emulated::modify(at, by, [](T a, T b) { return static_cast<T>(a & b); });
}
template <class T, class U>
inline T atomicExch(T* at, U by) {
  return emulated::modify(at, by, [](T, T b) { return b; });
}
inline unsigned atomicInc(unsigned* at, unsigned last) {
  return emulated::modify(at, last, [](unsigned a, unsigned b) { return a >= b ? 0u : a + 1u; });
}
template <class T, class U, class V>
inline T atomicCAS(T* at, U expected, V desired) {
  const T old = *at;
  if (old == static_cast<T>(expected)) *at = static_cast<T>(desired);
  return old;
}

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __float_as_int(float x) { return emulated::value_of<int>(emulated::bits_of(x)); }
inline float __int_as_float(int x) { return emulated::value_of<float>(emulated::bits_of(x)); }
inline long long __double_as_longlong(double x) {
  return emulated::value_of<long long>(emulated::bits_of(x));
}
inline double __longlong_as_double(long long x) {
  return emulated::value_of<double>(emulated::bits_of(x));
}

// The mathematical functions, which CUDA overloads for float and double.
#define TSC_FUNCTION(name)                                                \
  inline float name##f(float x) { return __builtin_##name##f(x); }        \
  inline float name(float x) { return __builtin_##name##f(x); }           \
  inline double name(double x) { return __builtin_##name(x); }
#define TSC_FUNCTION_OF_TWO(name)                                         \
  inline float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
  inline float name(float x, float y) { return __builtin_##name##f(x, y); }    \
  inline double name(double x, double y) { return __builtin_##name(x, y); }
TSC_FUNCTION(sqrt)
TSC_FUNCTION(cbrt)
TSC_FUNCTION(exp)
TSC_FUNCTION(exp2)
TSC_FUNCTION(expm1)
TSC_FUNCTION(log)
TSC_FUNCTION(log2)
TSC_FUNCTION(log10)
TSC_FUNCTION(log1p)
TSC_FUNCTION(sin)
TSC_FUNCTION(cos)
TSC_FUNCTION(tan)
TSC_FUNCTION(asin)
TSC_FUNCTION(acos)
TSC_FUNCTION(atan)
TSC_FUNCTION(sinh)
TSC_FUNCTION(cosh)
TSC_FUNCTION(tanh)
TSC_FUNCTION(asinh)
TSC_FUNCTION(acosh)
TSC_FUNCTION(atanh)
TSC_FUNCTION(erf)
TSC_FUNCTION(erfc)
TSC_FUNCTION(lgamma)
TSC_FUNCTION(floor)
TSC_FUNCTION(ceil)
TSC_FUNCTION(trunc)
TSC_FUNCTION(rint)
TSC_FUNCTION(fabs)
TSC_FUNCTION_OF_TWO(pow)
TSC_FUNCTION_OF_TWO(atan2)
TSC_FUNCTION_OF_TWO(hypot)
TSC_FUNCTION_OF_TWO(fmod)
TSC_FUNCTION_OF_TWO(copysign)
TSC_FUNCTION_OF_TWO(nextafter)
TSC_FUNCTION_OF_TWO(fmin)
TSC_FUNCTION_OF_TWO(fmax)
#undef TSC_FUNCTION
#undef TSC_FUNCTION_OF_TWO
inline float rsqrt(float x) { return 1.0f / sqrt(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
inline float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
// By steps of Halley's method; next to 0 from the leading term of the asymptotic series.
inline double erfinv_by_steps(double y) {
  double x = y * 0.88622692545275801365;
  for (int i = 0; i < 6; i++) {
    const double step = (erf(x) - y) * exp(x * x) * 0.88622692545275801365;
    x -= step / (1 + x * step);
  }
  return y == 0 ? y : x;
}
inline double erfcinv(double y) {
  if (y > 1) return -erfcinv(2 - y);
  if (y > 0.5) return erfinv_by_steps(1 - y);
  if (y == 0) return __builtin_inf();
  if (!(y > 0)) return __builtin_nan("");
  const double size = -log(y);
  double x = sqrt(size - log(1.7724538509055160273 * sqrt(size)));
  for (int i = 0; i < 8; i++) {
    const double step = (erfc(x) - y) * exp(x * x) * 0.88622692545275801365;
    x += step / (1 + x * step);
  }
  return x;
}
inline double erfinv(double y) {
  if (fabs(y) <= 0.5) return erfinv_by_steps(y);
  return y > 0 ? erfcinv(1 - y) : -erfcinv(1 + y);
}
inline float erfinv(float y) { return float(erfinv(double(y))); }
inline double normcdfinv(double p) { return -1.41421356237309504880 * erfcinv(2 * p); }
inline float abs(float x) { return __builtin_fabsf(x); }
inline double abs(double x) { return __builtin_fabs(x); }
inline int abs(int x) { return x < 0 ? -x : x; }
template <class T>
inline bool isnan(T x) {
  return __builtin_isnan(x);
}
template <class T>
inline bool isinf(T x) {
  return __builtin_isinf(x);
}
template <class T>
inline bool isfinite(T x) {
  return __builtin_isfinite(x);
}
template <class T>
inline bool signbit(T x) {
  return __builtin_signbit(x) != 0;
}
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline long long min(long long a, long long b) { return a < b ? a : b; }
inline long long max(long long a, long long b) { return a > b ? a : b; }
