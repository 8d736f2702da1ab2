// Special functions that take a series or a continued fraction, of double precision (see arithmetic.h
// for the functions that the includer provides).

namespace ufunc {

// The sum of (k + q)^-x over k >= 0, Hurwitz's zeta function, by the formula of Euler and Maclaurin.
TSC_FN double zeta(double x, double q) {
  // B(2k) / (2k)!
  constexpr double kSeries[] = {1.0 / 12,
                                -1.0 / 720,
                                1.0 / 30240,
                                -1.0 / 1209600,
                                1.0 / 47900160,
                                -691.0 / 1307674368000,
                                1.0 / 74724249600,
                                -3617.0 / 10670622842880000,
                                43867.0 / 5109094217170944000,
                                -174611.0 / 802857662698291200000.0,
                                77683.0 / 14101100039391805440000.0,
                                -236364091.0 / 1693824136731743669452800000.0};
  const double largest = infinity();
  if (x == 1) return largest;
  if (x < 1) return largest - largest;
  if (q <= 0) {
    if (q == floor(q)) return largest;
    if (x != floor(x)) return largest - largest;  // a power of a negative number
  }
  double sum = pow(q, -x);
  double a = q;
  double term = 0;
  for (int i = 0; i < 9 || a <= 9; i++) {
    a += 1;
    term = pow(a, -x);
    sum += term;
    if (abs(term) < 0x1p-53 * abs(sum)) return sum;
  }
  sum += term * a / (x - 1) - 0.5 * term;
  double factor = 1;
  double k = 0;
  for (const double coefficient : kSeries) {
    factor *= x + k;
    term /= a;
    const double step = factor * term * coefficient;
    sum += step;
    if (abs(step) < 0x1p-53 * abs(sum)) break;
    factor *= x + k + 1;
    term /= a;
    k += 2;
  }
  return sum;
}

// The n-th derivative of the logarithmic derivative of the gamma function, for n > 0.
TSC_FN double polygamma(double n, double x) {
  const double sign = n == 2 * floor(n / 2) ? -1.0 : 1.0;
  return sign * exp(lgamma(n + 1)) * zeta(n + 1, x);
}

// exp(x^2) erfc(x). From 4 on a continued fraction, which is taken from its end.
TSC_FN double erfc_scaled(double x) {
  // exp() overflows below -26.7.
  if (x < 4) return exp(x * x) * erfc(x);
  constexpr double kInverseRootOfPi = 0.56418958354775628695;
  if (x > 1e8) return kInverseRootOfPi / x;
  double denominator = x;
  for (int k = 80; k >= 1; k--) denominator = x + 0.5 * k / denominator;
  return kInverseRootOfPi / denominator;
}

// The logarithm of the normal distribution's probability below x.
TSC_FN double log_ndtr(double x) {
  const double t = x * 0.70710678118654752440;
  return x < -1 ? log(erfc_scaled(-t) / 2) - t * t : log1p(-erfc(t) / 2);
}

// Euclid's algorithm, of the sizes.
template <class T>
TSC_FN T gcd(T a, T b) {
  a = abs(a);
  b = abs(b);
  while (b != T(0)) {
    const T rest = T(a % b);
    a = b;
    b = rest;
  }
  return a;
}
template <class T>
TSC_FN T lcm(T a, T b) {
  const T divisor = gcd(a, b);
  if (divisor == T(0)) return T(0);
  const int64_t multiple = static_cast<int64_t>(a / divisor) * static_cast<int64_t>(b);
  return T(multiple < 0 ? -multiple : multiple);
}

}  // namespace ufunc
