#pragma once
// Inverse circular functions, erfc, and special functions of vectors. Floats whose function needs
// more than their own precision compute in double, which rounds their results correctly but for
// rare ties.
//
// Polynomials and quotients of them are minimax fits, or near them, with their errors beside them.

#include "ops/cpu/erf_tables.h"
#include "ops/cpu/log_math.h"
#include "ops/cpu/trig_math.h"

namespace tsc::cpu::TSC_ISA {

// asin and acos of floats. With |x| <= 1/2, asin(x) = x + x^3 p(x^2); otherwise z = (1 - |x|) / 2
// and the angle is pi/2 - 2 asin(sqrt(z)). Differences from pi/2 keep what their rounding loses, so
// that the results err by less than 0.6 units in the last place.
namespace arc {

constexpr float kHalfPi = 0x1.921fb6p+0f;
constexpr float kHalfPiRest = -4.37113900e-8f;

// asin(s) = s + rest, of s = sqrt(z) with what the root loses.
struct Parts {
  Wide<float> root;
  Wide<float> rest;
};
// (asin(s) - s) / s^3 for s^2 <= 1/4; error of asin 2^-31.
TSC_INLINE Wide<float> cubic(Wide<float> square) {
  constexpr float kPolynomial[] = {3.75293080457e-2f, 1.44298906376e-2f, 3.18098988954e-2f,
                                   4.45167097524e-2f, 7.50050537660e-2f, 1.66666599728e-1f};
  return polynomial(kPolynomial, square);
}
TSC_INLINE Parts near_one(Wide<float> size) {
  using W = Wide<float>;
  const W z = (W(1) - size) * W(0.5f);
  const W root = sqrt(z);
  const W lost = mul_add(-root, root, z) / select(root == W(0), W(1), root + root);
  return {root, mul_add(root * z, cubic(z), lost)};
}
// a - b + rest, with one rounding.
TSC_INLINE Wide<float> difference(Wide<float> a, Wide<float> b, Wide<float> rest) {
  const Wide<float> rounded = a - b;
  return rounded + (((a - rounded) - b) + rest);
}

}  // namespace arc

TSC_INLINE Wide<float> asin(Wide<float> x) {
  using W = Wide<float>;
  const W size = abs(x);
  const W square = x * x;
  const W small = mul_add(square * size, arc::cubic(square), size);
  const auto [root, rest] = arc::near_one(size);
  const W large =
      arc::difference(W(arc::kHalfPi), root + root, W(arc::kHalfPiRest) - (rest + rest));
  return copysign(select(size > W(0.5f), large, small), x);
}
TSC_INLINE Wide<float> acos(Wide<float> x) {
  using W = Wide<float>;
  const W size = abs(x);
  const W square = x * x;
  const W small =
      arc::difference(W(arc::kHalfPi), x, W(arc::kHalfPiRest) - square * x * arc::cubic(square));
  const auto [root, rest] = arc::near_one(size);
  const W left = arc::difference(W(arc::kHalfPi), root, W(arc::kHalfPiRest) - rest);
  const W half = select(x < W(0), left, root + rest);
  return select(size > W(0.5f), half + half, small);
}
#if HWY_TARGET <= HWY_AVX2
// The same for doubles: the angle is base + factor (v + rest), with v = |x| or the root.
namespace arc {

constexpr double kHalfPiOfDouble = 1.5707963267948966;
constexpr double kRestPerHalfPi = 3.8981718325193755e-17;  // what the former lacks, of itself

// asin(v) = v + rest for v = |x| <= 1/2 and the root otherwise.
struct DoubleParts {
  Mask<double> near_one;
  Wide<double> v;
  Wide<double> rest;
};
TSC_INLINE DoubleParts parts(Wide<double> size) {
  using W = Wide<double>;
  // (asin(s) - s) / s^3 for s^2 <= 1/4; error of asin 2^-58.
  constexpr double kPolynomial[] = {
      0.032716104278497644, -0.021020610220696623, 0.02162990682392144,  0.0037806902065646844,
      0.010748063017614985, 0.011407153975828251,  0.013979471033694386, 0.01735175662778279,
      0.022372204933026996, 0.03038194314457722,   0.04464285716363593,  0.07499999999984511,
      0.16666666666666702};
  const Mask<double> near_one = size > W(0.5);
  const W z = select(near_one, mul_add(size, W(-0.5), W(0.5)), size * size);
  const W root{hn::Sqrt(z.v)};
  const W remainder{hn::NegMulAdd(root.v, root.v, z.v)};
#if HWY_TARGET <= HWY_AVX3
  // 14 bits of the inverse root, finite for 0, too.
  const W inverse{W::V{_mm512_rsqrt14_pd((z + W(0x1p-900)).v.raw)}};
  const W lost = remainder * (inverse * W(0.5));
#else
  const W lost = remainder / (root + root + W(0x1p-900));
#endif
  const W v = select(near_one, root, size);
  return {near_one, v,
          mul_add(v * z, polynomial_in_pairs(kPolynomial, z), select(near_one, lost, W(0)))};
}
TSC_INLINE Wide<double> angle(Wide<double> base, Wide<double> factor, DoubleParts parts) {
  using W = Wide<double>;
  const W large = factor * parts.v;
  const W sum = base + large;
  const W lost = (base - sum) + large;
  return sum + (lost + mul_add(factor, parts.rest, base * W(kRestPerHalfPi)));
}

}  // namespace arc
TSC_INLINE Wide<double> asin(Wide<double> x) {
  using W = Wide<double>;
  const arc::DoubleParts parts = arc::parts(abs(x));
  const W base = select(parts.near_one, W(arc::kHalfPiOfDouble), W(0));
  return copysign(arc::angle(base, select(parts.near_one, W(-2), W(1)), parts), x);
}
TSC_INLINE Wide<double> acos(Wide<double> x) {
  using W = Wide<double>;
  const arc::DoubleParts parts = arc::parts(abs(x));
  const W half_pi(arc::kHalfPiOfDouble);
  // pi/2; near 1 and -1 it is 0 and pi.
  const W base = half_pi - select(parts.near_one, copysign(half_pi, x), W(0));
  const W factor = copysign(W(1), x) * select(parts.near_one, W(2), W(-1));
  return arc::angle(base, factor, parts);
}
#else
TSC_INLINE Wide<double> asin(Wide<double> x) { return sleef_asin(x); }
TSC_INLINE Wide<double> acos(Wide<double> x) { return sleef_acos(x); }
#endif

#if HWY_TARGET <= HWY_AVX3
// exp(-t^2) erfcx(t) for t = |x|, by a table and by polynomials about sixteen centres, and 2 less
// that for negative x. Floats sum what makes the product in two parts, and err by less than 0.9
// units in the last place.
namespace erfc_table {
alignas(64) inline constexpr float kPower[16] = {
    1.0F,       1.0442737F, 1.0905077F, 1.1387886F, 1.1892071F, 1.2418578F,
    1.2968396F, 1.3542556F, 1.4142135F, 1.4768262F, 1.5422108F, 1.6104903F,
    1.6817929F, 1.7562522F, 1.8340081F, 1.9152066F};  // 2^(i/16)
alignas(64) inline constexpr float kPowerRest[16] = {
    0.0F,          4.83347e-08F,    -1.307754e-08F,  5.3862223e-08F, 3.7976353e-08F,
    4.496838e-08F, -4.0189995e-08F, -1.0123349e-08F, 2.4203235e-08F, -4.500899e-08F,
    8.070905e-09F, 9.836217e-09F,   -2.4755327e-08F, -9.23577e-09F,  -1.1239278e-08F,
    9.845328e-09F};  // lost by rounding
}  // namespace erfc_table
TSC_INLINE Wide<float> erfc(Wide<float> x) {
  using W = Wide<float>;
  using C = ExpConstants<float>;
  constexpr float kRounder = 0x1.8p19F;  // to sixteenths
  // (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/32; error of exp 2^-29.
  constexpr float kExp[] = {0.16667058441052288F, 0.5000162179408224F};
  const W t = abs(x);
  const Interval<float> i = interval<21>(t + W(1));
  const W value = pick(kErfcxOfFloat.value, i);
  const W slope = pick(kErfcxSlopes, i);
  const W h = t - pick(kErfcxOfFloat.centre, i);
  const W bend = kErfcxOfFloat.rest(t, i);
  const W steep = slope + bend;
  const W steep_rest = (slope - steep) + bend;
  const W fit = mul_add(h, steep, value);
  const W fit_rest = mul_add(h, steep_rest, mul_add(h, steep, value - fit));

  const W square = t * t;
  const W square_rest{hn::MulSub(t.v, t.v, square.v)};
  const W rounded = mul_add(square, W(-C::kLog2E), W(kRounder));
  const W n = rounded - W(kRounder);
  const W reduced{hn::NegMulSub(n.v, W(C::kLn2High).v, square.v)};
  const W r = mul_add(n, W(-C::kLn2Low), reduced - square_rest);
  const W power_less = mul_add(r * r, polynomial(kExp, r), r);
  const Interval<float> sixteenths = interval<0>(rounded);
  const W power = pick(erfc_table::kPower, sixteenths);

  const W product = power * fit;
  const W lost = mul_add(power, fit_rest, W{hn::MulSub(power.v, fit.v, product.v)});
  const W rest = mul_add(pick(erfc_table::kPowerRest, sixteenths), fit, lost);
  const W tail = scale(t > W(10.1F), product + mul_add(product, power_less, rest), n);
  return select(x < W(0), W(2) - tail, tail);
}
// For doubles the product of two numbers from the tables is the larger part, which is rounded last.
TSC_INLINE Wide<double> erfc(Wide<double> x) {
  using W = Wide<double>;
  using C = ExpConstants<double>;
  const W t = abs(x);
  const Interval<double> i = interval<50>(t + W(2));
  const W value = pick(kErfcx.value, i);
  const W h = t - pick(kErfcx.centre, i);
  const W slope = polynomial(kErfcx.coefficients, i, h);  // erfcx(t) = value + h slope

  const W square = t * t;
  const W square_rest{hn::MulSub(t.v, t.v, square.v)};
  const W rounded = mul_add(square, W(-C::kLog2E), W(exp_table::kRounder));
  const W n = rounded - W(exp_table::kRounder);
  const W reduced{hn::NegMulSub(n.v, W(C::kLn2High).v, square.v)};
  const W power_less = exp_table::less_one(mul_add(n, W(-C::kLn2Low), reduced - square_rest));
  const Interval<double> sixteenths = interval<0>(rounded);
  const W power = pick(exp_table::kPower, sixteenths);

  const W less = mul_add(h, slope, power_less * mul_add(h, slope, value));
  const W rest = mul_add(power, less, pick(exp_table::kPowerRest, sixteenths) * value);
  const W sum = mul_add(power, value, rest);
  const W tail = scale(t > W(27.5), sum, n);
  return select(x < W(0), W(2) - tail, tail);
}

// log(erfc(-x / sqrt(2)) / 2). For x < -1 it is log(erfcx(t) / 2) - x^2 / 2 with t = -x / sqrt(2), where
// erfcx(t) is by the table or, from 27 on, by its series in 1 / t^2.
TSC_INLINE Wide<double> log_ndtr(Wide<double> x) {
  using W = Wide<double>;
  constexpr double kPerRootOfTwo = 0.7071067811865476;
  const W t = x * W(kPerRootOfTwo);
  const Mask<double> is_low = x < W(-1);
  const W near = log1p(erfc(t) * W(-0.5));
  if (hn::AllFalse(W::D(), is_low.m)) return near;
  constexpr double kHalfPerRootOfPi = 0.28209479177387814;
  constexpr double kSeries[] = {6.5625, -1.875, 0.75, -0.5, 1.0};
  const W size = -t;
  const Interval<double> i = interval<50>(size + W(2));
  const W scaled = pick(kErfcx.value, i) + kErfcx.rest(size, i);
  const W inverse = W(1) / size;
  const W tail = inverse * W(kHalfPerRootOfPi) * polynomial(kSeries, inverse * inverse);
  const W half = select(size < W(27), scaled * W(0.5), tail);
  return select(is_low, mul_add(x * W(-0.5), x, log(half)), near);
}
TSC_INLINE Wide<float> log_ndtr(Wide<float> x) {
  return in_doubles(x, [](Wide<double> part) { return log_ndtr(part); });
}
#else
// exp(-t^2) erfcx(t) for t = |x|, 2 less that for negative x.
TSC_INLINE Wide<double> erfc_of_float(Wide<double> x) {
  using W = Wide<double>;
  using C = ExpConstants<double>;
  // erfcx(t) for t <= 10.1, relative error 2^-36.
  constexpr double kUpper[] = {0.003399622644226268, 0.03813046787038115, 0.2053244424065272,
                               0.6639611737935635,   1.3534428912454783,  1.6630456357260481,
                               1.0000000000071496};
  constexpr double kLower[] = {
      0.006025673978190424, 0.06758451187528809, 0.3669404322273787, 1.2106416805711309,
      2.577759433866067,    3.503228457959041,   2.791424803961833,  1.0};
  // (exp(r) - 1 - r) / r^2, error of exp 2^-39.
  constexpr double kExp[] = {2.4887567744611992e-05, 0.00019909233444415463, 0.0013888796512341126,
                             0.008333281286587379,   0.04166666705372751,    0.16666666786574733,
                             0.4999999999951981};
  const W size = abs(x);
  // Min gives its second operand for NaN.
  const W t{hn::Min(W(11.0).v, size.v)};
  const W power = -(t * t);
  const W rounded = mul_add(power, W(C::kLog2E), W(C::kRounder));
  W r = mul_add(rounded - W(C::kRounder), W(-C::kLn2High), power);
  r = mul_add(rounded - W(C::kRounder), W(-C::kLn2Low), r);
  const W fraction = mul_add(r * r, polynomial(kExp, r), r) + W(1);
  const W tail = fraction * power_of_two(rounded) * polynomial(kUpper, t) / polynomial(kLower, t);
  return select(x < W(0), W(2) - tail, tail);
}
TSC_INLINE Wide<float> erfc(Wide<float> x) {
  return in_doubles(x, [](Wide<double> part) { return erfc_of_float(part); });
}
// The same for doubles, where erfcx(t) (1 + 2t) is a polynomial in q = (t - 4) / (t + 4), error 2^-54,
// and the upper bits of t have an exact square. The three factors are summed in two parts, so that
// the result errs by little more than its rounding. Near 0 it is 1 less erf.
TSC_INLINE Wide<double> erfc(Wide<double> x) {
  using W = Wide<double>;
  using C = ExpConstants<double>;
  // Without the constant, which is in two parts.
  constexpr double kPolynomial[] = {
      -1.784667607786614e-09, -1.3842371143921413e-08, -8.484311298805293e-09,
      1.15172066542067e-07,   6.44738931469447e-08,    -8.339768774304177e-07,
      2.9960242290853543e-07, 5.7162775368228125e-06,  -1.1223867117295805e-05,
      -2.440208301478875e-05, 0.00015062197254593247,  -0.00019925593130243642,
      -0.0007577732996356492, 0.005031969855051475,    -0.016197734061384132,
      0.03716751554885205,    -0.06633036581169274,    0.09373283499781569,
      -0.1010390660363293,    0.0680970542547023,      0.01537965210262011,
      -0.13962111684056253};
  constexpr double kConstant = 1.2329951186255526;
  constexpr double kConstantRest = -4.625318921008717e-17;
  const W::D d;
  const hn::RebindToUnsigned<W::D> du;
  const W size = abs(x);
  const W t = select(size > W(28), W(28), size);
  const W q = (t - W(4)) / (t + W(4));
  const W terms = polynomial(kPolynomial, q) * q;
  const W fit = terms + W(kConstant);
  const W fit_rest = ((W(kConstant) - fit) + terms) + W(kConstantRest);

  const W upper{hn::BitCast(d, hn::And(hn::BitCast(du, t.v), hn::Set(du, ~uint64_t{0} << 27)))};
  const W lower = (t - upper) * (t + upper);
  const auto [reduced, rounded] = reduce_power(-(upper * upper));
  const W r = reduced - lower;
  const W power_less = mul_add(r * r, polynomial(C::kPolynomial, r), r);
  const W power = power_less + W(1);
  const W power_rest = (W(1) - power) + power_less;

  const W twice = t + t;
  const W below = twice + W(1);
  const W below_rest = select(twice > W(1), (twice - below) + W(1), (W(1) - below) + twice);
  const W above = power * fit;
  const W above_rest = mul_add(power, fit, -above) + mul_add(power, fit_rest, power_rest * fit);
  const W inverse = W(1) / below;
  const W first = above * inverse;
  const W rest = mul_add(-first, below, above) + mul_add(-first, below_rest, above_rest);
  const W scaled = mul_add(rest, inverse, first);
  const W tail = scale(t > W(27.5), scaled, rounded - W(C::kRounder));
  return select(size < W(0.5), W(1) - small_erf(x), select(x < W(0), W(2) - tail, tail));
}
#endif

TSC_INLINE Wide<double> erfinv_centre(Wide<double> x) {
  using W = Wide<double>;
  // p as a quotient of polynomials in 1 - x^2; error of erfinv 2^-58.
  constexpr double kCentreUpper[] = {-20.146327864352056, -362.2457836597377, -1212.574157702801,
                                     -814.2049096550872,  381.6315201046379,  336.6802858520656,
                                     48.228163296130134,  1.207218039785414};
  constexpr double kCentreLower[] = {
      23.80704990148328,  601.9187993962067, 3263.6719520542183, 5773.346146980944,
      3783.8985632650765, 910.5349740730966, 68.99694133095066,  1.0};
  const W size = abs(x);
  const W u = W(1) - x * x;
  return copysign(mul_add(polynomial(kCentreUpper, u) / polynomial(kCentreLower, u), size, size),
                  x);
}
// The positive number behind which erf leaves twice the tail, which is below 1/8 and not 0.
TSC_INLINE Wide<double> erfinv_tail(Wide<double> tail) {
  using W = Wide<double>;
  // e(r) for 1.44 <= r <= 6.2, error 2^-62.
  constexpr double kUpper[] = {0.0003989959821864233, 0.03642541288258271, 0.7548959964644316,
                               4.804993340447658,     8.625276766797223,   -7.6679031096105525,
                               -50.413761502616275,   -70.44927978382795,  -28.011939386503805,
                               -2.1129059027920065};
  constexpr double kLower[] = {0.0008011309248122859, 0.07832531732932627,
                               1.905613757874783,     17.08153433501947,
                               69.36445805254114,     150.38558109892853,
                               182.56995324006735,    107.35700659101532,
                               22.861313071127643,    1.0};
  // For 6 <= r <= 27.4, error 2^-55.
  constexpr double kFarUpper[] = {
      7.59991326085948e-09, 3.612266341146297e-06, 0.00041995429819632196,
      0.016803564136212257, 0.24827939634162424,   1.143911160719073,
      -0.4092508570025518,  -6.424625312664866,    -1.844100257832248};
  constexpr double kFarLower[] = {
      1.521204371399549e-08, 7.352699364403455e-06, 0.0008888532243459892,
      0.03850990342722396,   0.6726464868364663,    4.768828667907713,
      12.425368738040072,    8.899543487220887,     1.0};
  const W minus_log = -log(tail);
  const W root = sqrt(minus_log);
  const W lost = mul_add(-root, root, minus_log) / (root + root);
  W rest = polynomial(kUpper, root) / polynomial(kLower, root);
  const Mask<double> far = root > W(6.1);
  if (!hn::AllFalse(W::D(), far.m)) {
    rest = select(far, polynomial(kFarUpper, root) / polynomial(kFarLower, root), rest);
  }
  return (root - W(0.5)) + (lost + rest);
}
#if HWY_TARGET <= HWY_AVX3
// erfinv(x) / x is a smooth function of log(1 - x^2). For intervals of 1 - x^2 of at most an octave
// it is a polynomial in the mantissa.
TSC_INLINE Wide<float> erfinv(Wide<float> x) {
  const Wide<float> v{hn::NegMulAdd(x.v, x.v, Wide<float>(1).v)};
  const Interval<float> octave = interval<23>(v);
  const Wide<float> rest = kErfinvOfFloat.rest(mantissa(v), octave);
  return mul_add(x, pick(kErfinvOfFloat.value, octave), x * rest);
}
// Where 1 - x^2 < 2^-8 a polynomial in its logarithm w, by the intervals of w + 8.
inline Wide<double> __attribute__((noinline))
replace_far_erfinv(Mask<double> far, Wide<double> x, Wide<double> near) {
  using W = Wide<double>;
  const W v{hn::NegMulAdd(x.v, x.v, W(1).v)};
  const W w = -log(v);
  const Interval<double> i = interval<50>(w + W(8));
  const W finite = mul_add(x, pick(kErfinvFar.value, i), x * kErfinvFar.rest(w, i));
  const W infinite = x * W(std::numeric_limits<double>::infinity());
  return select(far, select(v == W(0), infinite, finite), near);
}
TSC_INLINE Wide<double> erfinv(Wide<double> x) {
  using W = Wide<double>;
  // Below 1, which would count to the next octave.
  const W v{hn::NegMulAdd(x.v, x.v, W(1 - 0x1p-53).v)};
  const Interval<double> i = interval<51>(v);
  const W near = mul_add(x, pick(kErfinvNear.value, i), x * kErfinvNear.rest(mantissa(v), i));
  const Mask<double> far = v < W(0x1p-8);
  const W result = hn::AllFalse(W::D(), far.m) ? near : replace_far_erfinv(far, x, near);
  return copysign(result, x);  // for -0
}
#else
// The inverse of erf: x + x p(x^2) for |x| <= 3/4; otherwise with r = sqrt(-log((1 - |x|) / 2)) it
// is r - 1/2 + e(r), where r - 1/2 is exact.
TSC_INLINE Wide<float> erfinv(Wide<float> x) {
  using W = Wide<float>;
  // Error of erfinv 2^-27.
  constexpr float kCentre[] = {7.81080862882e-01f,  -1.37557210401e+00f, 1.21019385938e+00f,
                               -5.01952128784e-01f, 2.01811983562e-01f,  4.03982053794e-02f,
                               8.88254700009e-02f,  1.27450401189e-01f,  2.32015562763e-01f,
                               -1.13773080133e-01f};
  // e(r) for 1.44 <= r <= 4.17, error 2^-27.
  constexpr float kUpper[] = {2.12179623828e-01f, 9.70400767629e-01f, -2.33792634339e+00f,
                              -1.58277741357e+00f};
  constexpr float kLower[] = {4.37026706683e-01f, 3.98210975651e+00f, 5.05736410985e+00f,
                              1.00000000000e+00f};
  using C = ExpConstants<float>;
  const W size = abs(x);
  const W square = x * x;
  const W small = mul_add(polynomial(kCentre, square), size, size);
  // The logarithm in two parts, and the root with what its rounding loses.
  const auto [n, f, rest] = log_parts((W(1) - size) * W(0.5f));
  const W first = n * W(-C::kLn2High);
  const W fraction = f + rest;
  const W upper = first - fraction;
  const W lower = (((first - upper) - fraction) - ((f - fraction) + rest)) - n * W(C::kLn2Low);
  const W root = sqrt(upper);
  const W root_rest = (mul_add(-root, root, upper) + lower) / (root + root);
  const W r = root + root_rest;
  const W tail = (root - W(0.5f)) + (root_rest + polynomial(kUpper, r) / polynomial(kLower, r));
  const W infinity(std::numeric_limits<float>::infinity());
  const W nan(std::numeric_limits<float>::quiet_NaN());
  W large = select(size == W(1), infinity, tail);
  large = select(size > W(1), nan, large);
  return copysign(select(size > W(0.75f), large, small), x);
}
TSC_INLINE Wide<double> erfinv(Wide<double> x) {
  using W = Wide<double>;
  const W size = abs(x);
  const W small = erfinv_centre(x);
  const Mask<double> far = size > W(0.75);
  if (hn::AllFalse(W::D(), far.m)) return small;
  const W infinity(std::numeric_limits<double>::infinity());
  const W nan(std::numeric_limits<double>::quiet_NaN());
  W large = select(size == W(1), infinity, erfinv_tail((W(1) - size) * W(0.5)));
  large = select(size > W(1), nan, large);
  return copysign(select(far, large, small), x);
}
#endif

// The number below which the normal distribution has this probability.
TSC_INLINE Wide<double> ndtri(Wide<double> p) {
  using W = Wide<double>;
  constexpr double kSqrt2 = 1.41421356237309504880;
  const W x = p + p - W(1);
  W result = erfinv_centre(x);
  const Mask<double> far = abs(x) > W(0.75);
  if (!hn::AllFalse(W::D(), far.m)) {
    const W tail = select(p < W(0.5), p, W(1) - p);
    const W infinity(std::numeric_limits<double>::infinity());
    const W nan(std::numeric_limits<double>::quiet_NaN());
    W large = select(tail == W(0), infinity, erfinv_tail(tail));
    large = select(tail < W(0), nan, large);
    result = select(far, copysign(large, x), result);
  }
  return result * W(kSqrt2);
}
TSC_INLINE Wide<float> ndtri(Wide<float> p) {
  return in_doubles(p, [](Wide<double> part) { return ndtri(part); });
}

// The next number towards another. Without its sign, a number's bits count upwards from 0, by `step`
// for numbers of a narrower type in floats: 2^16 for bfloat16 and 2^13 for float16, whose exponents
// end earlier, too.
template <class T>
TSC_INLINE Wide<T> nextafter(Wide<T> from, Wide<T> to, Wide<T> step) {
  using W = Wide<T>;
  const typename W::D d;
  const hn::RebindToSigned<typename W::D> di;
  const Mask<T> outwards = (from < to) == (from > W(0));
  const auto bits = hn::BitCast(di, from.v);
  const auto one = hn::ConvertTo(di, step.v);
  const W stepped = select(outwards, W{hn::BitCast(d, hn::Add(bits, one))},
                           W{hn::BitCast(d, hn::Sub(bits, one))});
  const W least = copysign(W{hn::BitCast(d, one)}, to);
  W moved = select(from == W(0), least, stepped);
  if constexpr (std::is_same_v<T, float>) {
    constexpr float kLeastHalf = 0x1p-24F;
    const Mask<T> is_half = step == W(0x1p13F);
    const W up = from + select(from < to, W(kLeastHalf), W(-kLeastHalf));
    const W apart = select(from == W(0), up, copysign(up, from));
    moved = select(is_half && abs(from) <= W(0x1p-14F), apart, moved);
    moved = select(is_half && abs(from) > W(65504.0F), copysign(W(65504.0F), from), moved);
  }
  return select(is_nan(from) || is_nan(to), from + to, select(from == to, to, moved));
}

}  // namespace tsc::cpu::TSC_ISA
