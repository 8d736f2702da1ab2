#include "core/system/copy_bytes.h"

#include <doctest/doctest.h>

#include <cstring>
#include <utility>
#include <vector>

namespace tsc {
namespace {

constexpr size_t kSpace = 3 * 4096;

std::vector<char> numbered() {
  std::vector<char> memory(2 * kSpace);
  for (size_t i = 0; i < memory.size(); i++) {
    memory[i] = static_cast<char>(i * 31 + i / 256);
  }
  return memory;
}

TEST_CASE("copy_bytes copies as memmove does") {
  for (const size_t bytes : {0, 1, 63, 64, 2048, 2049, 2111, 4095, 4096, 5000}) {
    for (size_t distance = 0; distance < 20; distance++) {
      // Apart; overlapping with the target behind the source, and before it.
      const std::pair<size_t, size_t> places[] = {
          {kSpace + distance, 0}, {distance, 0}, {distance, 4096}, {0, distance}};
      for (const auto& place : places) {
        const size_t to = place.first;
        const size_t from = place.second;
        std::vector<char> expected = numbered();
        std::vector<char> memory = expected;
        std::memmove(expected.data() + to, expected.data() + from, bytes);
        copy_bytes(memory.data() + to, memory.data() + from, bytes);
        CHECK_MESSAGE(memory == expected, bytes, " bytes from ", from, " to ", to);
      }
    }
  }
}

}  // namespace
}  // namespace tsc
