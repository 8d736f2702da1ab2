#include "core/system/copy_bytes.h"

#include <cstdint>
#include <cstring>

namespace tsc {

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kSlowDistance = 16;
// Up to here the C library copies with vectors.
constexpr size_t kFewBytes = 2048;

struct Block {
  char bytes[64];
};

void copy_from_the_end(char* to, const char* from, size_t bytes) {
  while (bytes >= sizeof(Block)) {
    bytes -= sizeof(Block);
    Block block;
    std::memcpy(&block, from + bytes, sizeof block);
    std::memcpy(to + bytes, &block, sizeof block);
  }
  std::memmove(to, from, bytes);
}

}  // namespace

void copy_bytes(void* to, const void* from, size_t bytes) {
  const auto target = reinterpret_cast<uintptr_t>(to);
  const auto source = reinterpret_cast<uintptr_t>(from);
  const size_t distance = (target - source) % kPage;
  const bool is_slow = distance > 0 && distance < kSlowDistance && bytes > kFewBytes;
  // From the end on, a target before the source would be written before the source is read.
  const bool may_begin_at_end = target > source || source - target >= bytes;
  if (is_slow && may_begin_at_end) {
    copy_from_the_end(static_cast<char*>(to), static_cast<const char*>(from), bytes);
  } else {
    std::memmove(to, from, bytes);
  }
}

}  // namespace tsc
