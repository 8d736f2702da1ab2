#include "core/allocator.h"

#include <sys/mman.h>

#include <unistd.h>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace tsc {

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kHugePage = size_t{2} << 20;

// Size classes: four to each power of two from 64 bytes up, so that at most a fifth of a block is
// unused.
constexpr size_t class_of(size_t bytes) {
  if (bytes <= kAlignment) {
    return 0;
  }
  const auto log =
      static_cast<size_t>(std::bit_width(bytes - 1) - 1);  // 2^log < bytes <= 2^(log+1)
  const size_t step = size_t{1} << (log - 2);
  return (log - 6) * 4 + (bytes - (size_t{1} << log) + step - 1) / step;
}
constexpr size_t class_bytes(size_t size_class) {
  if (size_class == 0) {
    return kAlignment;
  }
  const size_t log = (size_class - 1) / 4 + 6;
  return (size_t{1} << log) + ((size_class - 1) % 4 + 1) * (size_t{1} << (log - 2));
}
static_assert(class_of(65) == 1 && class_bytes(1) == 80 && class_of(80) == 1 &&
              class_of(128) == 4 && class_bytes(4) == 128 && class_of(129) == 5 &&
              class_bytes(class_of(1 << 20)) == 1 << 20);
constexpr size_t kNumClasses = (48 - 6) * 4 + 1;

[[noreturn]] void throw_out_of_memory(size_t bytes) {
  throw_error(ErrorKind::RuntimeError,
              "DefaultCPUAllocator: not enough memory: you tried to allocate {} bytes.", bytes);
}

class CachingCpuAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes) override {
    const size_t size_class = class_of(bytes);
    if (size_class >= kNumClasses) {
      throw_out_of_memory(bytes);
    }
    const size_t capacity = class_bytes(size_class);
    {
      const std::lock_guard lock(mutex_);
      in_use_ += capacity;
      if (in_use_ > peak_) {
        peak_ = in_use_;
      }
      auto& blocks = free_[size_class];
      if (!blocks.empty()) {
        void* block = blocks.back();
        blocks.pop_back();
        cached_ -= capacity;
        return block;
      }
    }
    void* block = take_from_system(capacity);
    if (block == nullptr) {
      trim();
      block = take_from_system(capacity);
    }
    if (block == nullptr) {
      const std::lock_guard lock(mutex_);
      in_use_ -= capacity;
      throw_out_of_memory(bytes);
    }
    return block;
  }

  void deallocate(void* block, size_t bytes) override {
    const size_t size_class = class_of(bytes);
    const size_t capacity = class_bytes(size_class);
    {
      const std::lock_guard lock(mutex_);
      in_use_ -= capacity;
      if (TSC_FREE_LISTS != 0 && cached_ + capacity <= cap_) {
        free_[size_class].push_back(block);
        cached_ += capacity;
        return;
      }
    }
    std::free(block);
  }

  void trim() {
    std::array<std::vector<void*>, kNumClasses> blocks;
    {
      const std::lock_guard lock(mutex_);
      blocks.swap(free_);
      cached_ = 0;
    }
    for (const auto& list : blocks) {
      for (void* block : list) {
        std::free(block);
      }
    }
  }

  AllocatorStatistics statistics() {
    const std::lock_guard lock(mutex_);
    return {in_use_, cached_, peak_};
  }

 private:
  static void* take_from_system(size_t capacity) {
    // Refused before it is tried: Linux overcommits, and would end the process at the first touch
    // instead.
    if (capacity > physical_memory()) {
      return nullptr;
    }
    if (capacity < kHugePage) {
      return std::aligned_alloc(kAlignment, (capacity + kAlignment - 1) / kAlignment * kAlignment);
    }
    const size_t rounded = (capacity + kHugePage - 1) / kHugePage * kHugePage;
    void* block = std::aligned_alloc(kHugePage, rounded);
    if (block != nullptr) {
      madvise(block, rounded, MADV_HUGEPAGE);
    }
    return block;
  }

  static size_t physical_memory() {
    static const size_t bytes =
        static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
  }

  std::mutex mutex_;
  std::array<std::vector<void*>, kNumClasses> free_;
  size_t in_use_ = 0;
  size_t cached_ = 0;
  size_t peak_ = 0;
  size_t cap_ = physical_memory() / 4;
};

CachingCpuAllocator& caching_cpu_allocator() {
  // Never destroyed: tensors in static variables give their memory back after main.
  static auto* allocator = new CachingCpuAllocator;
  return *allocator;
}

std::array<std::atomic<Allocator*>, 6> registered_allocators{};

}  // namespace

Allocator& cpu_allocator() { return caching_cpu_allocator(); }

AllocatorStatistics cpu_allocator_statistics() { return caching_cpu_allocator().statistics(); }

void trim_cpu_allocator() { caching_cpu_allocator().trim(); }

Allocator& allocator_for(DeviceType type) {
  if (type == DeviceType::CPU) {
    return cpu_allocator();
  }
  Allocator* allocator =
      registered_allocators[static_cast<size_t>(type)].load(std::memory_order_acquire);
  TSC_CHECK(allocator != nullptr, "Allocator for {} is not set.", to_string(type));
  return *allocator;
}

void register_allocator(DeviceType type, Allocator* allocator) {
  registered_allocators[static_cast<size_t>(type)].store(allocator, std::memory_order_release);
}

}  // namespace tsc
