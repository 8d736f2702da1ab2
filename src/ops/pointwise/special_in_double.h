// Special functions of one number, in double precision.
#pragma once

#include <cstdint>

namespace tsc::special {

// The logarithmic derivative of the gamma function, and its derivatives.
double digamma(double x);
double polygamma(int64_t n, double x);
// Hurwitz's zeta function, the sum of (k + q) ** -x over all k from 0.
double zeta(double x, double q);

double erf_inverse(double x);
// exp(x * x) * erfc(x), which does not underflow.
double erfc_scaled(double x);
// The logarithm of the normal distribution's probability of being below x, and the x of a
// probability.
double log_ndtr(double x);
double ndtr_inverse(double probability);
// -x * log(x); 0 at 0, and -infinity below.

// Modified Bessel functions of the first kind, of order 0 and 1; the scaled ones are times
// exp(-|x|).
double bessel_i0(double x);
double bessel_i0_scaled(double x);
double bessel_i1(double x);
double bessel_i1_scaled(double x);

}  // namespace tsc::special
