#pragma once
// Every file of this folder that includes this header is compiled once for each instruction set,
// with -DTSC_ISA=baseline, avx2 or avx512 and the compiler flags to match, and puts all it defines
// into the namespace tsc::cpu::TSC_ISA. Highway is used through its headers only: its static target
// is the one that the flags name.
//
// Inline functions from elsewhere (std::, core/) are shared between the three copies by the linker,
// so kernels use only such as the compiler always inlines, and never let one throw.

#ifndef TSC_ISA
#error "compile this file with -DTSC_ISA=..."
#endif

#define HWY_COMPILE_ONLY_STATIC
#define HWY_DISABLE_PCLMUL_AES
#include <hwy/highway.h>

#define TSC_INLINE inline __attribute__((always_inline))

// Ubuntu 22.04's Highway, 0.16, lacks what these do.
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
  for (size_t i = 0; i < 2 * kLanes; ++i) lanes[i % 2][i / 2] = from[i];
  even = Load(d, lanes[0]);
  odd = Load(d, lanes[1]);
}
template <class D, class T, class V>
TSC_INLINE void StoreInterleaved2(V even, V odd, D d, T* to) {
  constexpr size_t kLanes = MaxLanes(D());
  alignas(HWY_MAX_BYTES) T lanes[2][kLanes];
  Store(even, d, lanes[0]);
  Store(odd, d, lanes[1]);
  for (size_t i = 0; i < 2 * kLanes; ++i) to[i] = lanes[i % 2][i / 2];
}
}  // namespace hwy::HWY_NAMESPACE
#endif

namespace tsc::cpu::TSC_ISA {
namespace hn = hwy::HWY_NAMESPACE;
}
