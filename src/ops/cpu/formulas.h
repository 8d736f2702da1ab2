// What the formulas of ops/ufunc/ are made of, for this instruction set's types. A file of kernels
// includes its family's formulas inside the namespace TSC_ISA.
#pragma once

#include "ops/cpu/fast_math.h"
#include "ops/cpu/scalar_math.h"
#include "ops/cpu/special_math.h"
#include "ops/cpu/trig_math.h"
#include "ops/cpu/wide_complex.h"
