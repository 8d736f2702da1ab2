// Arithmetic of half precision as PyTorch has it where positions are computed: each result is
// rounded.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace tsc {

// A float that has the precision of Half or BFloat16.
template <class H>
struct Rounded {
  float value = 0;

  Rounded() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> Rounded(Number number)
      : value(static_cast<float>(H(static_cast<float>(number)))) {}

  explicit operator float() const { return value; }
  explicit operator int64_t() const { return static_cast<int64_t>(value); }

  friend Rounded operator-(Rounded a) { return -a.value; }
  friend Rounded operator+(Rounded a, Rounded b) { return a.value + b.value; }
  friend Rounded operator-(Rounded a, Rounded b) { return a.value - b.value; }
  friend Rounded operator*(Rounded a, Rounded b) { return a.value * b.value; }
  friend Rounded operator/(Rounded a, Rounded b) { return a.value / b.value; }
  Rounded& operator+=(Rounded b) { return *this = *this + b; }
  Rounded& operator*=(Rounded b) { return *this = *this * b; }

  friend bool operator==(Rounded a, Rounded b) { return a.value == b.value; }
  friend bool operator<(Rounded a, Rounded b) { return a.value < b.value; }
  friend bool operator>(Rounded a, Rounded b) { return a.value > b.value; }
  friend bool operator>=(Rounded a, Rounded b) { return a.value >= b.value; }

  friend Rounded abs(Rounded a) { return std::abs(a.value); }
  friend Rounded floor(Rounded a) { return std::floor(a.value); }
  friend Rounded nearbyint(Rounded a) { return std::nearbyint(a.value); }
  friend Rounded fmod(Rounded a, Rounded b) { return std::fmod(a.value, b.value); }
  friend Rounded fma(Rounded a, Rounded b, Rounded c) { return a * b + c; }
  friend Rounded copysign(Rounded a, Rounded b) { return std::copysign(a.value, b.value); }
};

}  // namespace tsc
