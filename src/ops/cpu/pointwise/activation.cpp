// Activation functions and their gradients.
#include "ops/cpu/complex_math.h"
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/pointwise/activation_list.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
#include "ops/ufunc/activation.h"

TSC_DEFINE_FORMULAS(TSC_ACTIVATION_FORMULAS)

}  // namespace tsc::cpu::TSC_ISA
