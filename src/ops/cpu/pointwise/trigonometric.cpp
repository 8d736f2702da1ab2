// Circular and hyperbolic functions and their inverses.
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/pointwise/trigonometric_list.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

template <class T>
TSC_INLINE T sinc(T x) {
  const T angle = x * T(3.14159265358979323846);
  return select(x == T(0), T(1), sin(angle) / angle);
}

}  // namespace

TSC_DEFINE_FORMULAS(TSC_TRIGONOMETRIC_FORMULAS)

}  // namespace tsc::cpu::TSC_ISA
