// The incomplete gamma functions, in double precision.
#pragma once

namespace tsc::special {

// The lower one divided by gamma(a), from 0 to 1, and the upper one, 1 less that; NaN for negative
// numbers.
double gamma_lower(double a, double x);
double gamma_upper(double a, double x);

}  // namespace tsc::special
