// Numbers as Python computes with them.
#include "interp/runtime/objects/arithmetic.h"

#include <cerrno>
#include <cmath>

#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/operators.h"

namespace tsc::interp {

void throw_integer_overflow() {
  throw_error(ErrorKind::OverflowError, "integer overflow: result does not fit in 64 bits");
}

namespace {

[[noreturn]] TSC_COLD void throw_division_by_zero(std::string_view what) {
  throw_error(ErrorKind::ZeroDivisionError, "{} by zero", what);
}

uint64_t magnitude(int64_t value) {
  return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

}  // namespace

int64_t int_floor_divide(int64_t a, int64_t b) {
  if (b == 0) {
    throw_division_by_zero("integer division or modulo");
  }
  if (b == -1) {
    int64_t result = 0;
    if (!int_subtract(0, a, result)) throw_integer_overflow();
    return result;
  }
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t int_modulo(int64_t a, int64_t b) {
  if (b == 0) {
    throw_division_by_zero("integer modulo");
  }
  if (b == -1) {
    return 0;
  }
  const int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

// Correctly rounded, also where an operand is beyond the integers that a double holds.
double int_true_divide(int64_t a, int64_t b) {
  if (b == 0) {
    throw_division_by_zero("division");
  }
  constexpr uint64_t kExact = uint64_t{1} << 53;
  const uint64_t ua = magnitude(a);
  const uint64_t ub = magnitude(b);
  if (ua <= kExact && ub <= kExact) {
    return static_cast<double>(a) / static_cast<double>(b);
  }
  // The quotient of a 2**shift by b has at least 55 bits; the remainder only decides whether the
  // value lies above a half, so it is folded into the last bit.
  const int shift =
      std::max(0, 63 - static_cast<int>(std::bit_width(ua)) + static_cast<int>(std::bit_width(ub)));
  const auto numerator = static_cast<unsigned __int128>(ua) << shift;
  auto quotient = static_cast<uint64_t>(numerator / ub);
  if (numerator % ub != 0) {
    quotient |= 1;
  }
  const double result = std::ldexp(static_cast<double>(quotient), -shift);
  return (a < 0) != (b < 0) ? -result : result;
}

IValue int_power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    return float_power(static_cast<double>(base), static_cast<double>(exponent));
  }
  int64_t result = 1;
  while (true) {
    if ((exponent & 1) != 0 && !int_multiply(result, base, result)) {
      throw_integer_overflow();
    }
    exponent >>= 1;
    if (exponent == 0) {
      return result;
    }
    if (!int_multiply(base, base, base)) {
      throw_integer_overflow();
    }
  }
}

int64_t int_power_modulo(int64_t base, int64_t exponent, int64_t modulus) {
  if (modulus == 0) {
    throw_error(ErrorKind::ValueError, "pow() 3rd argument cannot be 0");
  }
  const auto m = static_cast<__int128>(magnitude(modulus));
  const auto reduce = [m](__int128 value) {
    const __int128 remainder = value % m;
    return remainder < 0 ? remainder + m : remainder;
  };
  __int128 factor = reduce(base);
  if (exponent < 0) {
    // The inverse, by Euclid's algorithm.
    __int128 r0 = m, r1 = factor, t0 = 0, t1 = 1;
    while (r1 != 0) {
      const __int128 quotient = r0 / r1;
      const __int128 r2 = r0 - quotient * r1;
      const __int128 t2 = t0 - quotient * t1;
      r0 = r1, r1 = r2, t0 = t1, t1 = t2;
    }
    if (r0 != 1) {
      throw_error(ErrorKind::ValueError, "base is not invertible for the given modulus");
    }
    factor = reduce(t0);
  }
  __int128 result = reduce(1);
  for (uint64_t left = magnitude(exponent); left != 0; left >>= 1) {
    if ((left & 1) != 0) {
      result = static_cast<__int128>(static_cast<unsigned __int128>(result) *
                                     static_cast<unsigned __int128>(factor) %
                                     static_cast<unsigned __int128>(m));
    }
    factor = static_cast<__int128>(static_cast<unsigned __int128>(factor) *
                                   static_cast<unsigned __int128>(factor) %
                                   static_cast<unsigned __int128>(m));
  }
  if (modulus < 0 && result != 0) {
    result -= m;
  }
  return static_cast<int64_t>(result);
}

namespace {

void check_shift(int64_t count) {
  if (count < 0) {
    throw_error(ErrorKind::ValueError, "negative shift count");
  }
}

}  // namespace

int64_t int_shift_left(int64_t a, int64_t b) {
  check_shift(b);
  if (a == 0) {
    return 0;
  }
  if (b >= 63) {
    if (a == -1 && b == 63) {
      return std::numeric_limits<int64_t>::min();
    }
    throw_integer_overflow();
  }
  const int64_t result = static_cast<int64_t>(static_cast<uint64_t>(a) << b);
  if (result >> b != a) {
    throw_integer_overflow();
  }
  return result;
}

int64_t int_shift_right(int64_t a, int64_t b) {
  check_shift(b);
  return a >> std::min<int64_t>(b, 63);
}

double float_divide(double a, double b) {
  if (b == 0) {
    throw_division_by_zero("float division");
  }
  return a / b;
}

double float_modulo(double a, double b) {
  if (b == 0) {
    throw_error(ErrorKind::ZeroDivisionError, "float modulo");
  }
  double remainder = std::fmod(a, b);
  if (remainder != 0) {
    if ((b < 0) != (remainder < 0)) {
      remainder += b;
    }
  } else {
    remainder = std::copysign(0.0, b);
  }
  return remainder;
}

FloatDivMod float_divmod(double a, double b) {
  if (b == 0) {
    throw_error(ErrorKind::ZeroDivisionError, "float divmod()");
  }
  double remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder != 0) {
    if ((b < 0) != (remainder < 0)) {
      remainder += b;
      quotient -= 1;
    }
  } else {
    remainder = std::copysign(0.0, b);
  }
  double floored = 0;
  if (quotient != 0) {
    floored = std::floor(quotient);
    if (quotient - floored > 0.5) {
      floored += 1;
    }
  } else {
    floored = std::copysign(0.0, a / b);
  }
  return {floored, remainder};
}

double float_floor_divide(double a, double b) {
  if (b == 0) {
    throw_division_by_zero("float floor division");
  }
  return float_divmod(a, b).quotient;
}

IValue float_power(double base, double exponent) {
  if (base == 0 && exponent < 0) {
    throw_error(ErrorKind::ZeroDivisionError, "0.0 cannot be raised to a negative power");
  }
  if (base < 0 && std::isfinite(base) && std::isfinite(exponent) &&
      exponent != std::floor(exponent)) {
    return complex_power({base, 0}, {exponent, 0});
  }
  const double result = std::pow(base, exponent);
  if (std::isinf(result) && std::isfinite(base) && std::isfinite(exponent)) {
    throw_exception(make_exception(ErrorKind::OverflowError,
                                   {IValue(ERANGE), IValue("Numerical result out of range")}));
  }
  return result;
}

// --- Complex ---

std::complex<double> complex_multiply(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// By the larger part of the divisor, so that no intermediate overflows.
std::complex<double> complex_divide(std::complex<double> a, std::complex<double> b) {
  const double abs_real = std::abs(b.real());
  const double abs_imag = std::abs(b.imag());
  if (abs_real >= abs_imag) {
    if (abs_real == 0) {
      throw_error(ErrorKind::ZeroDivisionError, "complex division by zero");
    }
    const double ratio = b.imag() / b.real();
    const double denominator = b.real() + b.imag() * ratio;
    return {(a.real() + a.imag() * ratio) / denominator,
            (a.imag() - a.real() * ratio) / denominator};
  }
  if (abs_imag >= abs_real) {
    const double ratio = b.real() / b.imag();
    const double denominator = b.real() * ratio + b.imag();
    return {(a.real() * ratio + a.imag()) / denominator,
            (a.imag() * ratio - a.real()) / denominator};
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {nan, nan};
}

namespace {

std::complex<double> power_of_natural(std::complex<double> base, int64_t exponent) {
  std::complex<double> result(1, 0);
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) {
      result = complex_multiply(result, base);
    }
    base = complex_multiply(base, base);
  }
  return result;
}

[[noreturn]] TSC_COLD void throw_no_complex_power() {
  throw_error(ErrorKind::ZeroDivisionError, "0.0 to a negative or complex power");
}

std::complex<double> general_power(std::complex<double> a, std::complex<double> b) {
  if (b.real() == 0 && b.imag() == 0) {
    return {1, 0};
  }
  if (a.real() == 0 && a.imag() == 0) {
    if (b.imag() != 0 || b.real() < 0) {
      throw_no_complex_power();
    }
    return {0, 0};
  }
  const double modulus = std::hypot(a.real(), a.imag());
  double length = std::pow(modulus, b.real());
  const double angle = std::atan2(a.imag(), a.real());
  double phase = angle * b.real();
  if (b.imag() != 0) {
    length /= std::exp(angle * b.imag());
    phase += b.imag() * std::log(modulus);
  }
  if (std::isinf(phase)) {
    throw_no_complex_power();
  }
  return {length * std::cos(phase), length * std::sin(phase)};
}

}  // namespace

std::complex<double> complex_power(std::complex<double> a, std::complex<double> b) {
  std::complex<double> result;
  // Small whole exponents by multiplication, which keeps them exact.
  if (b.imag() == 0 && b.real() == std::floor(b.real()) && std::abs(b.real()) <= 100) {
    const auto exponent = static_cast<int64_t>(b.real());
    result = exponent > 0 ? power_of_natural(a, exponent)
                          : complex_divide({1, 0}, power_of_natural(a, -exponent));
  } else {
    result = general_power(a, b);
  }
  if (std::isinf(result.real()) || std::isinf(result.imag())) {
    throw_error(ErrorKind::OverflowError, "complex exponentiation");
  }
  return result;
}

}  // namespace tsc::interp
