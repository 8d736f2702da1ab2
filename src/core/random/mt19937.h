// The Mersenne Twister of Matsumoto and Nishimura (1998), 32-bit outputs, period 2^19937 - 1.
//
//   state_     624 words, replaced all at once
//   tempered_  the outputs that belong to them
//                0 ......... next_ ......... next_ + left_ - 1 ...... 623
//                 drawn            still to draw
//
// A freshly seeded engine has nothing to draw (left_ == 1); the first draw makes the first block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/macros.h"

namespace tsc {

class TSC_API Mt19937 {
 public:
  static constexpr size_t kWords = 624;

  explicit Mt19937(uint32_t seed);
  // Resumes from the state of another engine. The caller has checked that left >= 1 and next + left
  // - 1 <= kWords.
  Mt19937(std::span<const uint32_t, kWords> words, uint32_t left, uint32_t next);

  uint32_t operator()() {
    if (TSC_UNLIKELY(left_ == 1)) {
      generate();
    }
    left_--;
    return tempered_[next_++];
  }
  // The next outputs of the current block: at least one, at most `max` (> 0). Valid until the next
  // draw.
  std::span<const uint32_t> take(size_t max);
  void fill(std::span<uint32_t> out);

  // words(), left() and next() together are the engine's state.
  std::span<const uint32_t, kWords> words() const { return state_; }
  uint32_t left() const { return left_; }
  uint32_t next() const { return next_; }

 private:
  void generate();
  void temper();

  std::array<uint32_t, kWords> state_;
  std::array<uint32_t, kWords> tempered_;
  // One more than can be drawn from this block.
  uint32_t left_ = 1;
  uint32_t next_ = 0;
};

}  // namespace tsc
