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
      for (const auto& [to, from] :
           {std::pair(kSpace + distance, size_t{0}), std::pair(distance, size_t{0}),
            std::pair(distance, size_t{4096}), std::pair(size_t{0}, distance)}) {
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
