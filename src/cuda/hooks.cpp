// CUDA's part of core/cuda_hooks.h.
#include "core/cuda_hooks.h"

#include <algorithm>

#include "cuda/caching_allocator.h"
#include "cuda/device.h"
#include "cuda/jit/kernel.h"
#include "cuda/jit/script_function.h"
#include "cuda/ops/random.h"
#include "cuda/pinned_memory.h"
#include "cuda/stream.h"

namespace tsc::cuda {

namespace {

Stream native(const CudaStream& stream) {
  return {stream.device, stream.id, reinterpret_cast<StreamHandle>(stream.handle)};
}
CudaStream shown(const Stream& stream) {
  return {stream.device, stream.id, reinterpret_cast<uint64_t>(stream.handle)};
}

class Event final : public CudaEvent {
 public:
  explicit Event(bool timed) : flags_(timed ? 0 : kEventDisableTiming) {}
  ~Event() override {
    if (handle_ != nullptr) driver().destroy_event(handle_);
  }
  void record(const CudaStream& stream) override {
    const CudaGuard guard(stream.device);
    enter_device();
    if (handle_ == nullptr) TSC_CUDA_CHECK(create_event(&handle_, flags_));
    TSC_CUDA_CHECK(record_event(handle_, native(stream).handle));
    device_ = stream.device;
  }
  void wait(const CudaStream& stream) override {
    if (handle_ == nullptr) return;
    const CudaGuard guard(stream.device);
    enter_device();
    TSC_CUDA_CHECK(wait_for_event(native(stream).handle, handle_, 0));
  }
  bool query() override {
    if (handle_ == nullptr) return true;
    const Result result = driver().query_event(handle_);
    if (result != kNotReady) check(result, "query_event");
    return result == kSuccess;
  }
  void synchronize() override {
    if (handle_ != nullptr) TSC_CUDA_CHECK(synchronize_event(handle_));
  }
  double elapsed_ms(CudaEvent& end) override {
    auto& last = static_cast<Event&>(end);
    TSC_CHECK_VALUE(handle_ != nullptr && last.handle_ != nullptr,
                    "Both events must be recorded before calculating elapsed time.");
    float ms = 0;
    check(driver().elapsed_ms(&ms, handle_, last.handle_), "elapsed_ms");
    return static_cast<double>(ms);
  }

 private:
  EventHandle handle_ = nullptr;
  unsigned flags_;
  int device_ = 0;
};

void add(std::vector<std::pair<std::string, int64_t>>& to, std::string_view name,
         const Count& count) {
  to.emplace_back(fmt::format("{}.all.allocated", name), count.allocated);
  to.emplace_back(fmt::format("{}.all.current", name), count.current);
  to.emplace_back(fmt::format("{}.all.freed", name), count.freed);
  to.emplace_back(fmt::format("{}.all.peak", name), count.peak);
}

std::string cache_line() {
  const DiskCache& cache = DiskCache::instance();
  return cache.folder().empty()
             ? fmt::format("cache on disk: none, {}", cache.reason())
             : fmt::format("cache on disk: {}, {} kernels, {} KiB", cache.folder(), cache.entries(),
                           cache.bytes() / 1024);
}

class Hooks final : public CudaHooks {
 public:
  int device_count() override { return cuda::device_count(); }
  int current_device() override { return cuda::current_device(); }
  void set_device(int index) override { cuda::set_device(index); }
  void synchronize(int index) override { synchronize_device(index); }
  CudaDeviceProperties properties(int index) override { return cuda::properties(index); }

  void manual_seed(int device, uint64_t seed) override { set_seed(device, seed); }
  uint64_t initial_seed(int device) override { return seed_of(device); }

  std::vector<std::pair<std::string, int64_t>> memory_stats(int index) override {
    const MemoryStatistics of = memory_statistics(index);
    std::vector<std::pair<std::string, int64_t>> found;
    add(found, "allocated_bytes", of.allocated);
    add(found, "allocation", of.allocations);
    add(found, "inactive_split_bytes", of.inactive_split);
    found.emplace_back("num_alloc_retries", of.alloc_retries);
    found.emplace_back("num_ooms", of.ooms);
    add(found, "requested_bytes", of.requested);
    add(found, "reserved_bytes", of.reserved);
    add(found, "segment", of.segments);
    return found;
  }
  void reset_peak_memory_stats(int index) override { reset_peak_memory(index); }
  void empty_cache() override { cuda::empty_cache(); }
  std::pair<int64_t, int64_t> memory_info(int index) override {
    const CudaGuard guard(index);
    enter_device();
    size_t free = 0;
    size_t total = 0;
    check(driver().memory_info(&free, &total), "memory_info");
    return {static_cast<int64_t>(free), static_cast<int64_t>(total)};
  }

  CudaStream current_stream(int device) override { return shown(cuda::current_stream(device)); }
  CudaStream default_stream(int device) override { return shown(cuda::default_stream(device)); }
  CudaStream new_stream(int device, int priority) override {
    return shown(next_stream(device, priority));
  }
  void set_stream(const CudaStream& stream) override { set_current_stream(native(stream)); }
  void synchronize_stream(const CudaStream& stream) override {
    cuda::synchronize_stream(native(stream));
  }
  bool query_stream(const CudaStream& stream) override {
    return cuda::query_stream(native(stream));
  }
  CudaEvent* new_event(bool timed) override {
    cuda::current_device();
    return new Event(timed);
  }

  std::string info() override {
    const Driver* const opened = find_driver();
    std::string text;
    if (opened == nullptr) {
      text += "driver: none was found (libcuda.so.1)\n";
    } else {
      text += fmt::format("driver: {}, for CUDA {}.{}{}\n", opened->path, opened->version / 1000,
                          opened->version % 1000 / 10, opened->is_emulator ? ", emulated" : "");
    }
    std::string reason;
    const Nvrtc* const compiler = find_nvrtc(&reason);
    text +=
        compiler == nullptr
            ? fmt::format("NVRTC: none was found{}{}\n", reason.empty() ? "" : ": ", reason)
            : fmt::format("NVRTC: {}, {}.{}\n", compiler->path, compiler->major, compiler->minor);
    for (int i = 0; i < cuda::device_count(); i++) {
      const CudaDeviceProperties& of = cuda::properties(i);
      text += fmt::format("cuda:{}: {}, sm_{}{}, {} multiprocessors, {} MiB\n", i, of.name,
                          of.major, of.minor, of.multi_processor_count, of.total_memory >> 20);
    }
    return text + cache_line() + "\n";
  }
  void* allocate_pinned(size_t bytes) override { return cuda::allocate_pinned(bytes); }
  void free_pinned(void* memory) override { cuda::free_pinned(memory); }
  bool is_pinned(const void* address) override { return cuda::is_pinned(address); }

  std::string kernels() override {
    std::string text =
        fmt::format("{:<44} {:>8} {:>5} {:>7} {:>8} {:>4} {:>6} {:>4}  {}\n", "kernel", "from",
                    "lines", "ms", "launches", "regs", "shared", "occ", "why");
    size_t bytes = 0;
    const std::vector<Kernel*> all = all_kernels();
    for (const Kernel* const kernel : all) {
      const std::string& source = kernel->source().text;
      text += fmt::format("{:<44} {:>8} {:>5} {:>7.1f} {:>8} {:>4} {:>6} {:>3.0f}%  {}\n",
                          kernel->source().name, to_string(kernel->origin()),
                          std::count(source.begin(), source.end(), '\n'), kernel->compile_ms(),
                          kernel->launches(), kernel->registers(), kernel->shared_bytes(),
                          kernel->occupancy(256) * 100, kernel->source().why);
      bytes += kernel->image_bytes();
    }
    return text +
           fmt::format("{} kernels, {} KiB loaded\n{}\n", all.size(), bytes / 1024, cache_line());
  }
  std::string kernel_source(std::string_view name) override {
    std::string text;
    for (const Kernel* const kernel : all_kernels()) {
      if (kernel->source().name == name) text = kernel->source().text;
    }
    TSC_CHECK(!text.empty(), "there is no kernel '{}' yet", name);
    return text;
  }
  void clear_kernels() override { DiskCache::instance().clear(); }

  std::vector<Tensor> run_jiterator(const JiteratorFunction& function, ArrayRef<Tensor> inputs,
                                    ArrayRef<Scalar> numbers) override {
    return run_script_function(function, inputs, numbers);
  }
};

Hooks hooks;
[[maybe_unused]] const bool registered = (register_cuda_hooks(&hooks), true);

}  // namespace

}  // namespace tsc::cuda
