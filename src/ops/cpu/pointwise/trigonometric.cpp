// Circular and hyperbolic functions and their inverses.
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/pointwise/trigonometric_list.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
TSC_DEFINE_FORMULAS(kTrigonometric, TSC_TRIGONOMETRIC_FORMULAS)

}  // namespace tsc::cpu::TSC_ISA
