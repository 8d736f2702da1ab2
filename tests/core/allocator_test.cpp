#include "core/allocator.h"

#include <doctest/doctest.h>

#include <cstring>
#include <set>

#include "core/storage.h"

namespace {

using namespace tsc;

class CountingAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes) override {
    allocated += bytes;
    return std::malloc(bytes);
  }
  void deallocate(void* block, size_t bytes) override {
    freed += bytes;
    std::free(block);
  }
  size_t allocated = 0;
  size_t freed = 0;
};

}  // namespace

TEST_CASE("blocks are aligned, and large ones to huge pages") {
  for (const size_t bytes : {1ul, 64ul, 65ul, 100ul, 4097ul, 1000000ul, (2ul << 20), (3ul << 20)}) {
    void* block = cpu_allocator().allocate(bytes);
    std::memset(block, 1, bytes);
    const size_t alignment = bytes < (2u << 20) ? 64 : 2u << 20;
    CAPTURE(bytes);
    CHECK(reinterpret_cast<uintptr_t>(block) % alignment == 0);
    cpu_allocator().deallocate(block, bytes);
  }
}

TEST_CASE("what is in use is counted, with at most a fifth above what was asked") {
  for (const size_t bytes : {64ul, 65ul, 81ul, 128ul, 129ul, 1000ul, 5000000ul}) {
    const size_t before = cpu_allocator_statistics().bytes_in_use;
    void* block = cpu_allocator().allocate(bytes);
    const AllocatorStatistics during = cpu_allocator_statistics();
    CAPTURE(bytes);
    CHECK(during.bytes_in_use - before >= bytes);
    CHECK(during.bytes_in_use - before <= bytes + bytes / 4);
    CHECK(during.peak_in_use >= during.bytes_in_use);
    cpu_allocator().deallocate(block, bytes);
    CHECK(cpu_allocator_statistics().bytes_in_use == before);
  }
}

#if TSC_FREE_LISTS
TEST_CASE("a freed block is kept for the next of its size class") {
  constexpr size_t kBytes = 3 << 20;
  trim_cpu_allocator();
  void* block = cpu_allocator().allocate(kBytes);
  CHECK(cpu_allocator_statistics().bytes_cached == 0);
  cpu_allocator().deallocate(block, kBytes);
  CHECK(cpu_allocator_statistics().bytes_cached >= kBytes);
  CHECK(cpu_allocator().allocate(kBytes - 100) == block);
  CHECK(cpu_allocator_statistics().bytes_cached == 0);
  void* other = cpu_allocator().allocate(kBytes);
  CHECK(other != block);
  cpu_allocator().deallocate(block, kBytes - 100);
  cpu_allocator().deallocate(other, kBytes);
  trim_cpu_allocator();
}

TEST_CASE("trimming gives every cached block back") {
  std::vector<void*> blocks;
  for (size_t bytes = 100; bytes < 100000; bytes *= 2) {
    for (int i = 0; i < 3; i++) {
      blocks.push_back(cpu_allocator().allocate(bytes));
    }
  }
  size_t bytes = 100;
  for (size_t i = 0; i < blocks.size(); i++) {
    cpu_allocator().deallocate(blocks[i], bytes);
    bytes *= i % 3 == 2 ? 2 : 1;
  }
  const AllocatorStatistics before = cpu_allocator_statistics();
  CHECK(before.bytes_cached >= 300000);
  trim_cpu_allocator();
  const AllocatorStatistics after = cpu_allocator_statistics();
  CHECK(after.bytes_cached == 0);
  CHECK(after.bytes_in_use == before.bytes_in_use);
  // Afterwards it works as before.
  void* block = cpu_allocator().allocate(100);
  std::memset(block, 1, 100);
  cpu_allocator().deallocate(block, 100);
  CHECK(cpu_allocator_statistics().bytes_cached == 112);
}

TEST_CASE("a free list gives the last freed block first, and each block once") {
  using List = FreeList<48, 16>;
  void* first = List::allocate();
  void* second = List::allocate();
  CHECK(first != second);
  List::deallocate(first);
  List::deallocate(second);
  CHECK(List::allocate() == second);
  CHECK(List::allocate() == first);
  std::set<void*> seen{first, second};
  for (int i = 0; i < 10000; i++) {
    void* block = List::allocate();
    REQUIRE(reinterpret_cast<uintptr_t>(block) % 16 == 0);
    REQUIRE(seen.insert(block).second);
  }
  for (void* block : seen) {
    List::deallocate(block);
  }
}
#endif

TEST_CASE("more than there is is refused, and leaves no trace") {
  const AllocatorStatistics before = cpu_allocator_statistics();
  for (const size_t bytes : {size_t{1} << 46, size_t{1} << 60}) {
    std::string message;
    try {
      cpu_allocator().allocate(bytes);
    } catch (const Error& error) {
      message = error.message();
    }
    CHECK(message ==
          fmt::format("DefaultCPUAllocator: not enough memory: you tried to allocate {} bytes.",
                      bytes));
    CHECK(cpu_allocator_statistics().bytes_in_use == before.bytes_in_use);
  }
}

TEST_CASE("a device type has the allocator that is registered for it") {
  CHECK(find_allocator(DeviceType::CPU) == &cpu_allocator());
  CHECK(find_allocator(DeviceType::PrivateUse3) == nullptr);
  CHECK_THROWS_WITH(allocator_for(DeviceType::PrivateUse3),
                    "Allocator for privateusethree is not set.");
  CountingAllocator allocator;
  register_allocator(DeviceType::PrivateUse3, &allocator);
  {
    const StorageImpl storage(10, Device(DeviceType::PrivateUse3, 0));
    CHECK(allocator.allocated == 10);
    // The block goes back to where it came from.
    register_allocator(DeviceType::PrivateUse3, nullptr);
  }
  CHECK(allocator.freed == 10);
  CHECK(find_allocator(DeviceType::PrivateUse3) == nullptr);
}
