#include "interp/runtime/modules/mersenne_twister.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace tsc::interp {

void MersenneTwister::seed(std::span<const uint32_t> key) {
  const Mt19937 first(19650218u);
  std::array<uint32_t, kSize> words;
  std::ranges::copy(first.words(), words.begin());
  size_t i = 1;
  const auto previous = [&words](size_t at) { return words[at - 1] ^ (words[at - 1] >> 30); };
  const auto advance = [&words, &i] {
    i++;
    if (i >= kSize) {
      words[0] = words[kSize - 1];
      i = 1;
    }
  };
  size_t j = 0;
  for (size_t left = std::max(kSize, key.size()); left > 0; left--) {
    words[i] = (words[i] ^ (previous(i) * 1664525u)) + key[j] + static_cast<uint32_t>(j);
    advance();
    j = j + 1 < key.size() ? j + 1 : 0;
  }
  for (size_t left = kSize - 1; left > 0; left--) {
    words[i] = (words[i] ^ (previous(i) * 1566083941u)) - static_cast<uint32_t>(i);
    advance();
  }
  words[0] = 0x80000000u;
  restore(words, kSize);
}

uint64_t MersenneTwister::bits(int count) {
  if (count == 0) {
    return 0;
  }
  if (count <= 32) {
    return next() >> (32 - count);
  }
  const uint64_t low = next();
  return low | static_cast<uint64_t>(next() >> (64 - count)) << 32;
}

uint64_t MersenneTwister::below(uint64_t limit) {
  if (limit == 0) {
    return 0;
  }
  const auto count = static_cast<int>(std::bit_width(limit));
  uint64_t value = bits(count);
  while (value >= limit) {
    value = bits(count);
  }
  return value;
}

namespace {

// The first 64 bits of the fractional parts of roots of the first primes. SHA-512's constants are
// made of these: square roots are the initial state, cube roots the round constants.
uint64_t fraction_of_root(uint64_t prime, int degree) {
  // floor(prime ** (1/degree) * 2**64) modulo 2**64, found bit by bit.
  using Wide = unsigned __int128;
  Wide root = 0;
  for (int bit = 67; bit >= 0; bit--) {
    const Wide trial = root | Wide{1} << bit;
    // trial ** degree <= prime << (64 * degree), in limbs of 32 bits.
    std::array<uint64_t, 16> power{};
    power[0] = 1;
    std::array<uint64_t, 3> factor = {static_cast<uint32_t>(trial),
                                      static_cast<uint32_t>(trial >> 32),
                                      static_cast<uint32_t>(trial >> 64)};
    for (int step = 0; step < degree; step++) {
      std::array<uint64_t, 16> product{};
      for (size_t a = 0; a < 12; a++) {
        uint64_t carry = 0;
        for (size_t b = 0; b < 3; b++) {
          const uint64_t sum = product[a + b] + power[a] * factor[b] + carry;
          product[a + b] = static_cast<uint32_t>(sum);
          carry = sum >> 32;
        }
        for (size_t at = a + 3; carry != 0 && at < 16; at++) {
          const uint64_t sum = product[at] + carry;
          product[at] = static_cast<uint32_t>(sum);
          carry = sum >> 32;
        }
      }
      power = product;
    }
    std::array<uint64_t, 16> limit{};
    limit[static_cast<size_t>(2 * degree)] = prime;
    bool fits = true;
    for (size_t at = 16; at-- > 0;) {
      if (power[at] != limit[at]) {
        fits = power[at] < limit[at];
        break;
      }
    }
    if (fits) {
      root = trial;
    }
  }
  return static_cast<uint64_t>(root);
}

std::vector<uint64_t> root_constants(size_t count, int degree) {
  std::vector<uint64_t> constants;
  for (uint64_t candidate = 2; constants.size() < count; candidate++) {
    bool is_prime = true;
    for (uint64_t divisor = 2; divisor * divisor <= candidate; divisor++) {
      is_prime &= candidate % divisor != 0;
    }
    if (is_prime) {
      constants.push_back(fraction_of_root(candidate, degree));
    }
  }
  return constants;
}

void stir(std::vector<uint64_t>& state, std::span<const uint8_t> block,
          const std::vector<uint64_t>& rounds) {
  std::array<uint64_t, 80> w{};
  for (size_t i = 0; i < 16; i++) {
    for (size_t byte = 0; byte < 8; byte++) {
      w[i] = w[i] << 8 | block[i * 8 + byte];
    }
  }
  for (size_t i = 16; i < 80; i++) {
    const uint64_t s0 = std::rotr(w[i - 15], 1) ^ std::rotr(w[i - 15], 8) ^ (w[i - 15] >> 7);
    const uint64_t s1 = std::rotr(w[i - 2], 19) ^ std::rotr(w[i - 2], 61) ^ (w[i - 2] >> 6);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  std::vector<uint64_t> v = state;
  for (size_t i = 0; i < 80; i++) {
    const uint64_t s1 = std::rotr(v[4], 14) ^ std::rotr(v[4], 18) ^ std::rotr(v[4], 41);
    const uint64_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    const uint64_t t1 = v[7] + s1 + choice + rounds[i] + w[i];
    const uint64_t s0 = std::rotr(v[0], 28) ^ std::rotr(v[0], 34) ^ std::rotr(v[0], 39);
    const uint64_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    v = {t1 + s0 + majority, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]};
  }
  for (size_t i = 0; i < 8; i++) {
    state[i] += v[i];
  }
}

}  // namespace

std::array<uint8_t, 64> sha512(std::span<const uint8_t> message) {
  constexpr size_t kBlock = 128;
  const std::vector<uint64_t> rounds = root_constants(80, 3);
  std::vector<uint64_t> state = root_constants(8, 2);
  std::vector<uint8_t> padded(message.begin(), message.end());
  padded.push_back(0x80);
  while (padded.size() % kBlock != kBlock - 8) {
    padded.push_back(0);
  }
  const uint64_t bit_count = static_cast<uint64_t>(message.size()) * 8;
  for (int shift = 56; shift >= 0; shift -= 8) {
    padded.push_back(static_cast<uint8_t>(bit_count >> shift));
  }
  for (size_t at = 0; at < padded.size(); at += kBlock) {
    stir(state, std::span<const uint8_t>(padded).subspan(at, kBlock), rounds);
  }
  std::array<uint8_t, 64> digest{};
  for (size_t i = 0; i < digest.size(); i++) {
    digest[i] = static_cast<uint8_t>(state[i / 8] >> (56 - 8 * (i % 8)));
  }
  return digest;
}

}  // namespace tsc::interp
