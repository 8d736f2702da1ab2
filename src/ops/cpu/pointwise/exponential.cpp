// Powers, roots, exponentials and logarithms.
#include <limits>

#include "ops/cpu/complex_math.h"
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/pointwise/exponential_list.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

// By squaring, modulo the width. A negative exponent gives the integer part of the fraction.
template <class T>
TSC_INLINE T integer_power(T base, T exponent) {
  using Unsigned = std::conditional_t<(sizeof(T) < sizeof(int)), unsigned, std::make_unsigned_t<T>>;
  if (std::is_signed_v<T> && exponent < 0) {
    if (base == 1) return 1;
    if (std::is_signed_v<T> && base == T(-1)) return static_cast<T>(exponent % 2 == 0 ? 1 : -1);
    return 0;
  }
  Unsigned result = 1;
  auto factor = static_cast<Unsigned>(base);
  for (auto bits = static_cast<Unsigned>(exponent); bits != 0; bits >>= 1) {
    if ((bits & 1) != 0) result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

template <class T>
TSC_INLINE T power(T base, T exponent) {
  if constexpr (std::is_integral_v<T>) {
    return integer_power(base, exponent);
  } else {
    return pow(base, exponent);
  }
}

// The product of a and a function of b: 0 where a is 0, whatever the function is, and NaN where b is.
template <class T>
TSC_INLINE T zero_absorbs(T a, T b, T product) {
  return select(is_nan(b), b, select(a == T(0), T(0), product));
}

// `x` with as many bits as are left by a factor of 2^n + 1, which takes n of them (Dekker, "A
// floating-point technique for extending the available precision", 1971); all of them at 0.
template <class T>
TSC_INLINE T rounded(T x, T factor) {
  const T large = factor * x;
  return select(abs(x) <= T(std::numeric_limits<float>::max()), large - (large - x), x);
}

// -x log(x), 0 at 0 and -infinity below.
template <class T>
TSC_INLINE T entropy(T x, T logarithm) {
  const T below = select(x == T(0), T(0), T(-std::numeric_limits<float>::infinity()));
  return select(is_nan(x), x, select(x > T(0), -x * logarithm, below));
}

}  // namespace

TSC_DEFINE_FORMULAS(TSC_EXPONENTIAL_FORMULAS)

}  // namespace tsc::cpu::TSC_ISA
