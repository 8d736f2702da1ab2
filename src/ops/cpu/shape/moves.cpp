#include "ops/cpu/shape/moves.h"

#include "ops/cpu/isa.h"

namespace tsc::cpu::TSC_ISA {
namespace {

constexpr int64_t kLine = 64;  // bytes

void fill(char* to, const char* line, int64_t lines) {
  const hn::ScalableTag<uint8_t> d;
  constexpr int64_t kBytes = HWY_MAX_BYTES;
  const auto* const from = reinterpret_cast<const uint8_t*>(line);
  auto* target = reinterpret_cast<uint8_t*>(to);
  const auto first = hn::LoadU(d, from);
  const auto second = hn::LoadU(d, from + kBytes % kLine);
  const auto third = hn::LoadU(d, from + 2 * kBytes % kLine);
  const auto fourth = hn::LoadU(d, from + 3 * kBytes % kLine);
  constexpr int64_t kTogether = 4 * kBytes / kLine;  // lines
  for (; lines >= kTogether; lines -= kTogether, target += 4 * kBytes) {
    hn::StoreU(first, d, target);
    hn::StoreU(second, d, target + kBytes);
    hn::StoreU(third, d, target + 2 * kBytes);
    hn::StoreU(fourth, d, target + 3 * kBytes);
  }
  for (; lines > 0; lines--, target += kLine) {
    for (int64_t i = 0; i < kLine; i += kBytes) {
      hn::StoreU(hn::LoadU(d, from + i), d, target + i);
    }
  }
}

template <class T>
void reverse_run(char* to_bytes, const char* from_bytes, int64_t count) {
  const hn::ScalableTag<T> d;
  constexpr auto kLanes = static_cast<int64_t>(HWY_MAX_BYTES / sizeof(T));
  auto* const to = reinterpret_cast<T*>(to_bytes);
  const auto* const from = reinterpret_cast<const T*>(from_bytes);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(hn::Reverse(d, hn::LoadU(d, from - (i + kLanes - 1))), d, to + i);
  }
  for (; i < count; i++) to[i] = from[-i];
}

void reverse(char* to, const char* from, int64_t count, size_t size) {
  switch (size) {
    case 2: reverse_run<uint16_t>(to, from, count); break;
    case 4: reverse_run<uint32_t>(to, from, count); break;
    default: reverse_run<uint64_t>(to, from, count); break;
  }
}

}  // namespace

const Moves kMoves = {fill, reverse};

}  // namespace tsc::cpu::TSC_ISA
