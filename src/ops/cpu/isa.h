#pragma once
// Every file of this folder that includes this header is compiled once for each instruction set,
// with -DTSC_ISA=baseline, avx2 or avx512 and the compiler flags to match, and puts all it defines
// into the namespace tsc::cpu::TSC_ISA. Highway is used through its headers only: its static target
// is the one that the flags name.
//
// Inline functions from elsewhere (std::, core/) are shared between the three copies by the linker,
// so kernels use only those that the compiler always inlines, and none of them may throw.

#ifndef TSC_ISA
#error "compile this file with -DTSC_ISA=..."
#endif

#define HWY_COMPILE_ONLY_STATIC
#define HWY_DISABLE_PCLMUL_AES
#include <hwy/highway.h>

#define TSC_INLINE inline __attribute__((always_inline))

// Missing in Ubuntu 22.04's Highway, 0.16.
#if HWY_MAJOR < 1
namespace hwy::HWY_NAMESPACE {
template <class V>
TSC_INLINE auto IsNaN(V v) {
  return Not(Eq(v, v));
}
template <class D, class T, class V>
TSC_INLINE void LoadInterleaved2(D d, const T* from, V& even, V& odd) {
  constexpr size_t kLanes = MaxLanes(D());
  alignas(HWY_MAX_BYTES) T lanes[2][kLanes];
  for (size_t i = 0; i < 2 * kLanes; i++) lanes[i % 2][i / 2] = from[i];
  even = Load(d, lanes[0]);
  odd = Load(d, lanes[1]);
}
template <class D, class T, class V>
TSC_INLINE void StoreInterleaved2(V even, V odd, D d, T* to) {
  constexpr size_t kLanes = MaxLanes(D());
  alignas(HWY_MAX_BYTES) T lanes[2][kLanes];
  Store(even, d, lanes[0]);
  Store(odd, d, lanes[1]);
  for (size_t i = 0; i < 2 * kLanes; i++) to[i] = lanes[i % 2][i / 2];
}
#if HWY_TARGET <= HWY_AVX2
// Its loads and stores of some lanes need aligned memory; Wide's use these instead.
#if HWY_TARGET <= HWY_AVX3
#define TSC_SOME_LANES(T, name)                                           \
  template <class D>                                                      \
  TSC_INLINE Vec512<T> LoadSome(Mask512<T> mask, D, const T* from) {      \
    return Vec512<T>{_mm512_maskz_loadu_##name(mask.raw, from)};          \
  }                                                                       \
  template <class D>                                                      \
  TSC_INLINE void StoreSome(Vec512<T> value, Mask512<T> mask, D, T* to) { \
    _mm512_mask_storeu_##name(to, mask.raw, value.raw);                   \
  }
#else
#define TSC_SOME_LANES(T, name)                                                          \
  template <class D>                                                                     \
  TSC_INLINE Vec256<T> LoadSome(Mask256<T> mask, D, const T* from) {                     \
    return Vec256<T>{_mm256_maskload_##name(from, _mm256_cast##name##_si256(mask.raw))}; \
  }                                                                                      \
  template <class D>                                                                     \
  TSC_INLINE void StoreSome(Vec256<T> value, Mask256<T> mask, D, T* to) {                \
    _mm256_maskstore_##name(to, _mm256_cast##name##_si256(mask.raw), value.raw);         \
  }
#endif
TSC_SOME_LANES(float, ps)
TSC_SOME_LANES(double, pd)
#undef TSC_SOME_LANES
#endif
}  // namespace hwy::HWY_NAMESPACE
#elif HWY_TARGET <= HWY_AVX2
namespace hwy::HWY_NAMESPACE {
template <class M, class D, class T>
TSC_INLINE auto LoadSome(M mask, D d, const T* from) {
  return MaskedLoad(mask, d, from);
}
template <class V, class M, class D, class T>
TSC_INLINE void StoreSome(V value, M mask, D d, T* to) {
  BlendedStore(value, mask, d, to);
}
}  // namespace hwy::HWY_NAMESPACE
#endif

namespace tsc::cpu::TSC_ISA {
namespace hn = hwy::HWY_NAMESPACE;

// Whether this is the build that runs on every processor.
#if defined(__AVX2__)
inline constexpr bool kIsBaseline = false;
#else
inline constexpr bool kIsBaseline = true;
#endif
}  // namespace tsc::cpu::TSC_ISA
