// bfloat16: the upper half of a float, as storage; arithmetic happens in float and is rounded once.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace tsc {

struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  constexpr explicit BFloat16(float value) : bits(round_from(value)) {}
  constexpr explicit BFloat16(double value) : BFloat16(static_cast<float>(value)) {}
  template <class Integer>
  requires(std::is_integral_v<Integer>) constexpr explicit BFloat16(Integer value)
      : BFloat16(static_cast<float>(value)) {}
  static constexpr BFloat16 from_bits(uint16_t raw) {
    BFloat16 result;
    result.bits = raw;
    return result;
  }

  constexpr operator float() const {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }

 private:
  // Round to nearest, ties to even; every NaN becomes the one quiet NaN that PyTorch writes.
  static constexpr uint16_t round_from(float value) {
    const auto word = std::bit_cast<uint32_t>(value);
    if ((word & 0x7fffffffu) > 0x7f800000u) {
      return 0x7fc0;
    }
    return static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
  }
};

}  // namespace tsc
