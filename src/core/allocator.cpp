#include "core/allocator.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>

#include "core/system/memory_watch.h"

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
  release_memory_for_error();
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
      if (detail::FreeBlock* block = free_[size_class]) {
        free_[size_class] = block->next;
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
        free_[size_class] = new (block) detail::FreeBlock{free_[size_class]};
        cached_ += capacity;
        return;
      }
    }
    std::free(block);
  }

  void trim() {
    std::array<detail::FreeBlock*, kNumClasses> lists{};
    {
      const std::lock_guard lock(mutex_);
      lists.swap(free_);
      cached_ = 0;
    }
    for (detail::FreeBlock* block : lists) {
      while (block != nullptr) {
        std::free(std::exchange(block, block->next));
      }
    }
  }

  // Around fork(): a computation that was left to itself (ops/cpu/background.h) may give memory back
  // at that moment.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  AllocatorStatistics statistics() {
    const std::lock_guard lock(mutex_);
    return {in_use_, cached_, peak_};
  }

 private:
  static void* take_from_system(size_t capacity) {
    // Refused in advance: Linux overcommits, and would kill the process when the memory is first
    // touched.
    if (capacity > physical_memory() || !memory_may_grow(capacity)) {
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

  std::mutex mutex_;
  // The list is linked through the blocks themselves, so freeing one takes no memory.
  std::array<detail::FreeBlock*, kNumClasses> free_{};
  size_t in_use_ = 0;
  size_t cached_ = 0;
  size_t peak_ = 0;
  size_t cap_ = physical_memory() / 4;
};

constinit std::atomic<CachingCpuAllocator*> cpu_allocator_in_use{nullptr};

CachingCpuAllocator& caching_cpu_allocator() {
  // Never destroyed: tensors in static variables give their memory back after main.
  static auto* allocator = [] {
    auto* made = new CachingCpuAllocator;
    cpu_allocator_in_use.store(made, std::memory_order_release);
    const auto lock = [] { cpu_allocator_in_use.load()->lock(); };
    const auto unlock = [] { cpu_allocator_in_use.load()->unlock(); };
    pthread_atfork(lock, unlock, unlock);
    return made;
  }();
  return *allocator;
}

std::array<std::atomic<Allocator*>, 6> registered_allocators{};

// The memory that free lists cut their blocks from. Pages without blocks are not backed by memory.
class Arena {
 public:
  static Arena& instance() {
    static auto* arena = new Arena;
    return *arena;
  }
  // Null where fewer bytes are left.
  char* cut(size_t bytes) {
    if (used_.load(std::memory_order_relaxed) >= size_) {
      return nullptr;
    }
    const size_t start = used_.fetch_add(bytes, std::memory_order_relaxed);
    return start + bytes <= size_ ? base_ + start : nullptr;
  }
  bool holds(const void* pointer) const {
    return reinterpret_cast<uintptr_t>(pointer) - reinterpret_cast<uintptr_t>(base_) < size_;
  }

 private:
  static constexpr size_t kSize = size_t{256} << 20;

  Arena() {
    void* memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) {
      base_ = static_cast<char*>(memory);
      size_ = kSize;
    }
  }

  char* base_ = nullptr;
  size_t size_ = 0;
  std::atomic<size_t> used_{0};
};

}  // namespace

namespace detail {

void* refill(FreeBlocks& list, size_t bytes, size_t alignment) {
  // Lists with few blocks touch one page; lists that grow touch larger pieces.
  constexpr uint32_t kFirstChunk = 4096;
  constexpr uint32_t kLastChunk = 65536;
  list.chunk = list.chunk == 0 ? kFirstChunk : std::min(2 * list.chunk, kLastChunk);
  const size_t blocks = list.chunk / bytes;
  char* const chunk =
      blocks == 0 || alignment > kAlignment ? nullptr : Arena::instance().cut(list.chunk);
  if (chunk == nullptr) {
    return ::operator new(bytes, std::align_val_t(alignment));
  }
  // Lowest address first, so that objects made one after another are adjacent.
  for (size_t i = blocks - 1; i > 0; i--) {
    list.head = new (chunk + i * bytes) FreeBlock{list.head};
  }
  list.count += static_cast<uint32_t>(blocks - 1);
  return chunk;
}

void free_surplus(FreeBlocks& list, void* pointer, size_t alignment) noexcept {
  if (Arena::instance().holds(pointer)) {
    list.head = new (pointer) FreeBlock{list.head};
    list.count++;
  } else {
    ::operator delete(pointer, std::align_val_t(alignment));
  }
}

}  // namespace detail

Allocator& cpu_allocator() { return caching_cpu_allocator(); }

AllocatorStatistics cpu_allocator_statistics() { return caching_cpu_allocator().statistics(); }

// Also called by an operator new that fails while the allocator is being made.
void trim_cpu_allocator() {
  if (CachingCpuAllocator* allocator = cpu_allocator_in_use.load(std::memory_order_acquire)) {
    allocator->trim();
  }
}

Allocator* find_allocator(DeviceType type) {
  return type == DeviceType::CPU
             ? &cpu_allocator()
             : registered_allocators[static_cast<size_t>(type)].load(std::memory_order_acquire);
}

Allocator& allocator_for(DeviceType type) {
  Allocator* allocator = find_allocator(type);
  TSC_CHECK(allocator != nullptr, "Allocator for {} is not set.", to_string(type));
  return *allocator;
}

void register_allocator(DeviceType type, Allocator* allocator) {
  registered_allocators[static_cast<size_t>(type)].store(allocator, std::memory_order_release);
}

}  // namespace tsc
