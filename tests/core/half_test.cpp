#include "core/half.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/bfloat16.h"

namespace {

using namespace tsc;

// The number of least distance, among two the one with an even last bit, found without arithmetic
// on bits: a half or bfloat16 has few neighbours, so all that lie around `value` are tried.
template <class T>
float nearest(float value, uint16_t guess) {
  float best = static_cast<float>(T::from_bits(guess));
  uint16_t best_bits = guess;
  for (int step = -2; step <= 2; step++) {
    const auto bits = static_cast<uint16_t>(guess + step);
    const float candidate = static_cast<float>(T::from_bits(bits));
    if (!std::isfinite(candidate) || std::signbit(candidate) != std::signbit(value)) {
      continue;
    }
    const double here = std::abs(double{candidate} - double{value});
    const double there = std::abs(double{best} - double{value});
    if (here < there || (here == there && bits % 2 == 0 && best_bits % 2 != 0)) {
      best = candidate;
      best_bits = bits;
    }
  }
  return best;
}

template <class T>
void check_round_trip() {
  for (uint32_t bits = 0; bits < 0x10000; bits++) {
    const T number = T::from_bits(static_cast<uint16_t>(bits));
    const auto value = static_cast<float>(number);
    if (std::isnan(value)) {
      REQUIRE(std::isnan(static_cast<float>(T(value))));
    } else {
      REQUIRE(T(value).bits == bits);
    }
  }
}

// Between any two neighbours: their middle goes to the even one, what is next to it to its own side.
template <class T>
void check_middles() {
  for (uint32_t bits = 0;; bits++) {
    const auto low = static_cast<float>(T::from_bits(static_cast<uint16_t>(bits)));
    const auto high = static_cast<float>(T::from_bits(static_cast<uint16_t>(bits + 1)));
    if (!std::isfinite(high)) {
      break;
    }
    const float middle = low + (high - low) / 2;
    REQUIRE(T(middle).bits == (bits % 2 == 0 ? bits : bits + 1));
    REQUIRE(T(std::nextafter(middle, low)).bits == bits);
    REQUIRE(T(std::nextafter(middle, high)).bits == bits + 1);
    REQUIRE(T(-middle).bits == (0x8000 | T(middle).bits));
  }
}

template <class T>
void check_any_float() {
  uint32_t word = 12345;
  for (int i = 0; i < 100000; i++) {
    word = word * 1664525 + 1013904223;
    const float value = std::bit_cast<float>(word);
    const T number(value);
    if (std::isfinite(static_cast<float>(number)) && std::isfinite(value)) {
      CAPTURE(value);
      REQUIRE(static_cast<float>(number) == nearest<T>(value, number.bits));
    }
  }
}

}  // namespace

TEST_CASE("every half and bfloat16 is itself again after float") {
  check_round_trip<Half>();
  check_round_trip<BFloat16>();
}

TEST_CASE("floats round to the nearest, ties to even") {
  check_middles<Half>();
  check_middles<BFloat16>();
  check_any_float<Half>();
  check_any_float<BFloat16>();
}

TEST_CASE("values of IEEE 754 half precision") {
  CHECK(static_cast<float>(Half::from_bits(0x3c00)) == 1.0f);
  CHECK(static_cast<float>(Half::from_bits(0xc000)) == -2.0f);
  CHECK(static_cast<float>(Half::from_bits(0x7bff)) == 65504.0f);
  CHECK(static_cast<float>(Half::from_bits(0x0400)) == 0x1p-14f);
  CHECK(static_cast<float>(Half::from_bits(0x0001)) == 0x1p-24f);
  CHECK(Half(65519.0f).bits == 0x7bff);
  CHECK(Half(65520.0f).bits == 0x7c00);
  CHECK(Half(-1e9f).bits == 0xfc00);
  CHECK(Half(0x1p-26f).bits == 0);
  CHECK(Half(-0.0f).bits == 0x8000);
  CHECK(Half(3).bits == 0x4200);
}

TEST_CASE("values of bfloat16") {
  CHECK(static_cast<float>(BFloat16::from_bits(0x3f80)) == 1.0f);
  CHECK(BFloat16(1.0f + 0x1p-9f).bits == 0x3f80);
  CHECK(BFloat16(std::numeric_limits<float>::max()).bits == 0x7f80);
  CHECK(BFloat16(-0.0f).bits == 0x8000);
  CHECK(BFloat16(257).bits == BFloat16(256.0f).bits);
  CHECK(BFloat16(std::nanf("")).bits == 0x7fc0);
  CHECK(BFloat16(-std::nanf("")).bits == 0x7fc0);
}
