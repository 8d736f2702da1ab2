#include "core/system/memory_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string_view>

#include "core/allocator.h"

namespace tsc {

namespace {

constexpr int64_t kStep = int64_t{64} << 20;  // taken between two questions
constexpr int64_t kGrace = int64_t{4} << 20;
constexpr size_t kLeastReserve = size_t{64} << 20;
constexpr size_t kReserveShare = 64;  // of the machine's memory
constexpr size_t kBallast = size_t{512} << 10;

// Bytes that this thread may still allocate before the system is asked again.
constinit thread_local int64_t unasked = kStep;
constinit std::atomic<void*> ballast{nullptr};

// The first bytes of a file under /proc or /sys, read without allocating.
class KernelFile {
 public:
  explicit KernelFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
      const ssize_t count = read(file, buffer_, sizeof(buffer_));
      size_ = count > 0 ? static_cast<size_t>(count) : 0;
      close(file);
    }
  }
  // The number behind `label`; SIZE_MAX where there is none.
  size_t number(std::string_view label) const {
    const std::string_view text(buffer_, size_);
    const size_t at = text.find(label);
    if (at == text.npos) {
      return SIZE_MAX;
    }
    const size_t begin = text.find_first_not_of(" \t", at + label.size());
    size_t value = SIZE_MAX;
    if (begin != text.npos) {
      std::from_chars(text.data() + begin, text.data() + text.size(), value);
    }
    return value;
  }

 private:
  char buffer_[4096];
  size_t size_ = 0;
};

size_t difference(size_t limit, size_t used) {
  return limit == SIZE_MAX || used == SIZE_MAX ? SIZE_MAX : limit - std::min(limit, used);
}

// The page cache counts as used, but the system reclaims its inactive pages first.
size_t left_in_control_group() {
  struct Group {
    const char* limit;
    const char* used;
    const char* statistics;
    std::string_view reclaimable;
  };
  static constexpr Group kGroups[] = {
      {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat",
       "\ninactive_file "},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
       "/sys/fs/cgroup/memory/memory.stat", "\ntotal_inactive_file "},
  };
  size_t left = SIZE_MAX;
  for (const Group& group : kGroups) {
    const size_t limit = KernelFile(group.limit).number("");
    if (limit == SIZE_MAX) {
      continue;
    }
    const size_t files = KernelFile(group.statistics).number(group.reclaimable);
    const size_t used = KernelFile(group.used).number("");
    left = std::min(left, difference(limit, files == SIZE_MAX ? used : difference(used, files)));
  }
  return left;
}

size_t resident_memory() {
  const size_t pages = KernelFile("/proc/self/statm").number(" ");
  return pages == SIZE_MAX ? SIZE_MAX : pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

size_t reserve() { return std::max(kLeastReserve, physical_memory() / kReserveShare); }

}  // namespace

size_t physical_memory() {
  static const size_t bytes =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

size_t available_memory() {
  const KernelFile machine("/proc/meminfo");
  const size_t free = machine.number("MemAvailable:");
  const size_t swap = machine.number("SwapFree:");
  size_t available = SIZE_MAX;
  if (free != SIZE_MAX) {
    available = (free + (swap == SIZE_MAX ? 0 : swap)) << 10;
  }
  return std::min(available, left_in_control_group());
}

bool memory_may_grow(size_t bytes) noexcept {
  unasked -= static_cast<int64_t>(std::min(bytes, size_t{INT64_MAX / 4}));
  if (TSC_LIKELY(unasked >= 0)) {
    return true;
  }
  const size_t available = available_memory();
  const bool is_enough = available >= reserve() && available - reserve() >= bytes;
  if (is_enough || (available > bytes && resident_memory() < available - bytes)) {
    unasked = kStep;
    if (ballast.load(std::memory_order_relaxed) == nullptr) {
      std::free(ballast.exchange(std::malloc(kBallast)));
    }
    return true;
  }
  unasked = kGrace;
  return false;
}

void release_memory_for_error() noexcept { std::free(ballast.exchange(nullptr)); }

namespace {

// Where malloc fails, the tensors' cache is freed before the second attempt.
template <class Take>
void* take(size_t bytes, Take from_heap) {
  if (TSC_LIKELY(memory_may_grow(bytes))) {
    if (void* block = from_heap(); TSC_LIKELY(block != nullptr)) {
      return block;
    }
    trim_cpu_allocator();
    if (void* block = from_heap()) {
      return block;
    }
  }
  release_memory_for_error();
  throw std::bad_alloc();
}

size_t at_least_one(size_t bytes) { return bytes == 0 ? 1 : bytes; }

}  // namespace

void* allocate_memory(size_t bytes) {
  return take(bytes, [bytes] { return std::malloc(at_least_one(bytes)); });
}

void* reallocate_memory(void* block, size_t bytes) {
  return take(bytes, [=] { return std::realloc(block, at_least_one(bytes)); });
}

void* allocate_zeroed_memory(size_t bytes) {
  return take(bytes, [bytes] { return std::calloc(1, at_least_one(bytes)); });
}

}  // namespace tsc

// Sanitizers have an operator new of their own.
#if TSC_FREE_LISTS

void* operator new(size_t bytes) { return tsc::allocate_memory(bytes); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  const auto to = static_cast<size_t>(alignment);
  return tsc::take(bytes, [=] { return std::aligned_alloc(to, (bytes + to - 1) / to * to); });
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { std::free(block); }

#endif
