#include "core/system/memory_watch.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

namespace {

using namespace tsc;

}  // namespace

TEST_CASE("the machine has memory, and what is left is less or not known") {
  CHECK(physical_memory() > size_t{64} << 20);
  const size_t available = available_memory();
  CHECK(available > 0);
  CHECK((available == SIZE_MAX || available < 100 * physical_memory()));
}

TEST_CASE("a little more may be taken, more than there is may not") {
  CHECK(memory_may_grow(1));
  CHECK(memory_may_grow(size_t{1} << 20));
  if (available_memory() != SIZE_MAX) {
    CHECK_FALSE(memory_may_grow(size_t{1} << 55));
    CHECK_FALSE(memory_may_grow(SIZE_MAX));
    CHECK(memory_may_grow(1));  // a refusal is no end
  }
}

TEST_CASE("memory is given, grown and zeroed") {
  auto* block = static_cast<char*>(allocate_memory(10));
  std::memcpy(block, "abcdefghi", 10);
  block = static_cast<char*>(reallocate_memory(block, 100000));
  CHECK(std::string(block) == "abcdefghi");
  std::free(block);
  auto* zeros = static_cast<char*>(allocate_zeroed_memory(1000));
  for (int i = 0; i < 1000; i++) {
    REQUIRE(zeros[i] == 0);
  }
  std::free(zeros);
  void* nothing = allocate_memory(0);
  CHECK(nothing != nullptr);
  std::free(nothing);
}

TEST_CASE("what cannot be had throws, and the block that should grow is still there") {
  auto* block = static_cast<char*>(allocate_memory(4));
  std::memcpy(block, "abc", 4);
  CHECK_THROWS_AS(reallocate_memory(block, size_t{1} << 55), std::bad_alloc);
  CHECK(std::string(block) == "abc");
  std::free(block);
  CHECK_THROWS_AS(allocate_memory(size_t{1} << 55), std::bad_alloc);
  CHECK_THROWS_AS(allocate_zeroed_memory(size_t{1} << 55), std::bad_alloc);
}
