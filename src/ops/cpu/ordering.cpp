// What compares, selects and rounds, and gives numbers.
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

// The direction of a complex number: on the unit circle, or 0.
template <class R>
TSC_INLINE Complex<R> direction(Complex<R> z) {
  const R size = abs(z);
  return size == 0 ? Complex<R>(0) : Complex<R>{z.re / size, z.im / size};
}

TSC_UNARY_OP(Abs, 0, abs(a))
TSC_UNARY_OP(Sign, 0, ufunc::sign(a))
TSC_UNARY_OP(Direction, 0, direction(a))
TSC_BINARY_OP(Maximum, 0, ufunc::maximum(a, b))
TSC_BINARY_OP(Minimum, 0, ufunc::minimum(a, b))
TSC_BINARY_OP(Fmax, 0, ufunc::fmax(a, b))
TSC_BINARY_OP(Fmin, 0, ufunc::fmin(a, b))
TSC_UNARY_OP(Clamp, 2, ufunc::clamp(a, p[0], p[1]))
TSC_UNARY_OP(ClampMin, 1, ufunc::at_least(a, p[0]))
TSC_UNARY_OP(ClampMax, 1, ufunc::at_most(a, p[0]))
TSC_TERNARY_OP(ClampTensor, 0, ufunc::clamp(a, b, c))
TSC_UNARY_OP(Relu, 0, ufunc::relu(a))
TSC_UNARY_OP(Threshold, 2, ufunc::threshold(a, p[0], p[1]))
TSC_BINARY_OP(ThresholdBackward, 1, ufunc::threshold_backward(a, b, p[0]))
TSC_UNARY_OP(NanToNum, 3, ufunc::nan_to_num(a, p[0], p[1], p[2]))
TSC_UNARY_OP(Floor, 0, floor(a))
TSC_UNARY_OP(Ceil, 0, ceil(a))
TSC_UNARY_OP(Trunc, 0, trunc(a))
TSC_UNARY_OP(Round, 0, round_even(a))
TSC_UNARY_OP(Frac, 0, a - trunc(a))
TSC_BINARY_OP(Copysign, 0, copysign(a, b))

TileFunction sign(ScalarType compute) {
  const TileFunction found = unary<Sign, Bool, Integers, Floats>(compute);
  return found != nullptr ? found : unary<Direction, Complexes>(compute);
}

constexpr UfuncEntry kEntries[] = {
    {Ufunc::abs, unary_real<Abs, Integers, Floats, PackedComplexes>},
    {Ufunc::sign, sign},
    {Ufunc::maximum, binary<Maximum, Bool, Integers, Floats>},
    {Ufunc::minimum, binary<Minimum, Bool, Integers, Floats>},
    {Ufunc::fmax, binary<Fmax, Bool, Integers, Floats>},
    {Ufunc::fmin, binary<Fmin, Bool, Integers, Floats>},
    {Ufunc::clamp, unary<Clamp, Integers, Floats>},
    {Ufunc::clamp_min, unary<ClampMin, Integers, Floats>},
    {Ufunc::clamp_max, unary<ClampMax, Integers, Floats>},
    {Ufunc::clamp_tensor, ternary<ClampTensor, Integers, Floats>},
    {Ufunc::relu, unary<Relu, Integers, Floats>},
    {Ufunc::threshold, unary<Threshold, Integers, Floats>},
    {Ufunc::threshold_backward, binary<ThresholdBackward, Integers, Floats>},
    {Ufunc::nan_to_num, unary<NanToNum, Floats>},
    {Ufunc::floor, unary<Floor, Floats>},
    {Ufunc::ceil, unary<Ceil, Floats>},
    {Ufunc::trunc, unary<Trunc, Floats>},
    {Ufunc::round, unary<Round, Floats>},
    {Ufunc::frac, unary<Frac, Floats>},
    {Ufunc::copysign, binary<Copysign, Floats>},
};

}  // namespace

const std::span<const UfuncEntry> kOrdering = kEntries;

}  // namespace tsc::cpu::TSC_ISA
