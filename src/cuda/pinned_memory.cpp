#include "cuda/pinned_memory.h"

#include <map>
#include <mutex>

#include "cuda/device.h"

namespace tsc::cuda {

namespace {

constexpr unsigned kPortable = 1;  // for the contexts of all devices

struct PinnedBlocks {
  std::mutex mutex;
  std::map<const char*, size_t> sizes;
};
PinnedBlocks& blocks() {
  static PinnedBlocks* const kept = new PinnedBlocks();
  return *kept;
}

}  // namespace

void* allocate_pinned(size_t bytes) {
  static_cast<void>(current_device());
  enter_device();
  void* memory = nullptr;
  TSC_CUDA_CHECK(allocate_host(&memory, bytes, kPortable));
  const std::lock_guard lock(blocks().mutex);
  blocks().sizes[static_cast<const char*>(memory)] = bytes;
  return memory;
}

void free_pinned(void* memory) {
  {
    const std::lock_guard lock(blocks().mutex);
    blocks().sizes.erase(static_cast<const char*>(memory));
  }
  driver().free_host(memory);
}

bool is_pinned(const void* address) {
  const std::lock_guard lock(blocks().mutex);
  const auto* const at = static_cast<const char*>(address);
  const auto after = blocks().sizes.upper_bound(at);
  if (after == blocks().sizes.begin()) return false;
  const auto& [start, size] = *std::prev(after);
  return at < start + size;
}

}  // namespace tsc::cuda
