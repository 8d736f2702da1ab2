// Allocators of tensor memory. One per device type; the CPU's keeps freed blocks for reuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "core/device.h"

namespace tsc {

class TSC_API Allocator {
 public:
  virtual ~Allocator() = default;
  // At least `bytes` bytes (> 0), aligned to 64, uninitialised. RuntimeError when memory is out.
  virtual void* allocate(size_t bytes) = 0;
  // `bytes`: the size that the block was requested with.
  virtual void deallocate(void* block, size_t bytes) = 0;
};

// All in bytes.
struct AllocatorStatistics {
  size_t bytes_in_use;  // handed out now
  size_t bytes_cached;  // kept for reuse now
  size_t peak_in_use;
};

// The caching CPU allocator. A fresh large block costs page faults that take several times as long
// as the arithmetic that fills it, so freed blocks are kept, by size class, up to a cap, and given
// back when memory runs out.
TSC_API Allocator& cpu_allocator();
TSC_API AllocatorStatistics cpu_allocator_statistics();
// Gives every cached block back to the system.
TSC_API void trim_cpu_allocator();

// The allocator for `type`. RuntimeError for a device type that none was registered for.
TSC_API Allocator& allocator_for(DeviceType type);
// The same, null for such a type.
TSC_API Allocator* find_allocator(DeviceType type);
// nullptr takes it out again.
TSC_API void register_allocator(DeviceType type, Allocator* allocator);

// A free list for objects of one size: `operator new` and `operator delete` of TensorImpl,
// StorageImpl, Node, of texts and tuples. Thread-local, so that it takes no lock; an object freed
// on another thread joins that thread's list. In sanitizer builds it passes through to the heap, so
// that use after free is seen.
//
// Blocks are cut from an arena, a reserved stretch of address space that all lists share: a program
// that makes and drops a million tuples pays neither for malloc's headers nor for its merging of
// freed blocks. A block of the arena stays in its list for good. Once the arena is used up, blocks
// come from the heap, and beyond kMaxFromHeap they go back to it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TSC_FREE_LISTS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TSC_FREE_LISTS 0
#endif
#endif
#ifndef TSC_FREE_LISTS
#define TSC_FREE_LISTS 1
#endif

namespace detail {

struct FreeBlock {
  FreeBlock* next;
};

// No destructor: blocks that a thread leaves in its list at its end would have to be freed after
// the last object that uses the list, and the main thread's list dies with the process.
struct FreeBlocks {
  static constexpr uint32_t kMaxFromHeap = 4096;
  FreeBlock* head;
  uint32_t count;
  uint32_t chunk;  // how many bytes were last cut from the arena
};

// A block for an empty list, which is given more of them. `bytes` is a multiple of `alignment`.
TSC_API void* refill(FreeBlocks& list, size_t bytes, size_t alignment);
// Frees a block when its list is full: blocks of the arena are kept, those of the heap are freed.
TSC_API void free_surplus(FreeBlocks& list, void* pointer, size_t alignment) noexcept;

}  // namespace detail

template <size_t Size, size_t Alignment>
class FreeList {
 public:
  static void* allocate() {
#if TSC_FREE_LISTS
    if (TSC_LIKELY(list_.head != nullptr)) {
      detail::FreeBlock* block = list_.head;
      list_.head = block->next;
      list_.count--;
      return block;
    }
    return detail::refill(list_, kBytes, Alignment);
#else
    return ::operator new(kBytes, std::align_val_t(Alignment));
#endif
  }
  static void deallocate(void* pointer) noexcept {
#if TSC_FREE_LISTS
    if (TSC_LIKELY(list_.count < detail::FreeBlocks::kMaxFromHeap)) {
      list_.head = new (pointer) detail::FreeBlock{list_.head};
      list_.count++;
      return;
    }
    detail::free_surplus(list_, pointer, Alignment);
#else
    ::operator delete(pointer, std::align_val_t(Alignment));
#endif
  }

 private:
  static constexpr size_t kBytes = (Size + Alignment - 1) / Alignment * Alignment;
  static inline constinit thread_local detail::FreeBlocks list_{nullptr, 0, 0};
};

#define TSC_USE_FREE_LIST(Class)                                         \
  static void* operator new(size_t) {                                    \
    return ::tsc::FreeList<sizeof(Class), alignof(Class)>::allocate();   \
  }                                                                      \
  static void operator delete(void* pointer) noexcept {                  \
    ::tsc::FreeList<sizeof(Class), alignof(Class)>::deallocate(pointer); \
  }

}  // namespace tsc
