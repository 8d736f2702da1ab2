#include "cuda/jit/kernel.h"

#include <chrono>
#include <deque>

#include "cuda/jit/compiler.h"
#include "cuda/stream.h"
#include "cuda/switches.h"
#include "dispatch/route.h"

namespace tsc::cuda {

namespace {

// A compile that takes longer is told about: the prompt would seem to hang.
constexpr double kSlowMs = 200;

// Every launch is waited for, so that an error is reported where it is made.
bool is_synchronous() {
  static const bool on = is_on("TENSORSCOPE_CUDA_SYNC");
  return on;
}

struct Kernels {
  std::mutex mutex;
  std::deque<Kernel> all;
};
Kernels& kernels() {
  static Kernels* const kept = new Kernels();
  return *kept;
}

}  // namespace

std::string_view to_string(KernelOrigin origin) {
  switch (origin) {
    case KernelOrigin::none: return "failed";
    case KernelOrigin::compiled: return "compiled";
    case KernelOrigin::disk: return "from disk";
  }
  return "";
}

Kernel& add_kernel(KernelSource source) {
  const std::lock_guard lock(kernels().mutex);
  return kernels().all.emplace_back(std::move(source));
}
std::vector<Kernel*> all_kernels() {
  const std::lock_guard lock(kernels().mutex);
  std::vector<Kernel*> found;
  for (Kernel& kernel : kernels().all) found.push_back(&kernel);
  return found;
}

template <class Compile>
std::string Kernel::find_image(const std::string& identity, Compile compile) {
  const CacheKey key = CacheKey::of(source_.text + "\n" + identity);
  cache_key_ = std::make_shared<CacheKey>(key);
  std::string image;
  if (auto stored = DiskCache::instance().load(key)) {
    image = std::move(*stored);
    origin_ = KernelOrigin::disk;
  } else {
    const auto start = std::chrono::steady_clock::now();
    image = compile();
    compile_ms_ =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    origin_ = KernelOrigin::compiled;
    DiskCache::instance().store(key, image);
    if (compile_ms_ > kSlowMs && identity.starts_with("nvrtc") && !driver().is_emulator) {
      fmt::print(stderr, "compiled {} in {:.0f} ms\n", source_.name, compile_ms_);
    }
  }
  image_bytes_ += image.size();
  return image;
}

const std::string& Kernel::image(int architecture) {
  const auto found = images_.find(architecture);
  if (found != images_.end()) return found->second;
  return images_
      .emplace(architecture, find_image(compiler_identity(architecture),
                                        [&] { return compile(source_, architecture); }))
      .first->second;
}

FunctionHandle Kernel::load_on_host() {
  const std::lock_guard lock(mutex_);
  if (const FunctionHandle found = on_host_.load(std::memory_order_acquire)) return found;
  const Driver& host = host_driver();
  const std::string image =
      find_image(host_compiler_identity(), [&] { return compile_for_host(source_); });
  ModuleHandle module = nullptr;
  check(host.load_module(&module, image.data()), "load_module");
  modules_.push_back(module);
  FunctionHandle found = nullptr;
  check(host.function(&found, module, source_.name.c_str()), "function");
  on_host_.store(found, std::memory_order_release);
  return found;
}

void Kernel::launch_on_host(unsigned grid, unsigned block, void** arguments) {
  FunctionHandle found = on_host_.load(std::memory_order_acquire);
  if (found == nullptr) found = load_on_host();
  const Driver& host = host_driver();
  // Its calls want a context on each thread.
  thread_local const bool has_context = [&] {
    ContextHandle context = nullptr;
    return host.context(&context) == kSuccess && context != nullptr;
  }();
  if (!has_context) {
    ContextHandle context = nullptr;
    check(host.retain_primary_context(&context, 0), "retain_primary_context");
    check(host.set_context(context), "set_context");
  }
  launches_.fetch_add(1, std::memory_order_relaxed);
  check(host.launch(found, grid, 1, 1, block, 1, 1, 0, nullptr, arguments, nullptr),
        source_.name.c_str());
}

FunctionHandle Kernel::load() {
  const std::lock_guard lock(mutex_);
  const int device = current_device();
  std::atomic<FunctionHandle>& place = functions_[static_cast<size_t>(device)];
  if (const FunctionHandle found = place.load(std::memory_order_acquire)) return found;
  enter_device();
  const CudaDeviceProperties& of = properties(device);
  const std::string& bytes = image(of.major * 10 + of.minor);
  ModuleHandle module = nullptr;
  TSC_CUDA_CHECK(load_module(&module, bytes.data()));
  modules_.push_back(module);
  FunctionHandle found = nullptr;
  TSC_CUDA_CHECK(function(&found, module, source_.name.c_str()));
  place.store(found, std::memory_order_release);
  return found;
}

void Kernel::launch(unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                    unsigned block_y, void** arguments, unsigned shared_bytes) {
  const FunctionHandle of_device = function();
  enter_device();
  const bool is_first = launches_.fetch_add(1, std::memory_order_relaxed) == 0;
  const StreamHandle stream = current_stream().handle;
  const Result result = driver().launch(of_device, grid_x, grid_y, grid_z, block_x, block_y, 1,
                                        shared_bytes, stream, arguments, nullptr);
  check(result, source_.name.c_str());
  if (TSC_UNLIKELY(has_route_listener())) {
    const std::string entry = cache_entry();
    tell_launch({source_.name, is_first ? to_string(origin_) : "in memory", entry,
                 int64_t{grid_x} * grid_y * grid_z, int64_t{block_x} * block_y});
  }
  if (TSC_UNLIKELY(is_synchronous())) {
    check(driver().synchronize_stream(stream), source_.name.c_str());
  }
}

std::string Kernel::cache_entry() {
  const std::lock_guard lock(mutex_);  // another device may be loading it
  return cache_key_ == nullptr ? "" : cache_key_->hex();
}

int Kernel::attribute(int number) const {
  for (const auto& place : functions_) {
    if (const FunctionHandle found = place.load(std::memory_order_acquire)) {
      int value = 0;
      return driver().function_attribute(&value, number, found) == kSuccess ? value : 0;
    }
  }
  return 0;
}
double Kernel::occupancy(int block) const {
  for (size_t i = 0; i < functions_.size(); i++) {
    if (const FunctionHandle found = functions_[i].load(std::memory_order_acquire)) {
      int blocks = 0;
      driver().occupancy(&blocks, found, block, 0);
      return static_cast<double>(blocks) * block /
             properties(static_cast<int>(i)).max_threads_per_multi_processor;
    }
  }
  return 0;
}

}  // namespace tsc::cuda
