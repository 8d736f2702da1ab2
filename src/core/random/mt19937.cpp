#include "core/random/mt19937.h"

#include <algorithm>

namespace tsc {

namespace {

constexpr size_t kShift = 397;

// The twist: the upper bit of one word and the lower 31 of the next, times the matrix.
inline uint32_t twist(uint32_t upper, uint32_t lower) {
  const uint32_t mixed = (upper & 0x80000000u) | (lower & 0x7fffffffu);
  return (mixed >> 1) ^ ((0u - (lower & 1u)) & 0x9908b0dfu);
}

}  // namespace

Mt19937::Mt19937(uint32_t seed) {
  state_[0] = seed;
  for (uint32_t i = 1; i < kWords; i++) {
    state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  }
}

Mt19937::Mt19937(std::span<const uint32_t, kWords> words, uint32_t left, uint32_t next)
    : left_(left), next_(next) {
  std::copy(words.begin(), words.end(), state_.begin());
  temper();
}

std::span<const uint32_t> Mt19937::take(size_t max) {
  if (left_ == 1) {
    generate();
  }
  const size_t count = std::min(max, size_t{left_} - 1);
  const std::span<const uint32_t> run(tempered_.data() + next_, count);
  left_ -= static_cast<uint32_t>(count);
  next_ += static_cast<uint32_t>(count);
  return run;
}

void Mt19937::fill(std::span<uint32_t> out) {
  while (!out.empty()) {
    const std::span<const uint32_t> run = take(out.size());
    std::copy(run.begin(), run.end(), out.begin());
    out = out.subspan(run.size());
  }
}

// Makes a new block. A word depends on its successor and on the word kShift further on, so
// neighbours can be computed together.
void Mt19937::generate() {
  uint32_t* s = state_.data();
#pragma omp simd
  for (size_t i = 0; i < kWords - kShift; i++) {
    s[i] = s[i + kShift] ^ twist(s[i], s[i + 1]);
  }
#pragma omp simd safelen(64)
  for (size_t i = kWords - kShift; i < kWords - 1; i++) {
    s[i] = s[i + kShift - kWords] ^ twist(s[i], s[i + 1]);
  }
  s[kWords - 1] = s[kShift - 1] ^ twist(s[kWords - 1], s[0]);
  temper();
  left_ = kWords + 1;
  next_ = 0;
}

void Mt19937::temper() {
#pragma omp simd
  for (size_t i = 0; i < kWords; i++) {
    uint32_t y = state_[i];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    y ^= y >> 18;
    tempered_[i] = y;
  }
}

}  // namespace tsc
