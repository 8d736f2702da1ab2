#pragma once
// exp, log and sqrt of vectors of complex floats, computed in double, where squares neither overflow
// nor round. Lanes that are infinite, not a number, or zero where that is special are the C library's.

#include "ops/cpu/special_math.h"
#include "ops/cpu/wide_complex.h"

namespace tsc::cpu::TSC_ISA {
namespace complex {

struct Parts {
  Wide<double> re;
  Wide<double> im;
};

// `compute` of doubles, but in special lanes `by_number` of a complex number.
template <class Compute, class ByNumber>
TSC_INLINE WideComplex<float> in_doubles(WideComplex<float> z, Mask<float> special, Compute compute,
                                         ByNumber by_number) {
  const Parts low = compute(Parts{detail::lower_doubles(z.re), detail::lower_doubles(z.im)});
  const Parts high = compute(Parts{detail::upper_doubles(z.re), detail::upper_doubles(z.im)});
  const WideComplex<float> result{detail::join_doubles(low.re, high.re),
                                  detail::join_doubles(low.im, high.im)};
  const bool none = hn::AllFalse(Wide<float>::D(), special.m);
  return none ? result : by_number(special, z, result);
}

template <class F>
TSC_INLINE WideComplex<float> replace(Mask<float> special, WideComplex<float> z,
                                      WideComplex<float> result, F function) {
  constexpr int64_t kLanes = Wide<float>::kLanes;
  Complex<float> numbers[kLanes];
  Complex<float> results[kLanes];
  bool is_special[kLanes];
  store(z, numbers);
  store(result, results);
  store(special, is_special);
  for (int64_t i = 0; i < kLanes; i++) {
    if (is_special[i]) results[i] = function(numbers[i]);
  }
  return load(results);
}
#define TSC_REPLACE_COMPLEX(name)                                                        \
  inline WideComplex<float> __attribute__((noinline))                                    \
  replace_##name(Mask<float> special, WideComplex<float> z, WideComplex<float> result) { \
    return replace(special, z, result,                                                   \
                   [](Complex<float> number) { return TSC_ISA::name(number); });         \
  }
TSC_REPLACE_COMPLEX(exp)
TSC_REPLACE_COMPLEX(log)
TSC_REPLACE_COMPLEX(sqrt)
#undef TSC_REPLACE_COMPLEX

TSC_INLINE Mask<float> is_finite(Wide<float> x) {
  return abs(x) <= Wide<float>(std::numeric_limits<float>::max());
}
TSC_INLINE Mask<float> is_zero(WideComplex<float> z) {
  return z.re == Wide<float>(0) && z.im == Wide<float>(0);
}

// What the C library answers: infinities, NaN and zeros.
TSC_INLINE Mask<float> is_special(WideComplex<float> z) {
  return !(is_finite(z.re) && is_finite(z.im)) || is_zero(z);
}

}  // namespace complex

// exp(a) (cos(b) + i sin(b)), of factors that are rounded to floats first, as the C library's are.
// It takes other steps where exp(a) overflows, and the result may not.
TSC_INLINE WideComplex<float> exp(WideComplex<float> z) {
  const Mask<float> special = !(abs(z.re) <= Wide<float>(88) && complex::is_finite(z.im));
  const Wide<float> size = in_doubles(z.re, [](Wide<double> part) { return exp(part); });
  const WideComplex<float> result{size * cos(z.im), size * sin(z.im)};
  const bool none = hn::AllFalse(Wide<float>::D(), special.m);
  return none ? result : complex::replace_exp(special, z, result);
}

// With the logarithm of the square of the size; next to 1 from that less 1, which (a - 1) (a + 1) + b^2
// gives without cancellation.
TSC_INLINE WideComplex<float> log(WideComplex<float> z) {
  const Mask<float> special = complex::is_special(z);
  return complex::in_doubles(
      z, special,
      [](complex::Parts part) {
        using W = Wide<double>;
        const W::D d;
        const W re = abs(part.re);
        const W im = abs(part.im);
        const W large{hn::Max(re.v, im.v)};
        const W small{hn::Min(re.v, im.v)};
        const W small_square = small * small;
        const W square = mul_add(large, large, small_square);
        const Mask<double> near = square > W(0.5) && square < W(2);
        W result(0);
        if (!hn::AllFalse(d, near.m)) {
          result = log1p(select(near, mul_add(large - W(1), large + W(1), small_square), W(0)));
        }
        if (!hn::AllTrue(d, near.m)) {
          result = select(near, result, log(select(near, W(1), square)));
        }
        return complex::Parts{result * W(0.5), atan2(part.im, part.re)};
      },
      complex::replace_log);
}

// With t = sqrt((|a| + |z|) / 2) it is t + i b / (2t) for positive a, and the other way round for
// negative ones.
TSC_INLINE WideComplex<float> sqrt(WideComplex<float> z) {
  const Mask<float> special = complex::is_special(z);
  return complex::in_doubles(
      z, special,
      [](complex::Parts part) {
        using W = Wide<double>;
        const W size = sqrt(mul_add(part.re, part.re, part.im * part.im));
        const W t = sqrt((abs(part.re) + size) * W(0.5));
        const W other = abs(part.im) / (t + t);
        const Mask<double> negative = part.re < W(0);
        return complex::Parts{select(negative, other, t),
                              copysign(select(negative, t, other), part.im)};
      },
      complex::replace_sqrt);
}

}  // namespace tsc::cpu::TSC_ISA
