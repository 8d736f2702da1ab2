// Scalar: one number of any of the four kinds that a script can write: bool, int, float, complex.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "core/scalar_type.h"

namespace tsc {

class Scalar {
 public:
  constexpr Scalar() : Scalar(int64_t{0}) {}
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) constexpr Scalar(T value)
      : type_(ScalarType::Long), int_(static_cast<int64_t>(value)) {}
  constexpr Scalar(bool value) : type_(ScalarType::Bool), int_(value ? 1 : 0) {}
  constexpr Scalar(double value) : type_(ScalarType::Double), double_(value) {}
  constexpr Scalar(float value) : Scalar(static_cast<double>(value)) {}
  constexpr Scalar(Half value) : Scalar(static_cast<float>(value)) {}
  constexpr Scalar(BFloat16 value) : Scalar(static_cast<float>(value)) {}
  constexpr Scalar(std::complex<double> value)
      : type_(ScalarType::ComplexDouble), double_(value.real()), imag_(value.imag()) {}
  constexpr Scalar(std::complex<float> value) : Scalar(std::complex<double>(value)) {}

  // Bool, Long, Double or ComplexDouble.
  constexpr ScalarType type() const { return type_; }
  constexpr bool is_bool() const { return type_ == ScalarType::Bool; }
  // False for a bool.
  constexpr bool is_int() const { return type_ == ScalarType::Long; }
  constexpr bool is_double() const { return type_ == ScalarType::Double; }
  constexpr bool is_complex() const { return type_ == ScalarType::ComplexDouble; }

  // Exact, but for integers beyond 2**53.
  constexpr std::complex<double> to_complex() const {
    return {is_double() || is_complex() ? double_ : static_cast<double>(int_), imag_};
  }
  // Without a check: the real part of a complex; a float is truncated towards zero.
  constexpr double to_double() const {
    return is_double() || is_complex() ? double_ : static_cast<double>(int_);
  }
  constexpr int64_t to_int() const {
    return is_double() || is_complex() ? static_cast<int64_t>(double_) : int_;
  }
  // False for zero only.
  constexpr bool to_bool() const {
    return is_double() || is_complex() ? double_ != 0 || imag_ != 0 : int_ != 0;
  }
  // The value as an element of type T, with a RuntimeError where T's range does not hold it
  // ("value cannot be converted to type int8_t without overflow").
  template <class T>
  T to() const;

 private:
  ScalarType type_;
  union {
    int64_t int_;
    double double_;
  };
  double imag_ = 0;
};

[[noreturn]] TSC_API TSC_COLD void throw_scalar_overflow(ScalarType type);
[[noreturn]] TSC_API TSC_COLD void throw_scalar_overflow(std::string_view type_name);

template <class T>
T Scalar::to() const {
  if constexpr (std::is_same_v<T, bool>) {
    return to_bool();
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    return to_complex();
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    const std::complex<double> value = to_complex();
    return {static_cast<float>(value.real()), static_cast<float>(value.imag())};
  } else {
    if (is_complex() && imag_ != 0) {
      throw_scalar_overflow(scalar_type_of<T>);
    }
    if constexpr (std::is_integral_v<T>) {
      if (is_double() || is_complex()) {
        // Truncated towards zero; the two limits themselves are powers of two (or one less), exact
        // in double.
        constexpr double kLow = static_cast<double>(std::numeric_limits<T>::lowest());
        const double high = std::ldexp(1.0, std::numeric_limits<T>::digits);
        if (!(double_ > (std::is_signed_v<T> ? kLow : -255.0) - 1) || !(double_ < high)) {
          throw_scalar_overflow(scalar_type_of<T>);
        }
        return static_cast<T>(static_cast<int64_t>(double_));
      }
      // An unsigned type takes a negative number modulo its range, as PyTorch does, but not below
      // its width.
      const int64_t low =
          std::is_signed_v<T> ? static_cast<int64_t>(std::numeric_limits<T>::lowest()) : -255;
      if (int_ < low || int_ > static_cast<int64_t>(std::numeric_limits<T>::max())) {
        throw_scalar_overflow(scalar_type_of<T>);
      }
      return static_cast<T>(int_);
    } else {
      const double value = to_double();
      if constexpr (!std::is_same_v<T, double>) {
        constexpr double kMax = std::is_same_v<T, Half> ? 65504.0
                                : std::is_same_v<T, BFloat16>
                                    ? 0x1.fep127
                                    : static_cast<double>(std::numeric_limits<float>::max());
        if (std::isfinite(value) && std::abs(value) > kMax) {
          throw_scalar_overflow(scalar_type_of<T>);
        }
      }
      return static_cast<T>(value);
    }
  }
}

}  // namespace tsc
