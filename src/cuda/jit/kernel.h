// A kernel: its source, compiled when it is first launched on a device of an architecture, at most once.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cuda/device.h"
#include "cuda/driver.h"
#include "cuda/jit/disk_cache.h"

namespace tsc::cuda {

// What a kernel is made of. `name` is that of its extern "C" function.
struct KernelSource {
  std::string name;
  std::string text;
  // Why there is this one: operator, dtypes and case, as `:jit` shows them.
  std::string why;
  // Where the user's own formula begins in the text (line, column, from 1), and that formula, for the
  // messages of errors; 0 where there is none.
  int formula_line = 0;
  std::string formula;
};

enum class KernelOrigin : uint8_t { none, compiled, disk };
std::string_view to_string(KernelOrigin origin);

class Kernel {
 public:
  explicit Kernel(KernelSource source) : source_(std::move(source)) {}

  // The function for the current device. RuntimeError, with the compiler's message, where the source
  // has an error.
  FunctionHandle function() {
    const FunctionHandle found =
        functions_[static_cast<size_t>(current_device())].load(std::memory_order_acquire);
    return TSC_LIKELY(found != nullptr) ? found : load();
  }
  // Of one launch: `grid` blocks of `block` threads, on the current stream.
  void launch(unsigned grid, unsigned block, void** arguments, unsigned shared_bytes = 0) {
    launch(grid, 1, 1, block, 1, arguments, shared_bytes);
  }
  void launch(unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
              void** arguments, unsigned shared_bytes = 0);

  // The same on the CPU's memory, by the host's compiler.
  void launch_on_host(unsigned grid, unsigned block, void** arguments);

  const KernelSource& source() const { return source_; }
  int64_t launches() const { return launches_.load(std::memory_order_relaxed); }
  double compile_ms() const { return compile_ms_; }
  KernelOrigin origin() const { return origin_; }
  size_t image_bytes() const { return image_bytes_; }
  // Of the function on the first device that has it; 0 where none has.
  int registers() const { return attribute(kFunctionRegisters); }
  int shared_bytes() const { return attribute(kFunctionSharedBytes); }
  // Of a multiprocessor's threads, the part that can be in flight with blocks of this size.
  double occupancy(int block) const;
  // The name of its entry on disk; "" before it is loaded.
  std::string cache_entry();

 private:
  TSC_NOINLINE FunctionHandle load();
  const std::string& image(int architecture);
  template <class Compile>
  std::string find_image(const std::string& identity, Compile compile);
  FunctionHandle load_on_host();
  int attribute(int number) const;

  KernelSource source_;
  std::mutex mutex_;
  std::map<int, std::string> images_;  // by architecture
  std::array<std::atomic<FunctionHandle>, kMaxDevices> functions_{};
  std::vector<ModuleHandle> modules_;  // never unloaded
  std::atomic<FunctionHandle> on_host_{nullptr};
  std::atomic<int64_t> launches_{0};
  double compile_ms_ = 0;
  size_t image_bytes_ = 0;
  KernelOrigin origin_ = KernelOrigin::none;
  std::shared_ptr<CacheKey> cache_key_;
};

// All kernels of the process, in the order in which they were first needed.
std::vector<Kernel*> all_kernels();
Kernel& add_kernel(KernelSource source);

// The kernels of one kind, by what they depend on: Key is a plain struct without padding. A kernel is
// made once, whatever number of threads asks.
template <class Key>
class KernelTable {
 public:
  template <class Make>
  Kernel& find(const Key& key, Make make) {
    thread_local Recent recent[kRecent];
    Recent& last = recent[Hash()(key) % kRecent];
    if (TSC_LIKELY(last.kernel != nullptr && Equal()(last.key, key))) {
      return *last.kernel;
    }
    Kernel& found = look_up(key, make);
    last = {key, &found};
    return found;
  }

 private:
  static constexpr size_t kRecent = 64;
  struct Recent {
    Key key;
    Kernel* kernel = nullptr;
  };
  // Keys are compared by their bytes.
  static_assert(std::has_unique_object_representations_v<Key>);
  struct Equal {
    bool operator()(const Key& a, const Key& b) const {
      return __builtin_memcmp(&a, &b, sizeof a) == 0;
    }
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      static_assert(sizeof(Key) % sizeof(uint64_t) == 0);
      uint64_t words[sizeof(Key) / sizeof(uint64_t)];
      __builtin_memcpy(words, &key, sizeof key);
      uint64_t hash = 0;
      for (const uint64_t word : words) hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
      return hash >> 32;
    }
  };

  template <class Make>
  TSC_NOINLINE Kernel& look_up(const Key& key, Make make) {
    {
      const std::shared_lock lock(mutex_);
      const auto found = kernels_.find(key);
      if (found != kernels_.end()) return *found->second;
    }
    const std::unique_lock lock(mutex_);
    Kernel*& kernel = kernels_[key];
    if (kernel == nullptr) kernel = &add_kernel(make());
    return *kernel;
  }

  std::shared_mutex mutex_;
  std::unordered_map<Key, Kernel*, Hash, Equal> kernels_;
};

}  // namespace tsc::cuda
