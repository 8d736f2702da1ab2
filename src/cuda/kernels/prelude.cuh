// What stands before every kernel: types, conversions, and where an element lies. No header is included:
// NVRTC alone has none, and the emulator's compiler is ten times as fast without.

#define TSC_FN __device__ __forceinline__

using uint8_t = unsigned char;
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long long;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;

template <bool kCondition, class A, class B>
struct Conditional {
  using Type = A;
};
template <class A, class B>
struct Conditional<false, A, B> {
  using Type = B;
};
template <class A, class B>
constexpr bool is_same = false;
template <class A>
constexpr bool is_same<A, A> = true;

template <class To, class From>
TSC_FN To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From), "the same number of bits");
  union Bits {
    From from;
    To to;
    TSC_FN Bits(From value) : from(value) {}
  };
  return Bits(from).to;
}

// float16: rounded to nearest, ties to even.
struct half {
  uint16_t bits;

  half() = default;
  TSC_FN half(float value) {
#ifdef __CUDA_ARCH__
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#else
    bits = bit_cast<uint16_t>(static_cast<_Float16>(value));
#endif
  }
  TSC_FN operator float() const {
#ifdef __CUDA_ARCH__
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
#else
    return static_cast<float>(bit_cast<_Float16>(bits));
#endif
  }
};

// bfloat16: a float's upper half.
struct bfloat16 {
  uint16_t bits;

  bfloat16() = default;
  TSC_FN bfloat16(float value) {
    const uint32_t whole = bit_cast<uint32_t>(value);
    const bool is_nan = (whole & 0x7fffffffu) > 0x7f800000u;
    bits = is_nan ? 0x7fc0 : static_cast<uint16_t>((whole + 0x7fffu + (whole >> 16 & 1)) >> 16);
  }
  TSC_FN operator float() const { return bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

// The type in which a dtype is computed.
template <class T>
struct OpMath {
  using Type = T;
};
template <>
struct OpMath<half> {
  using Type = float;
};
template <>
struct OpMath<bfloat16> {
  using Type = float;
};

template <class T>
constexpr bool is_reduced = is_same<T, half> || is_same<T, bfloat16>;
template <class T>
constexpr bool is_floating = is_same<T, float> || is_same<T, double> || is_reduced<T>;
template <class T>
constexpr bool is_signed = T(-1) < T(0);

// As C++ and PyTorch convert: a complex number drops its imaginary part, bool is "not 0", and a
// floating-point number becomes uint8 by way of int64.
template <class To, class From>
struct Convert {
  TSC_FN static To run(From value) { return static_cast<To>(value); }
};
template <class T>
struct Convert<T, T> {
  TSC_FN static T run(T value) { return value; }
};
template <class From>
struct Convert<bool, From> {
  TSC_FN static bool run(From value) { return value != From(0); }
};
template <>
struct Convert<bool, bool> {
  TSC_FN static bool run(bool value) { return value; }
};
template <>
struct Convert<uint8_t, float> {
  TSC_FN static uint8_t run(float value) { return static_cast<uint8_t>(static_cast<int64_t>(value)); }
};
template <>
struct Convert<uint8_t, double> {
  TSC_FN static uint8_t run(double value) { return static_cast<uint8_t>(static_cast<int64_t>(value)); }
};
// By way of float.
#define TSC_CONVERT_REDUCED(T)                                                                    \
  template <class From>                                                                           \
  struct Convert<T, From> {                                                                       \
    TSC_FN static T run(From value) { return T(Convert<float, From>::run(value)); }               \
  };                                                                                              \
  template <class To>                                                                             \
  struct Convert<To, T> {                                                                         \
    TSC_FN static To run(T value) { return Convert<To, float>::run(static_cast<float>(value)); }  \
  };                                                                                              \
  template <>                                                                                     \
  struct Convert<bool, T> {                                                                       \
    TSC_FN static bool run(T value) { return static_cast<float>(value) != 0; }                    \
  };                                                                                              \
  template <>                                                                                     \
  struct Convert<T, T> {                                                                          \
    TSC_FN static T run(T value) { return value; }                                                \
  };
TSC_CONVERT_REDUCED(half)
TSC_CONVERT_REDUCED(bfloat16)
#undef TSC_CONVERT_REDUCED
template <>
struct Convert<half, bfloat16> {
  TSC_FN static half run(bfloat16 value) { return half(static_cast<float>(value)); }
};
template <>
struct Convert<bfloat16, half> {
  TSC_FN static bfloat16 run(half value) { return bfloat16(static_cast<float>(value)); }
};

template <class To, class From>
TSC_FN To convert(From value) {
  return Convert<To, From>::run(value);
}

// Quotient and remainder by a divisor that is known when the kernel is launched, by a multiplication
// (H. S. Warren, Hacker's Delight, chapter 10): for dividends below 2^31.
struct Divider {
  uint32_t divisor;
  uint32_t magic;
  uint32_t shift;

  TSC_FN uint32_t quotient(uint32_t x) const { return (__umulhi(x, magic) + x) >> shift; }
};

// Vectors of `kWidth` elements that are loaded and stored at once.
template <class T, int kWidth>
struct __align__(sizeof(T) * kWidth) Vector {
  T element[kWidth];
};
