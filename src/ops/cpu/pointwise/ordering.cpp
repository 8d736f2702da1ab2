// Comparison, selection and rounding with results of the operands' type.
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/pointwise/ordering_list.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
#include "ops/ufunc/ordering.h"
namespace {

// The sign of a real number; of a complex one, the number on the unit circle in its direction, or 0.
template <class T>
TSC_INLINE T direction(T x) {
  return ufunc::sign(x);
}
template <class R>
TSC_INLINE Complex<R> direction(Complex<R> z) {
  const R size = abs(z);
  return size == 0 ? Complex<R>(0) : Complex<R>{z.re / size, z.im / size};
}

}  // namespace

TSC_DEFINE_FORMULAS(TSC_ORDERING_FORMULAS)

}  // namespace tsc::cpu::TSC_ISA
