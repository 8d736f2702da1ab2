// The formulas of ops/ufunc/ for this instruction set's types.
#pragma once

#include "ops/cpu/fast_math.h"
#include "ops/cpu/scalar_math.h"
#include "ops/cpu/trig_math.h"
#include "ops/cpu/wide_complex.h"

namespace tsc::cpu::TSC_ISA {
#define TSC_FN TSC_INLINE
#include "ops/ufunc/activation.h"
#include "ops/ufunc/arithmetic.h"
#undef TSC_FN
}  // namespace tsc::cpu::TSC_ISA
