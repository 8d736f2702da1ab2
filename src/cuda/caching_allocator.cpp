#include "cuda/caching_allocator.h"

#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.h"
#include "cuda/device.h"
#include "cuda/stream.h"
#include "cuda/switches.h"

namespace tsc::cuda {

namespace {

constexpr size_t kRounding = 512;
constexpr size_t kSmall = size_t{1} << 20;  // up to here a block is small
constexpr size_t kSmallSegment = size_t{2} << 20;
constexpr size_t kMedium = size_t{10} << 20;  // up to here it shares a segment
constexpr size_t kMediumSegment = size_t{20} << 20;
constexpr size_t kLargeRounding = size_t{2} << 20;

struct Block {
  DevicePointer data;
  size_t size;
  size_t requested = 0;
  StreamHandle stream;
  bool is_small;
  bool in_use = false;
  Block* before = nullptr;  // neighbours in the segment
  Block* after = nullptr;
  std::vector<std::pair<int64_t, StreamHandle>> readers;
  int events = 0;  // of readers that are not through yet
  bool is_recent = false;
};

// The smallest that fits comes first, then the lowest address.
struct BySize {
  bool operator()(const Block* a, const Block* b) const {
    if (a->stream != b->stream) return std::less<>()(a->stream, b->stream);
    return a->size != b->size ? a->size < b->size : a->data < b->data;
  }
};

size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

bool caches() {
  static const bool on = !is_on("TENSORSCOPE_CUDA_NO_CACHING");
  return on;
}

std::string readable(size_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < size_t{1} << 20) return fmt::format("{:.2f} KiB", value / 1024);
  if (bytes < size_t{1} << 30) return fmt::format("{:.2f} MiB", value / (1 << 20));
  return fmt::format("{:.2f} GiB", value / (1 << 30));
}

// The blocks of one device.
class DeviceBlocks {
 public:
  DevicePointer allocate(size_t bytes) {
    const std::lock_guard lock(mutex_);
    take_back_read_blocks(false);
    const size_t size = caches() ? round_up(bytes, kRounding) : bytes;
    const bool is_small = size <= kSmall;
    const StreamHandle stream = current_stream().handle;
    Block* block = caches() ? take_recent(size, stream) : nullptr;
    if (block == nullptr && caches()) block = take_free(size, stream, is_small);
    if (block == nullptr && join_recent()) block = take_free(size, stream, is_small);
    if (block == nullptr) block = new_segment(size, stream, is_small, bytes);
    split(*block, size);
    block->in_use = true;
    block->requested = bytes;
    statistics_.allocated.add(static_cast<int64_t>(block->size));
    statistics_.requested.add(static_cast<int64_t>(bytes));
    statistics_.allocations.add(1);
    return block->data;
  }

  bool deallocate(DevicePointer data) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(data);
    if (found == blocks_.end() || !found->second->in_use) return false;
    Block& block = *found->second;
    statistics_.allocated.remove(static_cast<int64_t>(block.size));
    statistics_.requested.remove(static_cast<int64_t>(block.requested));
    statistics_.allocations.remove(1);
    block.in_use = false;
    if (block.readers.empty()) {
      if (!keep_recent(block)) make_free(block);
    } else {
      wait_for_readers(block);
    }
    return true;
  }

  bool record(DevicePointer data, int64_t id, StreamHandle stream) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(data);
    if (found == blocks_.end()) return false;
    Block& block = *found->second;
    if (stream != block.stream) block.readers.emplace_back(id, stream);
    return true;
  }

  void empty_cache() {
    const std::lock_guard lock(mutex_);
    take_back_read_blocks(true);
    join_recent();
    release_segments();
  }

  MemoryStatistics read_statistics() {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }
  void reset_peaks() {
    const std::lock_guard lock(mutex_);
    for (Count* count :
         {&statistics_.allocated, &statistics_.reserved, &statistics_.requested,
          &statistics_.inactive_split, &statistics_.allocations, &statistics_.segments}) {
      count->peak = count->current;
    }
  }

 private:
  // Small blocks are kept by size when they are freed, neither joined nor split again, since programs ask
  // for the same sizes over and over.
  std::vector<Block*>* recent_of(size_t size) {
    const size_t number = size / kRounding;
    return number < recent_.size() ? &recent_[number] : nullptr;
  }
  Block* take_recent(size_t size, StreamHandle stream) {
    std::vector<Block*>* const recent = recent_of(size);
    if (recent == nullptr || recent->empty() || recent->back()->stream != stream) return nullptr;
    Block* const block = recent->back();
    recent->pop_back();
    recent_count_--;
    block->is_recent = false;
    take_from_split(*block);
    return block;
  }
  bool keep_recent(Block& block) {
    std::vector<Block*>* const recent = caches() ? recent_of(block.size) : nullptr;
    if (recent == nullptr) return false;
    recent->push_back(&block);
    recent_count_++;
    block.is_recent = true;
    if (is_split(block)) statistics_.inactive_split.add(static_cast<int64_t>(block.size));
    return true;
  }
  bool join_recent() {
    if (recent_count_ == 0) return false;
    for (std::vector<Block*>& blocks : recent_) {
      for (Block* const block : std::exchange(blocks, {})) {
        block->is_recent = false;
        take_from_split(*block);
        make_free(*block);
      }
    }
    recent_count_ = 0;
    return true;
  }
  static bool is_split(const Block& block) {
    return block.before != nullptr || block.after != nullptr;
  }
  void take_from_split(const Block& block) {
    if (is_split(block)) statistics_.inactive_split.remove(static_cast<int64_t>(block.size));
  }

  Block* take_free(size_t size, StreamHandle stream, bool is_small) {
    auto& free = free_[is_small ? 0 : 1];
    Block wanted{0, size, 0, stream, is_small, false, nullptr, nullptr, {}, 0};
    const auto found = free.lower_bound(&wanted);
    if (found == free.end() || (*found)->stream != stream) return nullptr;
    Block* const block = *found;
    free.erase(found);
    take_from_split(*block);
    return block;
  }

  Block* new_segment(size_t size, StreamHandle stream, bool is_small, size_t asked) {
    const size_t segment = !caches()        ? size
                           : is_small       ? kSmallSegment
                           : size < kMedium ? kMediumSegment
                                            : round_up(size, kLargeRounding);
    enter_device();
    DevicePointer data = 0;
    Result result = driver().allocate(&data, segment);
    if (result == kOutOfMemory) {
      statistics_.alloc_retries++;
      take_back_read_blocks(true);
      join_recent();
      release_segments();
      result = driver().allocate(&data, segment);
    }
    if (result == kOutOfMemory) {
      statistics_.ooms++;
      throw_out_of_memory(asked);
    }
    check(result, "allocate");
    auto block = std::make_unique<Block>(
        Block{data, segment, 0, stream, is_small, false, nullptr, nullptr, {}, 0});
    Block* const made = block.get();
    blocks_[data] = std::move(block);
    statistics_.reserved.add(static_cast<int64_t>(segment));
    statistics_.segments.add(1);
    return made;
  }

  [[noreturn]] void throw_out_of_memory(size_t asked) {
    size_t free = 0;
    size_t total = 0;
    driver().memory_info(&free, &total);
    const auto allocated = static_cast<size_t>(statistics_.allocated.current);
    const auto reserved = static_cast<size_t>(statistics_.reserved.current);
    throw_error(
        ErrorKind::OutOfMemoryError,
        "CUDA out of memory. Tried to allocate {}. GPU {} has a total capacity of {} of which {} "
        "is free. Of the allocated memory {} is allocated by tensors, and {} is reserved but "
        "unallocated.",
        readable(asked), current_device(), readable(total), readable(free), readable(allocated),
        readable(reserved - allocated));
  }

  // What is left of a block that is larger than asked for is a block of its own, if it is worth one.
  void split(Block& block, size_t size) {
    const size_t rest = block.size - size;
    if (!caches() || rest < (block.is_small ? kRounding : kSmall + 1)) return;
    auto made = std::make_unique<Block>(Block{block.data + size,
                                              rest,
                                              0,
                                              block.stream,
                                              block.is_small,
                                              false,
                                              &block,
                                              block.after,
                                              {},
                                              0});
    if (block.after != nullptr) block.after->before = made.get();
    block.after = made.get();
    block.size = size;
    free_[block.is_small ? 0 : 1].insert(made.get());
    statistics_.inactive_split.add(static_cast<int64_t>(rest));
    blocks_[made->data] = std::move(made);
  }

  void make_free(Block& block) {
    if (!caches()) {
      release(block);
      return;
    }
    join(block, block.before);
    join(block, block.after);
    if (is_split(block)) statistics_.inactive_split.add(static_cast<int64_t>(block.size));
    free_[block.is_small ? 0 : 1].insert(&block);
  }

  // Takes a free neighbour into the block.
  void join(Block& block, Block* other) {
    if (other == nullptr || other->in_use || other->events > 0 || other->is_recent) return;
    free_[block.is_small ? 0 : 1].erase(other);
    statistics_.inactive_split.remove(static_cast<int64_t>(other->size));
    auto own = std::move(blocks_.at(other->data));
    blocks_.erase(other->data);
    if (other == block.before) {
      auto self = std::move(blocks_.at(block.data));
      blocks_.erase(block.data);
      block.data = other->data;
      block.before = other->before;
      if (block.before != nullptr) block.before->after = &block;
      blocks_[block.data] = std::move(self);
    } else {
      block.after = other->after;
      if (block.after != nullptr) block.after->before = &block;
    }
    block.size += other->size;
  }

  void release(Block& block) {
    enter_device();
    TSC_CUDA_CHECK(free(block.data));
    statistics_.reserved.remove(static_cast<int64_t>(block.size));
    statistics_.segments.remove(1);
    blocks_.erase(block.data);
  }

  void release_segments() {
    for (auto& free : free_) {
      std::vector<Block*> whole;
      for (Block* const block : free) {
        if (block->before == nullptr && block->after == nullptr) whole.push_back(block);
      }
      if (!whole.empty()) {
        enter_device();
        TSC_CUDA_CHECK(synchronize_context());
      }
      for (Block* const block : whole) {
        free.erase(block);
        release(*block);
      }
    }
  }

  void wait_for_readers(Block& block) {
    enter_device();
    for (const auto& [id, stream] : block.readers) {
      EventHandle event = nullptr;
      TSC_CUDA_CHECK(create_event(&event, kEventDisableTiming));
      TSC_CUDA_CHECK(record_event(event, stream));
      reading_.emplace_back(event, &block);
      block.events++;
    }
    block.readers.clear();
  }
  void take_back_read_blocks(bool wait) {
    std::erase_if(reading_, [&](const auto& entry) {
      const auto [event, block] = entry;
      if (wait) {
        TSC_CUDA_CHECK(synchronize_event(event));
      } else if (driver().query_event(event) == kNotReady) {
        return false;
      }
      driver().destroy_event(event);
      if (--block->events == 0) make_free(*block);
      return true;
    });
  }

  std::mutex mutex_;
  MemoryStatistics statistics_;
  std::unordered_map<DevicePointer, std::unique_ptr<Block>> blocks_;
  std::set<Block*, BySize> free_[2];            // small, large
  std::array<std::vector<Block*>, 64> recent_;  // by size in units of kRounding
  int64_t recent_count_ = 0;
  std::vector<std::pair<EventHandle, Block*>> reading_;
};

DeviceBlocks& blocks_of(int device) {
  static std::array<DeviceBlocks, kMaxDevices>* const blocks =
      new std::array<DeviceBlocks, kMaxDevices>();
  return (*blocks)[static_cast<size_t>(device)];
}

class CachingAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes) override {
    return reinterpret_cast<void*>(blocks_of(current_device()).allocate(bytes));
  }
  void deallocate(void* block, size_t) override {
    const auto data = reinterpret_cast<DevicePointer>(block);
    const int first = current_device();
    if (blocks_of(first).deallocate(data)) return;
    for (int i = 0; i < device_count(); i++) {
      const CudaGuard guard(i);
      if (i != first && blocks_of(i).deallocate(data)) return;
    }
  }
};

CachingAllocator allocator;
[[maybe_unused]] const bool registered = (register_allocator(DeviceType::CUDA, &allocator), true);

}  // namespace

Allocator& caching_allocator() { return allocator; }
MemoryStatistics memory_statistics(int device) { return blocks_of(device).read_statistics(); }
void reset_peak_memory(int device) { blocks_of(device).reset_peaks(); }
void empty_cache() {
  for (int i = 0; i < device_count(); i++) {
    const CudaGuard guard(i);
    blocks_of(i).empty_cache();
  }
}
void record_stream(void* data, int64_t stream_id, StreamHandle stream) {
  blocks_of(current_device()).record(reinterpret_cast<DevicePointer>(data), stream_id, stream);
}

}  // namespace tsc::cuda
