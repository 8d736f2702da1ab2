#pragma once
// Inverse circular functions, erfc, and special functions of vectors. Floats whose function needs
// more than their own precision compute in double, which rounds their results correctly but for
// rare ties.
//
// Polynomials and quotients of them are minimax fits, or near them, with their errors beside them.

#include "ops/cpu/fast_math.h"
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
TSC_INLINE Wide<double> asin(Wide<double> x) { return sleef_asin(x); }
TSC_INLINE Wide<double> acos(Wide<double> x) { return sleef_acos(x); }

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
TSC_INLINE Wide<double> erfc(Wide<double> x) { return sleef_erfc(x); }

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
  // p as a quotient of polynomials in 1 - x^2; error of erfinv 2^-58.
  constexpr double kCentreUpper[] = {-20.146327864352056, -362.2457836597377, -1212.574157702801,
                                     -814.2049096550872,  381.6315201046379,  336.6802858520656,
                                     48.228163296130134,  1.207218039785414};
  constexpr double kCentreLower[] = {
      23.80704990148328,  601.9187993962067, 3263.6719520542183, 5773.346146980944,
      3783.8985632650765, 910.5349740730966, 68.99694133095066,  1.0};
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
  const W size = abs(x);
  const W u = W(1) - x * x;
  const W small = mul_add(polynomial(kCentreUpper, u) / polynomial(kCentreLower, u), size, size);
  const W minus_log = -log((W(1) - size) * W(0.5));
  const W root = sqrt(minus_log);
  const W lost = mul_add(-root, root, minus_log) / (root + root);
  const W tail = (root - W(0.5)) + (lost + polynomial(kUpper, root) / polynomial(kLower, root));
  const W infinity(std::numeric_limits<double>::infinity());
  const W nan(std::numeric_limits<double>::quiet_NaN());
  W large = select(size == W(1), infinity, tail);
  large = select(size > W(1), nan, large);
  return copysign(select(size > W(0.75), large, small), x);
}

// The logarithmic derivative of the gamma function: Stirling's series from 10 on, below it by
// recurrence, two steps a division, and for negative numbers by reflection.
TSC_INLINE Wide<double> digamma(Wide<double> x) {
  using W = Wide<double>;
  // B(2k) / (2k).
  constexpr double kSeries[] = {1.0 / 12,  -691.0 / 32760, 1.0 / 132, -1.0 / 240,
                                1.0 / 252, -1.0 / 120,     1.0 / 12};
  constexpr double kPi = 3.14159265358979323846;
  const typename W::D d;
  const Mask<double> negative = x < W(0);
  W t = select(negative, W(1) - x, x);
  W steps(0);
  for (Mask<double> below = t < W(10); !hn::AllFalse(d, below.m); below = t < W(10)) {
    const W next = t + W(1);
    steps = select(below, steps + (t + next) / (t * next), steps);
    t = select(below, t + W(2), t);
  }
  const W z = W(1) / (t * t);
  const W series = mul_add(z, polynomial(kSeries, z), W(0.5) / t);
  W result = log(t) - series - steps;
  if (!hn::AllFalse(d, negative.m)) {
    const W fraction = x - trunc(x);
    const W reflected = result - W(kPi) / tan(W(kPi) * fraction);
    const W nan(std::numeric_limits<double>::quiet_NaN());
    result = select(negative, select(fraction == W(0), nan, reflected), result);
  }
  const W infinity(std::numeric_limits<double>::infinity());
  return select(x == W(0), copysign(infinity, -x), result);
}
TSC_INLINE Wide<float> digamma(Wide<float> x) {
  return in_doubles(x, [](Wide<double> part) { return digamma(part); });
}

// The next number towards another. Without its sign, a number's bits count upwards from 0.
template <class T>
TSC_INLINE Wide<T> nextafter(Wide<T> from, Wide<T> to) {
  using W = Wide<T>;
  const typename W::D d;
  const hn::RebindToSigned<typename W::D> di;
  const Mask<T> outwards = (from < to) == (from > W(0));
  const auto bits = hn::BitCast(di, from.v);
  const auto one = hn::Set(di, 1);
  const W stepped = select(outwards, W{hn::BitCast(d, hn::Add(bits, one))},
                           W{hn::BitCast(d, hn::Sub(bits, one))});
  const W least = copysign(W{hn::BitCast(d, one)}, to);
  const W moved = select(from == W(0), least, stepped);
  return select(is_nan(from) || is_nan(to), from + to, select(from == to, to, moved));
}

}  // namespace tsc::cpu::TSC_ISA
