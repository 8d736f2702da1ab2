// Arithmetic that operators, pow(), divmod() and math share.
#pragma once

#include <complex>

#include "dispatch/ivalue.h"

namespace tsc::interp {

double float_divide(double a, double b);
// A negative base and a broken exponent give a complex number.
IValue float_power(double base, double exponent);
struct FloatDivMod {
  double quotient, remainder;
};
FloatDivMod float_divmod(double a, double b);
int64_t int_power_modulo(int64_t base, int64_t exponent, int64_t modulus);

std::complex<double> complex_multiply(std::complex<double> a, std::complex<double> b);
std::complex<double> complex_divide(std::complex<double> a, std::complex<double> b);
std::complex<double> complex_power(std::complex<double> a, std::complex<double> b);

}  // namespace tsc::interp
