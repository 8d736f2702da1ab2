// Special functions.
#include "ops/cpu/bessel_math.h"
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/incomplete_gamma_math.h"
#include "ops/cpu/pointwise/special_list.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
#include "ops/ufunc/ordering.h"
// Takes the larger of two numbers from ordering.h.
#include "ops/ufunc/special.h"

TSC_DEFINE_FORMULAS(TSC_SPECIAL_FORMULAS)

}  // namespace tsc::cpu::TSC_ISA
