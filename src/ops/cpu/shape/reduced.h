// float16 and bfloat16, and the floats that compute for them: runs of numbers, and vectors.
#pragma once

#include <bit>

#include "ops/cpu/kernel_types.h"
#include "ops/cpu/wide.h"

namespace tsc::cpu::TSC_ISA {

template <class T>
inline constexpr bool is_reduced = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

TSC_INLINE void widen(float* to, const BFloat16* from, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    to[i] = std::bit_cast<float>(static_cast<uint32_t>(from[i].bits) << 16);
  }
}
TSC_INLINE void narrow(BFloat16* to, const float* from, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    const auto word = std::bit_cast<uint32_t>(from[i]);
    const uint32_t rounded = (word + 0x7fffu + ((word >> 16) & 1u)) >> 16;
    const bool nan = (word & 0x7fffffffu) > 0x7f800000u;
    to[i].bits = static_cast<uint16_t>(nan ? 0x7fc0u : rounded);
  }
}

#if HWY_TARGET <= HWY_AVX2
TSC_INLINE void widen(float* to, const Half* from, int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> half;
  const auto* const bits = reinterpret_cast<const hwy::float16_t*>(from);
  constexpr int64_t kLanes = Wide<float>::kLanes;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(half, bits + i)), d, to + i);
  }
  for (; i < count; i++) to[i] = _cvtsh_ss(from[i].bits);
}
TSC_INLINE void narrow(Half* to, const float* from, int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> half;
  auto* const bits = reinterpret_cast<hwy::float16_t*>(to);
  constexpr int64_t kLanes = Wide<float>::kLanes;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(hn::DemoteTo(half, hn::LoadU(d, from + i)), half, bits + i);
  }
  for (; i < count; i++) to[i].bits = _cvtss_sh(from[i], _MM_FROUND_TO_NEAREST_INT);
}
#else
TSC_INLINE void widen(float* to, const Half* from, int64_t count) {
  for (int64_t i = 0; i < count; i++) to[i] = static_cast<float>(from[i]);
}
TSC_INLINE void narrow(Half* to, const float* from, int64_t count) {
  for (int64_t i = 0; i < count; i++) to[i] = Half(from[i]);
}
#endif

// A vector of the numbers that compute, from stored ones, of which `count` exist.
template <class T, class Stored>
TSC_INLINE Wide<T> load_stored(const Stored* from, int64_t count) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  if constexpr (std::is_same_v<T, Stored>) {
    return count == kLanes ? load(from) : load_first(from, count);
  } else {
    alignas(HWY_MAX_BYTES) float lanes[kLanes] = {};
    if (count == kLanes) {
      widen(lanes, from, kLanes);
    } else {
      widen(lanes, from, count);
    }
    return load(lanes);
  }
}
template <class T, class Stored>
TSC_INLINE void store_stored(Wide<T> value, Stored* to, int64_t count) {
  constexpr int64_t kLanes = Wide<T>::kLanes;
  if constexpr (std::is_same_v<T, Stored>) {
    if (count == kLanes) {
      store(value, to);
    } else {
      store_first(value, to, count);
    }
  } else {
    alignas(HWY_MAX_BYTES) float lanes[kLanes];
    store(value, lanes);
    if (count == kLanes) {
      narrow(to, lanes, kLanes);
    } else {
      narrow(to, lanes, count);
    }
  }
}

// Stored numbers as vectors of floats, without a way through memory where there are instructions.
#if HWY_TARGET <= HWY_AVX2
TSC_INLINE Wide<float> load(const Half* from) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> half;
  return {hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(from)))};
}
TSC_INLINE void store(Wide<float> value, Half* to) {
  const hn::Rebind<hwy::float16_t, Wide<float>::D> half;
  hn::StoreU(hn::DemoteTo(half, value.v), half, reinterpret_cast<hwy::float16_t*>(to));
}
#else
TSC_INLINE Wide<float> load(const Half* from) {
  return load_stored<float>(from, Wide<float>::kLanes);
}
TSC_INLINE void store(Wide<float> value, Half* to) { store_stored(value, to, Wide<float>::kLanes); }
#endif
TSC_INLINE Wide<float> load(const BFloat16* from) {
  const Wide<float>::D d;
  const hn::RebindToUnsigned<Wide<float>::D> words;
  const hn::Rebind<uint16_t, decltype(words)> halves;
  const auto bits =
      hn::PromoteTo(words, hn::LoadU(halves, reinterpret_cast<const uint16_t*>(from)));
  return {hn::BitCast(d, hn::ShiftLeft<16>(bits))};
}
TSC_INLINE void store(Wide<float> value, BFloat16* to) {
  const hn::RebindToUnsigned<Wide<float>::D> words;
  const hn::RebindToSigned<Wide<float>::D> numbers;
  const hn::Rebind<uint16_t, decltype(words)> halves;
  const auto word = hn::BitCast(words, value.v);
  const auto odd = hn::And(hn::ShiftRight<16>(word), hn::Set(words, 1));
  const auto rounded = hn::ShiftRight<16>(hn::Add(word, hn::Add(odd, hn::Set(words, 0x7fffu))));
  const auto nan = hn::RebindMask(words, is_nan(value).m);
  const auto kept = hn::IfThenElse(nan, hn::Set(words, 0x7fc0u), rounded);
  // Below 2^16, so that saturation leaves them as they are.
  hn::StoreU(hn::DemoteTo(halves, hn::BitCast(numbers, kept)), halves,
             reinterpret_cast<uint16_t*>(to));
}
template <class Stored>
requires is_reduced<Stored> TSC_INLINE Wide<float> load_first(const Stored* from, int64_t count) {
  alignas(HWY_MAX_BYTES) Stored lanes[Wide<float>::kLanes] = {};
  std::memcpy(lanes, from, static_cast<size_t>(count) * sizeof(Stored));
  return load(lanes);
}
template <class Stored>
requires is_reduced<Stored> TSC_INLINE void store_first(Wide<float> value, Stored* to,
                                                        int64_t count) {
  alignas(HWY_MAX_BYTES) Stored lanes[Wide<float>::kLanes];
  store(value, lanes);
  std::memcpy(to, lanes, static_cast<size_t>(count) * sizeof(Stored));
}

}  // namespace tsc::cpu::TSC_ISA
