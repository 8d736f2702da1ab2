// IEEE 754 half precision, as storage: arithmetic happens in float and is rounded once.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace tsc {

struct Half {
  uint16_t bits = 0;

  Half() = default;
  constexpr explicit Half(float value) : bits(round_from(value)) {}
  constexpr explicit Half(double value) : Half(static_cast<float>(value)) {}
  template <class Integer>
  requires(std::is_integral_v<Integer>) constexpr explicit Half(Integer value)
      : Half(static_cast<float>(value)) {}
  static constexpr Half from_bits(uint16_t raw) {
    Half half;
    half.bits = raw;
    return half;
  }

  constexpr operator float() const {
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    const uint32_t exponent = (bits >> 10) & 0x1fu;
    const uint32_t mantissa = bits & 0x3ffu;
    if (exponent == 0x1f) {
      return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
    }
    if (exponent == 0) {
      const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
      return sign != 0 ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  }

 private:
  // Round to nearest, ties to even; NaN stays a quiet NaN with the payload's top bits.
  static constexpr uint16_t round_from(float value) {
    const auto word = std::bit_cast<uint32_t>(value);
    const auto sign = static_cast<uint16_t>((word >> 16) & 0x8000u);
    const uint32_t magnitude = word & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
      return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
    }
    if (magnitude >= 0x477ff000u) {
      return static_cast<uint16_t>(sign | 0x7c00u);
    }
    if (magnitude < 0x38800000u) {
      // Subnormal: adding 0.5 aligns the half's last bit with the float's last bit, so the addition
      // rounds.
      const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
      return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(aligned) - 0x3f000000u));
    }
    const uint32_t odd = (magnitude >> 13) & 1u;
    return static_cast<uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
  }
};

}  // namespace tsc
