// Special functions of one number, in double precision.
#pragma once

#include <cstdint>

namespace tsc::special {

// The n-th derivative of the gamma function's logarithmic derivative, for n from 2 on.
double polygamma(int64_t n, double x);
// Hurwitz's zeta function, the sum of (k + q) ** -x over all k from 0.
double zeta(double x, double q);

// exp(x * x) * erfc(x), which does not underflow.
double erfc_scaled(double x);
// The logarithm of the normal distribution's probability of being below x.
double log_ndtr(double x);

// The modified Bessel function of the first kind of order 0.
double bessel_i0(double x);

}  // namespace tsc::special
