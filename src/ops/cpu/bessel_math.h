#pragma once
// Modified Bessel functions of the first kind of vectors, of order 0 and 1, and the same times
// exp(-|x|). Up to 8 they are polynomials in x^2 / 4, and beyond it polynomials in 16 / x - 1 times
// exp(|x|) / sqrt(|x|). Floats compute in double with shorter ones.

#include "ops/cpu/fast_math.h"

namespace tsc::cpu::TSC_ISA {
namespace bessel {

// I0 and I1 / (x / 2), and behind 8 exp(-x) sqrt(x) times both. Errors 2^-37 and 2^-54.
struct OfFloat {
  static constexpr double kSmall0[] = {
      8.008129540710816e-18, 4.4354521629047e-16,   8.109645077326972e-14, 7.502613866109468e-12,
      6.162032925775774e-10, 3.935881793983763e-08, 1.929060824170048e-06, 6.944426557484554e-05,
      0.001736111533897476,  0.027777777183973045,  0.2500000004327697,    0.9999999998762107,
      1.000000000005861};
  static constexpr double kLarge0[] = {
      -7.135532891013525e-09, -8.16161592079868e-09, 1.9358322897480605e-08, 4.998632595965992e-08,
      9.003168064466456e-08,  2.935545878665788e-07, 1.4835893730425003e-06, 1.1143643929195183e-05,
      0.00013621608769393353, 0.0033605519544674905, 0.40217650944500954};
  static constexpr double kSmall1[] = {
      5.905300851024598e-19,  3.949956497295162e-17, 7.261294476422638e-15, 7.530734908670002e-13,
      6.842155095125045e-11,  4.920342874452987e-09, 2.75576541588554e-07,  1.1574061720788167e-05,
      0.00034722225141306756, 0.0069444444034538425, 0.08333333336320377,   0.49999999999145645,
      1.0000000000004046};
  static constexpr double kLarge1[] = {
      7.602531149072951e-09,   8.430339991369362e-09,   -2.1432054848996423e-08,
      -5.474555089565225e-08,  -1.0125041709652596e-07, -3.4419855408613094e-07,
      -1.8346619751803371e-06, -1.5039222342091152e-05, -0.000219235776681896,
      -0.009749577160846432,   0.3893984590258707};
};
struct OfDouble {
  static constexpr double kSmall0[] = {1.2294574273495177e-29,
                                       1.9739699188457068e-27,
                                       5.976589569234451e-25,
                                       1.3122104575180078e-22,
                                       2.5796346353114483e-20,
                                       4.358286919760222e-18,
                                       6.276092616120491e-16,
                                       7.594057493384469e-14,
                                       7.594058486836424e-12,
                                       6.151187324009745e-10,
                                       3.9367598892378866e-08,
                                       1.9290123456765543e-06,
                                       6.94444444444488e-05,
                                       0.001736111111111106,
                                       0.02777777777777778,
                                       0.25,
                                       1.0,
                                       1.0};
  static constexpr double kLarge0[] = {
      1.0883149757822694e-10, 3.522758832600452e-11,   -7.474354025883043e-10,
      -2.746820768009484e-10, 2.398283375524351e-09,   1.0921744588139988e-09,
      -4.848331158674929e-09, -3.1181794411505942e-09, 6.789822009634267e-09,
      7.323063762049143e-09,  -5.162515439364406e-09,  -1.331968389936854e-08,
      -6.805987779953023e-09, 7.532353106711217e-09,   2.1556814290058187e-08,
      3.932927151286734e-08,  8.872154559125988e-08,   2.9735956526118083e-07,
      1.4838475863617334e-06, 1.1143033802607884e-05,  0.00013621607439187025,
      0.003360551983667723,   0.4021765094450081};
  static constexpr double kSmall1[] = {6.675772217304018e-31,
                                       1.1827522120067012e-28,
                                       3.7215794375522944e-26,
                                       8.753399595292974e-24,
                                       1.8424569560103177e-21,
                                       3.35255437560049e-19,
                                       5.2300736107170654e-17,
                                       6.903688997316025e-15,
                                       7.594058458444663e-13,
                                       6.834652583882281e-11,
                                       4.920949861476153e-09,
                                       2.7557319223973204e-07,
                                       1.1574074074074299e-05,
                                       0.00034722222222222196,
                                       0.006944444444444445,
                                       0.08333333333333333,
                                       0.5,
                                       1.0};
  static constexpr double kLarge1[] = {
      -1.1330381195741833e-10, -3.2649804688047174e-11, 7.791357487212821e-10,
      2.58076620129882e-10,    -2.506346325951988e-09,  -1.047310277436086e-09,
      5.09414630294562e-09,    3.0713752410543973e-09,  -7.222594611627697e-09,
      -7.432266824715064e-09,  5.722694446437987e-09,   1.3952500398540847e-08,
      6.795075032637858e-09,   -8.407290617881374e-09,  -2.338269331985915e-08,
      -4.313232193345414e-08,  -1.0001220592805615e-07, -3.483853065344186e-07,
      -1.8349101540105064e-06, -1.503854721130056e-05,  -0.0002192357638338275,
      -0.009749577193235609,   0.38939845902587233};
};

template <class Fit, int kOrder, bool kScaled>
TSC_INLINE Wide<double> evaluate(Wide<double> x) {
  using W = Wide<double>;
  const W::D d;
  const W size = abs(x);
  const Mask<double> far = size > W(8);
  // NaN is not far.
  W result(0);
  if (!hn::AllTrue(d, far.m)) {
    const W near = select(far, W(8), size);
    const W square = near * near * W(0.25);
    if constexpr (kOrder == 0) {
      result = polynomial(Fit::kSmall0, square);
    } else {
      result = polynomial(Fit::kSmall1, square) * (near * W(0.5));
    }
    if constexpr (kScaled) result = result * exp(-near);
  }
  if (!hn::AllFalse(d, far.m)) {
    const W v = W(16) / size - W(1);
    W tail = (kOrder == 0 ? polynomial(Fit::kLarge0, v) : polynomial(Fit::kLarge1, v)) / sqrt(size);
    if constexpr (!kScaled) {
      // In two steps where the power alone would overflow.
      const Mask<double> two_steps = size > W(700);
      const W power = exp(select(two_steps, size * W(0.5), size));
      tail = tail * power * select(two_steps, power, W(1));
    }
    result = select(far, tail, result);
  }
  return kOrder == 0 ? result : copysign(result, x);
}
template <int kOrder, bool kScaled>
TSC_INLINE Wide<double> function(Wide<double> x) {
  return evaluate<OfDouble, kOrder, kScaled>(x);
}
template <int kOrder, bool kScaled>
TSC_INLINE Wide<float> function(Wide<float> x) {
  return in_doubles(x, [](Wide<double> part) { return evaluate<OfFloat, kOrder, kScaled>(part); });
}

}  // namespace bessel

template <class T>
TSC_INLINE Wide<T> bessel_i0(Wide<T> x) {
  return bessel::function<0, false>(x);
}
template <class T>
TSC_INLINE Wide<T> bessel_i0_scaled(Wide<T> x) {
  return bessel::function<0, true>(x);
}
template <class T>
TSC_INLINE Wide<T> bessel_i1(Wide<T> x) {
  return bessel::function<1, false>(x);
}
template <class T>
TSC_INLINE Wide<T> bessel_i1_scaled(Wide<T> x) {
  return bessel::function<1, true>(x);
}

}  // namespace tsc::cpu::TSC_ISA
