// Powers, roots, exponentials and logarithms.
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
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

TSC_UNARY_OP(Exp, 0, exp(a))
TSC_UNARY_OP(Exp2, 0, exp2(a))
TSC_UNARY_OP(Expm1, 0, expm1(a))
TSC_UNARY_OP(Log, 0, log(a))
TSC_UNARY_OP(Log2, 0, log2(a))
TSC_UNARY_OP(Log10, 0, log10(a))
TSC_UNARY_OP(Log1p, 0, log1p(a))
TSC_UNARY_OP(Sqrt, 0, sqrt(a))
TSC_UNARY_OP(Rsqrt, 0, T(1) / sqrt(a))
TSC_BINARY_OP(Pow, 0, pow(a, b))
TSC_BINARY_OP(IntegerPow, 0, integer_power(a, b))

TileFunction power(ScalarType compute) {
  const TileFunction found = binary<Pow, Floats, Complexes>(compute);
  return found != nullptr ? found : binary<IntegerPow, Integers>(compute);
}

constexpr UfuncEntry kEntries[] = {
    {Ufunc::exp, unary<Exp, Floats, Complexes>},
    {Ufunc::exp2, unary<Exp2, Floats, Complexes>},
    {Ufunc::expm1, unary<Expm1, Floats, Complexes>},
    {Ufunc::log, unary<Log, Floats, Complexes>},
    {Ufunc::log2, unary<Log2, Floats, Complexes>},
    {Ufunc::log10, unary<Log10, Floats, Complexes>},
    {Ufunc::log1p, unary<Log1p, Floats, Complexes>},
    {Ufunc::sqrt, unary<Sqrt, Floats, Complexes>},
    {Ufunc::rsqrt, unary<Rsqrt, Floats, Complexes>},
    {Ufunc::pow, power},
};

}  // namespace

const std::span<const UfuncEntry> kExponential = kEntries;

}  // namespace tsc::cpu::TSC_ISA
