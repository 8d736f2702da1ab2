#pragma once
// Logarithms of vectors, and the inverse hyperbolic functions. Measured over floats of all sizes, log
// errs by less than 1.1 units in the last place, log2 and log10 by less than 1.2 and log1p by less than
// 1.0; of doubles, log by less than 1.1, log2 and log10 by less than 1.2 and log1p by less than 1.5.

#include <limits>

#include "ops/cpu/fast_math.h"

namespace tsc::cpu::TSC_ISA {

// x = 2^n (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and log(1 + f) = f + rest.
template <class T>
struct LogParts {
  Wide<T> n;
  Wide<T> f;
  Wide<T> rest;
};
TSC_INLINE Wide<float> log_rest(Wide<float> f) {
  using W = Wide<float>;
  // (log(1 + f) - f + f^2/2) / f^3; error of log 2^-30.
  constexpr float kPolynomial[] = {6.74663547669e-2f,  -1.16756504633e-1f, 1.18881638466e-1f,
                                   -1.24055892411e-1f, 1.42195521757e-1f,  -1.66679958300e-1f,
                                   2.00021186681e-1f,  -2.50000095999e-1f, 3.33333126039e-1f};
  const W square = f * f;
  return mul_add(square, W(-0.5f), square * f * polynomial(kPolynomial, f));
}
TSC_INLINE LogParts<float> log_parts(Wide<float> x) {
  using W = Wide<float>;
  const W::D d;
  const hn::RebindToSigned<W::D> di;
  constexpr int32_t kRootOfHalf = 0x3f3504f3;
  const auto bits = hn::BitCast(di, x.v);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, kRootOfHalf)));
  const W f = W{hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)))} - W(1);
  return {W{hn::ConvertTo(d, exponent)}, f, log_rest(f)};
}

// Of doubles by s = f / (2 + f), as in fdlibm: log(1 + f) = f - f^2/2 + s (f^2/2 + s^2 p(s^2)).
// Error of log 2^-58.
TSC_INLINE Wide<double> log_rest(Wide<double> f) {
  using W = Wide<double>;
  constexpr double kPolynomial[] = {0.14616576421689886, 0.15331711346668644, 0.18182889433757676,
                                    0.22222211130560723, 0.28571428626001427, 0.3999999999989945,
                                    0.666666666666667};
  const W half_square = f * f * W(0.5);
  const W s = f / (W(2) + f);
  const W square = s * s;
  return mul_add(s, mul_add(square, polynomial(kPolynomial, square), half_square), -half_square);
}
// The bits of x = 2^n (1 + f): n at the place of the exponent, without its bias; and f.
struct SplitDouble {
  hn::Vec<hn::RebindToSigned<Wide<double>::D>> exponent;
  Wide<double> f;

  Wide<double> n() const {
    const Wide<double>::D d;
    const hn::RebindToUnsigned<Wide<double>::D> du;
    constexpr uint64_t kBias = 1023;
    // Behind the bits of 2^52 an integer stands as it is.
    const auto biased =
        hn::ShiftRight<52>(hn::Add(hn::BitCast(du, exponent), hn::Set(du, kBias << 52)));
    const Wide<double> shifted{hn::BitCast(d, hn::Or(biased, hn::Set(du, 0x4330000000000000u)))};
    return shifted - Wide<double>(0x1p52 + 1023);
  }
};
TSC_INLINE SplitDouble split_double(Wide<double> x) {
  using W = Wide<double>;
  const W::D d;
  const hn::RebindToSigned<W::D> di;
  constexpr int64_t kRootOfHalf = 0x3fe6a09e667f3bcd;
  const auto bits = hn::BitCast(di, x.v);
  const auto exponent = hn::And(hn::Sub(bits, hn::Set(di, kRootOfHalf)),
                                hn::Set(di, static_cast<int64_t>(0xfff0000000000000u)));
  return {exponent, W{hn::BitCast(d, hn::Sub(bits, exponent))} - W(1)};
}
TSC_INLINE LogParts<double> log_parts(Wide<double> x) {
  const SplitDouble split = split_double(x);
  return {split.n(), split.f, log_rest(split.f)};
}
// The same logarithm as two numbers, of which the upper is its size but for a few percent.
struct LogSum {
  Wide<double> upper;
  Wide<double> lower;
};
TSC_INLINE LogSum sum_of_parts(LogParts<double> parts) {
  using W = Wide<double>;
  using C = ExpConstants<double>;
  const W first = parts.n * W(C::kLn2High);
  const W upper = first + parts.f;
  return {upper, ((first - upper) + parts.f) + mul_add(parts.n, W(C::kLn2Low), parts.rest)};
}

// Lanes that are zero, negative, denormal, infinite or not a number are SLEEF's.
template <class T, class F>
Wide<T> __attribute__((noinline))
replace_special_logs(Mask<T> special, Wide<T> x, Wide<T> result, F sleef) {
  return select(special, sleef(x), result);
}
template <class T, class F>
TSC_INLINE Wide<T> finish_log(Wide<T> x, Wide<T> result, F sleef) {
  using W = Wide<T>;
  const Mask<T> special =
      !(x >= W(std::numeric_limits<T>::min()) && x <= W(std::numeric_limits<T>::max()));
  const bool none = hn::AllFalse(typename W::D(), special.m);
  return none ? result : replace_special_logs(special, x, result, sleef);
}

#if HWY_TARGET <= HWY_AVX3
// x = 2^n m with m in [1, 2), and log(x) = n ln 2 - log(c) + log(1 + f) with 1 + f = c m, where c
// is the inverse of about the middle of m's interval, one of sixteen. It is 1 in the first and 1/2
// in the last, so that next to x = 1 the first two terms are 0, or cancel. The instructions for n
// and m make the logarithm of 0 and infinity infinite, and NaN that of negative numbers.
namespace log_table {
alignas(64) inline constexpr double kInverse[16] = {
    1.0,        0.9375,     0.86328125, 0.8203125,  0.78125, 0.74609375, 0.7109375, 0.6796875,
    0.65234375, 0.62890625, 0.60546875, 0.58203125, 0.5625,  0.54296875, 0.5234375, 0.5};
// -log(c) in two parts, the upper with zeros at its end, like that of ln 2.
alignas(64) inline constexpr double kHigh[16] = {
    0.0000000000000,    0.0645385211375924,  0.14701474296180095, 0.19806991376208316,
    0.2468600779316148, 0.29290401643288533, 0.3411707574027787,  0.3861221452650625,
    0.4271836320629063, 0.463773079495013,   0.5017523275603253,  0.5412311385341582,
    0.5753641449034603, 0.6107035113489019,  0.6473376445287613,  0.6931471805598903};
alignas(64) inline constexpr double kLow[16] = {
    0.00000000000000000,    -2.1225608044809997e-14, 8.710783796122478e-15,
    1.0634128304268335e-14, -8.899851356560444e-14,  4.727452940514406e-14,
    -1.156568624616423e-14, -2.9052332860840534e-14, -9.895853155747038e-14,
    8.647188083899856e-14,  -9.429331319885203e-15,  -5.4828310811468674e-14,
    1.0152652766306816e-13, -3.1165899173794433e-14, -1.1019610326139043e-13,
    5.497923018708371e-14};
}  // namespace log_table
TSC_INLINE Wide<double> log(Wide<double> x) {
  using W = Wide<double>;
  using C = ExpConstants<double>;
  // (log(1 + f) - f) / f^2 for -1/32 <= f <= 1/16; error of log 2^-56.
  constexpr double kPolynomial[] = {
      -0.08749086411778137, 0.11072082519998187,  -0.12501897634118816,
      0.1428581945036888,   -0.16666666114739254, 0.19999999927500572,
      -0.24999999999879438, 0.3333333333334769,   -0.5000000000000002};
  const W n{W::V{_mm512_getexp_pd(x.v.raw)}};
  const W m = mantissa(x);
  const Interval<double> i = interval<48>(m);
  const W f{hn::MulSub(m.v, pick(log_table::kInverse, i).v, W(1).v)};
  const W high = mul_add(n, W(C::kLn2High), pick(log_table::kHigh, i));
  const W low = mul_add(n, W(C::kLn2Low), pick(log_table::kLow, i));
  return high + (f + mul_add(f * f, polynomial_in_pairs(kPolynomial, f), low));
}

// Of floats in three bases, by the same intervals. unit: the logarithm of e, two: that of 2, each in two
// parts, of which the product of n with the upper is exact.
struct FloatLog {
  alignas(64) float high[16];
  alignas(64) float low[16];
  // (log(1 + f) - f unit) / f^2 for -1/32 <= f <= 1/16; error of log 2^-28.
  float polynomial[4];
  float unit[2];
  float two[2];
};
inline constexpr FloatLog kLogOfFloat = {
    {0.0f, 0.0898590087890625f, 0.1447601318359375f, 0.1980743408203125f, 0.246856689453125f,
     0.2955322265625f, 0.3411712646484375f, 0.3832550048828125f, 0.42718505859375f,
     0.466888427734375f, 0.5049896240234375f, 0.541229248046875f, 0.5788421630859375f,
     0.6107025146484375f, 0.64361572265625f, 0.693145751953125f},
    {0.0f, -2.6796672e-06f, -5.2768414e-06f, -4.4270582e-06f, 3.3884785e-06f, -6.9766497e-06f,
     -5.0724566e-07f, -2.3020457e-06f, -1.426531e-06f, -4.9258247e-06f, -6.275882e-06f,
     1.8904873e-06f, 2.4619396e-07f, 9.967005e-07f, -2.4772187e-06f, 1.4286068e-06f},
    {1.8854156e-01f, -2.5006685e-01f, 3.333445e-01f, -0.5f},
    {1.0f, 0.0f},
    {0.693145751953125f, 1.4286068e-06f}};
inline constexpr FloatLog kLog2OfFloat = {
    {0.0f, 0.129638671875f, 0.208831787109375f, 0.2857513427734375f, 0.35614013671875f,
     0.4263458251953125f, 0.4922027587890625f, 0.55291748046875f, 0.616302490234375f,
     0.6735687255859375f, 0.7285308837890625f, 0.7808380126953125f, 0.8350982666015625f,
     0.8810577392578125f, 0.9285430908203125f, 1.0f},
    {0.0f, -3.3914584e-06f, 5.3243357e-06f, 3.1395605e-06f, 3.6735066e-06f, 6.9873113e-06f,
     2.6010123e-06f, -7.066784e-07f, -6.7827086e-06f, 1.7872918e-06f, 6.0883067e-06f,
     -6.5331574e-06f, -5.193277e-06f, 1.1880187e-06f, -5.453377e-06f, 0.0f},
    {2.7200797e-01f, -3.607702e-01f, 4.8091447e-01f, -7.213475e-01f},
    {1.442695f, 1.925963e-08f},
    {1.0f, 1e-30f}};  // not zero, because n may be infinite
inline constexpr FloatLog kLog10OfFloat = {
    {0.0f, 0.0390167236328125f, 0.0628662109375f, 0.0860137939453125f, 0.107208251953125f,
     0.1283416748046875f, 0.148162841796875f, 0.16644287109375f, 0.185516357421875f,
     0.2027587890625f, 0.2193145751953125f, 0.23504638671875f, 0.2513885498046875f,
     0.265228271484375f, 0.279510498046875f, 0.301025390625f},
    {0.0f, 7.384269e-06f, 2.381526e-08f, 6.8766326e-06f, 1.7176948e-06f, 3.3104955e-06f,
     5.73553e-06f, 1.662923e-06f, 7.136742e-06f, 6.1395085e-06f, -3.0936444e-06f, 7.310181e-06f,
     -4.8556285e-07f, -3.1064267e-06f, 7.1829268e-06f, 4.605039e-06f},
    {8.188256e-02f, -1.0860265e-01f, 1.4476968e-01f, -2.1714725e-01f},
    {4.342945e-01f, -1.010305e-08f},
    {0.301025390625f, 4.605039e-06f}};
alignas(64) inline constexpr float kInverseOfFloat[16] = {
    1.0f,         0.9140625f,   0.865234375f, 0.8203125f,   0.78125f,     0.744140625f,
    0.7109375f,   0.681640625f, 0.65234375f,  0.626953125f, 0.603515625f, 0.58203125f,
    0.560546875f, 0.54296875f,  0.525390625f, 0.5f};
TSC_INLINE Wide<float> log_by_table(const FloatLog& table, Wide<float> x) {
  using W = Wide<float>;
  const W n{W::V{_mm512_getexp_ps(x.v.raw)}};
  const W m = mantissa(x);
  const Interval<float> i = interval<19>(m);
  const W f{hn::MulSub(m.v, pick(kInverseOfFloat, i).v, W(1).v)};
  const W high = mul_add(n, W(table.two[0]), pick(table.high, i));
  const W low = mul_add(n, W(table.two[1]), pick(table.low, i));
  const W rest = mul_add(f * f, polynomial(table.polynomial, f), low);
  if (table.unit[0] == 1) return high + (f + rest);
  return high + mul_add(f, W(table.unit[0]), mul_add(f, W(table.unit[1]), rest));
}
TSC_INLINE Wide<float> log(Wide<float> x) { return log_by_table(kLogOfFloat, x); }
TSC_INLINE Wide<float> log2(Wide<float> x) { return log_by_table(kLog2OfFloat, x); }
TSC_INLINE Wide<float> log10(Wide<float> x) { return log_by_table(kLog10OfFloat, x); }
#else
template <class T>
TSC_INLINE Wide<T> log(Wide<T> x) {
  using W = Wide<T>;
  using C = ExpConstants<T>;
  const auto [n, f, rest] = log_parts(x);
  const W result = mul_add(n, W(C::kLn2High), f + mul_add(n, W(C::kLn2Low), rest));
  return finish_log(x, result, [](W special) { return sleef_log(special); });
}

// In the other bases f's product with the factor is made of parts, of which the first, with the
// upper bits of both, is exact.
TSC_INLINE Wide<float> scaled_log(Wide<float> f, Wide<float> rest, float high, float low) {
  using W = Wide<float>;
  const W upper = {
      hn::BitCast(W::D(), hn::And(hn::BitCast(hn::RebindToUnsigned<W::D>(), f.v),
                                  hn::Set(hn::RebindToUnsigned<W::D>(), 0xfffff000u)))};
  const W lower = (f - upper) + rest;
  return mul_add(upper, W(high), mul_add(lower, W(high), (upper + lower) * W(low)));
}
TSC_INLINE Wide<float> log2(Wide<float> x) {
  using W = Wide<float>;
  const auto [n, f, rest] = log_parts(x);
  const W result = n + scaled_log(f, rest, 0x1.7160000000000p+0f, -1.760528610e-04f);
  return finish_log(x, result, [](W special) { return sleef_log2(special); });
}
TSC_INLINE Wide<float> log10(Wide<float> x) {
  using W = Wide<float>;
  const auto [n, f, rest] = log_parts(x);
  // log10(2) in two parts.
  const W fraction = mul_add(n, W(4.605038981e-06f),
                             scaled_log(f, rest, 0x1.bcc0000000000p-2f, -3.168997175e-05f));
  const W result = mul_add(n, W(0x1.3440000000000p-2f), fraction);
  return finish_log(x, result, [](W special) { return sleef_log10(special); });
}
#endif

#if HWY_TARGET <= HWY_AVX2
// The logarithm of 1 + f times high + low, added to a larger number: both products and the sum in two
// parts, with fused multiply-add.
TSC_INLINE Wide<double> add_scaled_log(Wide<double> whole, Wide<double> whole_rest,
                                       LogParts<double> parts, double high, double low) {
  using W = Wide<double>;
  const W product = parts.f * W(high);
  const W product_rest = W{hn::MulSub(parts.f.v, W(high).v, product.v)} +
                         mul_add(parts.f, W(low), parts.rest * W(high));
  const W sum = whole + product;
  return sum + ((product - (sum - whole)) + (product_rest + whole_rest));
}
TSC_INLINE Wide<double> log2(Wide<double> x) {
  using W = Wide<double>;
  const LogParts<double> parts = log_parts(x);
  const W result =
      add_scaled_log(parts.n, W(0), parts, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
  return finish_log(x, result, [](W special) { return sleef_log2(special); });
}
TSC_INLINE Wide<double> log10(Wide<double> x) {
  using W = Wide<double>;
  const LogParts<double> parts = log_parts(x);
  // log10(2) in two parts, the first with zeros at its end.
  const W result =
      add_scaled_log(parts.n * W(0x1.34413509f7000p-2), parts.n * W(0x1.3fde623e2566bp-43), parts,
                     0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
  return finish_log(x, result, [](W special) { return sleef_log10(special); });
}
#else
TSC_INLINE Wide<double> log2(Wide<double> x) { return sleef_log2(x); }
TSC_INLINE Wide<double> log10(Wide<double> x) { return sleef_log10(x); }
#endif

// 1 + x is rounded; what is lost joins the fraction, or is the last term of the logarithm.
TSC_INLINE Wide<float> log1p(Wide<float> x) {
  using W = Wide<float>;
  using C = ExpConstants<float>;
  const W::D d;
  const hn::RebindToSigned<W::D> di;
  const W u = W(1) + x;
  const W lost = select(x > W(1), W(1) - (u - x), x - (u - W(1)));
  const auto [n, upper, unused] = log_parts(u);
  // 2^-n, of n from -24 to 127.
  const auto exponent = hn::Max(hn::Zero(di), hn::Sub(hn::Set(di, 127), hn::ConvertTo(di, n.v)));
  const W power{hn::BitCast(d, hn::ShiftLeft<23>(exponent))};
  const W f = mul_add(lost, power, upper);
  const W f_lost = mul_add(lost, power, upper - f);
  const W sum = mul_add(n, W(C::kLn2High), f);
  const W sum_lost = mul_add(n, W(C::kLn2High), -sum) + f;
  const W result = sum + (sum_lost + mul_add(n, W(C::kLn2Low), log_rest(f) + f_lost));
  // Tiny numbers are their own logarithms, and zeros keep their signs.
  const W all = select(abs(x) < W(0x1p-26f), x, result);
  return finish_log(select(x > W(-1), x + W(2), x), all,
                    [&](W) { return select(x > W(0x1p60f), log(x), sleef_log1p(x)); });
}
TSC_INLINE Wide<double> log1p(Wide<double> x) {
  using W = Wide<double>;
  using C = ExpConstants<double>;
  const W::D d;
  const hn::RebindToSigned<W::D> di;
  const W u = W(1) + x;
  const W lost = select(x > W(1), W(1) - (u - x), x - (u - W(1)));
  const SplitDouble split = split_double(u);
  const W n = split.n();
  // 2^-n, of n from -53 to 1023.
  const W power{hn::BitCast(d, hn::Sub(hn::Set(di, int64_t{1023} << 52), split.exponent))};
  const W f = mul_add(lost, power, split.f);
  const W f_lost = mul_add(lost, power, split.f - f);
  const W sum = mul_add(n, W(C::kLn2High), f);
  const W sum_lost = mul_add(n, W(C::kLn2High), -sum) + f;
  const W result = sum + (sum_lost + mul_add(n, W(C::kLn2Low), log_rest(f) + f_lost));
  const W all = select(abs(x) < W(0x1p-54), x, result);
  return finish_log(select(x > W(-1), x + W(2), x), all,
                    [&](W) { return select(x > W(0x1p60), log(x), sleef_log1p(x)); });
}

// Of x from 0 to 1, as exponentials of negative numbers are.
template <class T>
TSC_INLINE Wide<T> log1p_of_fraction(Wide<T> x) {
  using W = Wide<T>;
  using C = ExpConstants<T>;
  const Mask<T> doubled = x > W(0.41421356237309504880);
  const W n = select(doubled, W(1), W(0));
  const W f = select(doubled, (x - W(1)) * W(0.5), x);
  return mul_add(n, W(C::kLn2High), f + mul_add(n, W(C::kLn2Low), log_rest(f)));
}

// SLEEF's are infinite, or not a number, where their intermediate results are.

template <class T>
TSC_INLINE Wide<T> asinh(Wide<T> x) {
  using W = Wide<T>;
  const W size = abs(x);
  const W large = copysign(log(size) + W(0.693147180559945309417), x);
  return select(size > W(0x1p28), large, sleef_asinh(x));
}

template <class T>
TSC_INLINE Wide<T> acosh(Wide<T> x) {
  using W = Wide<T>;
  return select(x > W(0x1p28), log(x) + W(0.693147180559945309417), sleef_acosh(x));
}

}  // namespace tsc::cpu::TSC_ISA
