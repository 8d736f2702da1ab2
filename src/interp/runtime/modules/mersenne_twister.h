// MT19937 as CPython's random module seeds and reads it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/random/mt19937.h"

namespace tsc::interp {

class MersenneTwister {
 public:
  static constexpr size_t kSize = Mt19937::kWords;

  // Seeds from an integer of any length, least significant word first.
  void seed(std::span<const uint32_t> key);
  uint32_t next() { return engine_(); }
  // In [0, 1), with 53 bits.
  double next_double() {
    const uint32_t a = next() >> 5;
    const uint32_t b = next() >> 6;
    return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
  }
  // `count` random bits, 64 at most.
  uint64_t bits(int count);
  // A number below `limit`, uniformly distributed.
  uint64_t below(uint64_t limit);

  // For getstate() and setstate(): the words, then the position, of 0 to kSize.
  std::span<const uint32_t, kSize> words() const { return engine_.words(); }
  size_t position() const { return engine_.left() == 1 ? kSize : engine_.next(); }
  void restore(std::span<const uint32_t, kSize> words, size_t position) {
    engine_ = Mt19937(words, static_cast<uint32_t>(kSize - position + 1),
                      static_cast<uint32_t>(position));
  }

 private:
  Mt19937 engine_{0};
};

// SHA-512, with which random.seed(text) hashes the text.
std::array<uint8_t, 64> sha512(std::span<const uint8_t> message);

}  // namespace tsc::interp
