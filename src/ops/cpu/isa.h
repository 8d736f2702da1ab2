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

namespace tsc::cpu::TSC_ISA {
namespace hn = hwy::HWY_NAMESPACE;
}
