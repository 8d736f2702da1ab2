// Addition, multiplication, division and operations composed of them.
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/pointwise/arithmetic_list.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
#include "ops/ufunc/arithmetic.h"
namespace {

// By its bits: a random condition would be mispredicted half of the time.
template <class T>
TSC_INLINE T choose(bool condition, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return T(b ^ ((a ^ b) & T(T(0) - T(condition))));
  } else {
    return condition ? a : b;
  }
}

}  // namespace

TSC_DEFINE_FORMULAS(TSC_ARITHMETIC_FORMULAS)

}  // namespace tsc::cpu::TSC_ISA
