#include "core/storage.h"

#include <doctest/doctest.h>

#include <cstring>

namespace {

using namespace tsc;

constexpr Device kCpu(DeviceType::CPU);

void fill(const StorageImpl& storage) {
  for (size_t i = 0; i < storage.nbytes(); i++) {
    static_cast<unsigned char*>(storage.data())[i] = static_cast<unsigned char>(i * 7 + 1);
  }
}

bool begins_as_filled(const StorageImpl& storage, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (static_cast<unsigned char*>(storage.data())[i] != static_cast<unsigned char>(i * 7 + 1)) {
      return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a storage has the bytes that were asked for") {
  for (const size_t bytes : {1ul, 63ul, 64ul, 65ul, 1000ul, 100000ul}) {
    const Storage storage = make_intrusive<StorageImpl>(bytes, kCpu);
    CHECK(storage->nbytes() == bytes);
    CHECK(reinterpret_cast<uintptr_t>(storage->data()) % 64 == 0);
    fill(*storage);
    CHECK(begins_as_filled(*storage, bytes));
  }
  CHECK(make_intrusive<StorageImpl>(0, kCpu)->data() == nullptr);
  const Storage meta = make_intrusive<StorageImpl>(size_t{1} << 50, Device(DeviceType::Meta));
  CHECK(meta->data() == nullptr);
  CHECK(meta->nbytes() == size_t{1} << 50);
}

TEST_CASE("only what lies outside the object is taken from the allocator") {
  const size_t before = cpu_allocator_statistics().bytes_in_use;
  {
    const StorageImpl small(StorageImpl::kInlineBytes, kCpu);
    CHECK(cpu_allocator_statistics().bytes_in_use == before);
    const StorageImpl large(StorageImpl::kInlineBytes + 1, kCpu);
    CHECK(cpu_allocator_statistics().bytes_in_use > before);
  }
  CHECK(cpu_allocator_statistics().bytes_in_use == before);
}

TEST_CASE("a resize keeps what fits") {
  const size_t before = cpu_allocator_statistics().bytes_in_use;
  for (const size_t from : {1ul, 64ul, 65ul, 3000ul}) {
    for (const size_t to : {1ul, 64ul, 65ul, 3000ul, 100000ul}) {
      StorageImpl storage(from, kCpu);
      fill(storage);
      storage.resize(to);
      CAPTURE(from);
      CAPTURE(to);
      CHECK(storage.nbytes() == to);
      CHECK(begins_as_filled(storage, std::min(from, to)));
      fill(storage);
      storage.resize(0);
      CHECK(storage.nbytes() == 0);
      storage.resize(to);
      CHECK(storage.data() != nullptr);
    }
  }
  CHECK(cpu_allocator_statistics().bytes_in_use == before);
  StorageImpl meta(10, Device(DeviceType::Meta));
  meta.resize(20);
  CHECK(meta.nbytes() == 20);
  CHECK(meta.data() == nullptr);
}

TEST_CASE("a resize that fails changes nothing") {
  for (const size_t bytes : {10ul, 3000ul}) {
    StorageImpl storage(bytes, kCpu);
    fill(storage);
    void* const data = storage.data();
    CHECK_THROWS_AS(storage.resize(size_t{1} << 46), Error);
    CHECK(storage.nbytes() == bytes);
    CHECK(storage.data() == data);
    CHECK(begins_as_filled(storage, bytes));
  }
}

TEST_CASE("memory of somebody else's is given back once, and keeps its size") {
  int released = 0;
  char memory[16];
  {
    Storage storage =
        make_intrusive<StorageImpl>(memory, sizeof(memory), kCpu, [&] { released++; });
    CHECK(storage->data() == memory);
    CHECK_FALSE(storage->resizable());
    CHECK_THROWS_WITH(storage->resize(32), "Trying to resize storage that is not resizable");
    const Storage other = storage;
    storage.reset();
    CHECK(released == 0);
  }
  CHECK(released == 1);
  const StorageImpl unreleased(memory, sizeof(memory), kCpu, {});
  CHECK(unreleased.nbytes() == 16);
}

TEST_CASE("a version counts writes") {
  StorageImpl storage(8, kCpu);
  CHECK(storage.version() == 0);
  storage.bump_version();
  storage.bump_version();
  CHECK(storage.version() == 2);
  storage.resize(100);
  CHECK(storage.version() == 2);
}
