// MT19937 as CPython's random module seeds and reads it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tsc::interp {

class MersenneTwister {
 public:
  static constexpr size_t kSize = 624;

  // By an integer of any length, least significant word first.
  void seed(std::span<const uint32_t> key);
  uint32_t next();
  // In [0, 1), with 53 bits.
  double next_double() {
    const uint32_t a = next() >> 5;
    const uint32_t b = next() >> 6;
    return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
  }
  // `count` random bits, 64 at most.
  uint64_t bits(int count);
  // Below `limit`, each as likely.
  uint64_t below(uint64_t limit);

  // For getstate() and setstate(): the words, then the position.
  const std::array<uint32_t, kSize>& words() const { return words_; }
  size_t position() const { return position_; }
  void restore(const std::array<uint32_t, kSize>& words, size_t position) {
    words_ = words;
    position_ = position;
  }

 private:
  void seed_words(uint32_t seed);
  void refill();

  std::array<uint32_t, kSize> words_{};
  size_t position_ = kSize + 1;
};

// SHA-512, which random.seed(text) stirs the text with.
std::array<uint8_t, 64> sha512(std::span<const uint8_t> message);

}  // namespace tsc::interp
