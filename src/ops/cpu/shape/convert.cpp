// Conversions between element types, over contiguous runs.
#include <complex>

#include "ops/cpu/groups.h"
#include "ops/cpu/shape/reduced.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

template <class T>
inline constexpr bool is_complex_type = false;
template <class R>
inline constexpr bool is_complex_type<Complex<R>> = true;

// One element, from and to anything but Half and BFloat16.
template <class To, class From>
TSC_INLINE To convert_element(From value) {
  if constexpr (is_complex_type<To>) {
    using R = decltype(To().re);
    if constexpr (is_complex_type<From>) {
      return {static_cast<R>(value.re), static_cast<R>(value.im)};
    } else {
      return {static_cast<R>(value), R(0)};
    }
  } else if constexpr (is_complex_type<From>) {
    if constexpr (std::is_same_v<To, bool>) {
      return value.re != 0 || value.im != 0;
    } else {
      return convert_element<To>(value.re);
    }
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (is_float<From> && std::is_integral_v<To> && sizeof(To) < sizeof(int32_t)) {
    // Through the processor's own conversion, so that vectors and single elements agree on numbers
    // that are out of range.
    return static_cast<To>(static_cast<int32_t>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
TSC_INLINE void convert_run(To* to, const From* from, int64_t count) {
  for (int64_t i = 0; i < count; i++) to[i] = convert_element<To>(from[i]);
}

// Sums of bool and uint8 read them so. (The compiler's loop takes four times as long.)
TSC_INLINE void widen_bytes(uint64_t* to, const uint8_t* from, int64_t count) {
  const hn::ScalableTag<uint64_t> d;
  const hn::Rebind<uint32_t, decltype(d)> words;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  constexpr auto kLanes = static_cast<int64_t>(HWY_MAX_BYTES / sizeof(uint64_t));
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const auto narrow = hn::PromoteTo(words, hn::LoadU(bytes, from + i));
    hn::StoreU(hn::PromoteTo(d, narrow), d, to + i);
  }
  for (; i < count; i++) to[i] = from[i];
}

template <class To, class From>
void convert(char* to_bytes, const char* from_bytes, int64_t count) {
  auto* to = reinterpret_cast<To*>(to_bytes);
  const auto* from = reinterpret_cast<const From*>(from_bytes);
  if constexpr (sizeof(From) == 1 && std::is_unsigned_v<From> && std::is_same_v<To, int64_t>) {
    widen_bytes(reinterpret_cast<uint64_t*>(to_bytes), reinterpret_cast<const uint8_t*>(from_bytes),
                count);
  } else if constexpr (std::is_same_v<From, float> && is_reduced<To>) {
    narrow(to, from, count);
  } else if constexpr (is_reduced<From> && std::is_same_v<To, float>) {
    widen(to, from, count);
  } else if constexpr (is_reduced<From> || is_reduced<To>) {
    // Through floats.
    constexpr int64_t kBlock = 512;
    alignas(64) float block[kBlock];
    for (; count > 0; count -= kBlock, to += kBlock, from += kBlock) {
      const int64_t size = count < kBlock ? count : kBlock;
      if constexpr (is_reduced<From>) {
        widen(block, from, size);
      } else {
        convert_run(block, from, size);
      }
      if constexpr (is_reduced<To>) {
        narrow(to, block, size);
      } else {
        convert_run(to, block, size);
      }
    }
  } else {
    convert_run(to, from, count);
  }
}

// std::complex and Complex have the same layout.
template <class T>
struct Computed {
  using type = T;
};
template <class R>
struct Computed<std::complex<R>> {
  using type = Complex<R>;
};

template <class From>
ConvertFunction find_convert_from(ScalarType to) {
  switch (to) {
#define TSC_CASE(cpp_type, name, python_name, short_name, number) \
  case ScalarType::name:                                          \
    return &convert<typename Computed<cpp_type>::type, typename Computed<From>::type>;
    TSC_FORALL_SCALAR_TYPES(TSC_CASE)
#undef TSC_CASE
    case ScalarType::QInt8:
    case ScalarType::QUInt8:
    case ScalarType::QInt32:
    case ScalarType::Undefined: break;
  }
  return nullptr;
}

template <class T>
void take_every_second(char* to_bytes, const char* from_bytes, int64_t count) {
  const hn::ScalableTag<T> d;
  constexpr auto kLanes = static_cast<int64_t>(HWY_MAX_BYTES / sizeof(T));
  T* const to = reinterpret_cast<T*>(to_bytes);
  const T* const from = reinterpret_cast<const T*>(from_bytes);
  int64_t i = 0;
  for (; i + kLanes < count; i += kLanes) {
    prefetch(from + 2 * i, prefetch_distance);
    prefetch(from + 2 * i + kLanes, prefetch_distance);
    const auto low = hn::LoadU(d, from + 2 * i);
    const auto high = hn::LoadU(d, from + 2 * i + kLanes);
    hn::StoreU(hn::ConcatEven(d, high, low), d, to + i);
  }
  if (count < kLanes) {
    for (; i < count; i++) to[i] = from[2 * i];
    return;
  }
  // The element behind the last one may be nobody's: the last vector ends at that one.
  const T* const last = from + 2 * (count - kLanes);
  const auto low = hn::LoadU(d, last);
  const auto high = hn::LoadU(d, last + kLanes - 1);
  hn::StoreU(hn::ConcatUpperLower(d, hn::ConcatOdd(d, high, high), hn::ConcatEven(d, low, low)), d,
             to + count - kLanes);
}

// Small elements are left to the compiler.
template <class T>
void take_every_second_small(char* to_bytes, const char* from_bytes, int64_t count) {
  T* const to = reinterpret_cast<T*>(to_bytes);
  const T* const from = reinterpret_cast<const T*>(from_bytes);
  TSC_INDEPENDENT
  for (int64_t i = 0; i < count; i++) to[i] = from[2 * i];
}

// Writes nothing between the elements, which may be another thread's.
template <class T>
void put_every_second(char* to_bytes, const char* from_bytes, int64_t count) {
  T* const to = reinterpret_cast<T*>(to_bytes);
  const T* const from = reinterpret_cast<const T*>(from_bytes);
  int64_t i = 0;
#if HWY_TARGET <= HWY_AVX2
  const hn::ScalableTag<T> d;
  constexpr auto kLanes = static_cast<int64_t>(HWY_MAX_BYTES / sizeof(T));
  const auto twice = hn::ShiftRight<1>(hn::Iota(d, 0));
  const auto low = hn::IndicesFromVec(d, twice);
  const auto high = hn::IndicesFromVec(d, hn::Add(twice, hn::Set(d, kLanes / 2)));
  const auto even = hn::Eq(hn::And(hn::Iota(d, 0), hn::Set(d, 1)), hn::Zero(d));
  // The second store ends with a lane that is not written, and may be nobody's memory.
  for (; i + kLanes <= count; i += kLanes) {
    const auto v = hn::LoadU(d, from + i);
    hn::BlendedStore(hn::TableLookupLanes(v, low), even, d, to + 2 * i);
    hn::BlendedStore(hn::TableLookupLanes(v, high), even, d, to + 2 * i + kLanes);
  }
#endif
  for (; i < count; i++) to[2 * i] = from[i];
}

}  // namespace

void to_every_second(char* to, const char* from, int64_t count, size_t size) {
  if (size == 4) return put_every_second<uint32_t>(to, from, count);
  return put_every_second<uint64_t>(to, from, count);
}

void every_second(char* to, const char* from, int64_t count, size_t size) {
  switch (size) {
    case 1: return take_every_second_small<uint8_t>(to, from, count);
    case 2: return take_every_second_small<uint16_t>(to, from, count);
    case 4: return take_every_second<uint32_t>(to, from, count);
    default: return take_every_second<uint64_t>(to, from, count);
  }
}

ConvertFunction find_convert(ScalarType to, ScalarType from) {
  switch (from) {
#define TSC_CASE(cpp_type, name, python_name, short_name, number) \
  case ScalarType::name: return find_convert_from<cpp_type>(to);
    TSC_FORALL_SCALAR_TYPES(TSC_CASE)
#undef TSC_CASE
    case ScalarType::QInt8:
    case ScalarType::QUInt8:
    case ScalarType::QInt32:
    case ScalarType::Undefined: break;
  }
  return nullptr;
}

}  // namespace tsc::cpu::TSC_ISA
