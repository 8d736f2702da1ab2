// The driver's functions. A launch or a copy is done when its call returns, so streams and events are in
// order by themselves; what the emulator cannot show is what goes wrong where they are not: races between
// blocks, memory order, a copy that is still under way.
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "cuda/emulator/state.h"

namespace tsc::cuda {

struct ContextObject {
  int device;
};
struct StreamObject {
  int device;
};
struct EventObject {
  std::chrono::steady_clock::time_point at;
};
struct FunctionObject {
  emulator::Kernel kernel;
};
struct ModuleObject {
  void* library;
  std::map<std::string, std::unique_ptr<FunctionObject>> functions;
};

namespace emulator {
namespace {

constexpr int kMaxDevices = 8;
bool is_initialised = false;
// As on a device, the first error of a kernel stays.
Result broken = kSuccess;
ContextObject contexts[kMaxDevices];
thread_local ContextObject* current = nullptr;

int device_count() {
  const char* const text = std::getenv("TENSORSCOPE_EMULATOR_DEVICES");
  const int count = text == nullptr ? 1 : std::atoi(text);
  return count < 0 ? 0 : count > kMaxDevices ? kMaxDevices : count;
}

// --- A kernel that touches memory that is not the device's ---

sigjmp_buf landing;
bool is_running = false;
const Kernel* running_kernel;
struct sigaction before_segv;
struct sigaction before_bus;
struct sigaction before_fpe;

void explain_fault(const siginfo_t& info, int signal_number) {
  const auto at = reinterpret_cast<DevicePointer>(info.si_addr);
  DevicePointer begin = 0;
  const Allocation* const nearest = memory.find(at, begin);
  char where[160] = "";
  if (signal_number == SIGFPE) {
    std::snprintf(where, sizeof where, "an integer division by zero");
  } else if (nearest != nullptr && at - begin < nearest->bytes + (1 << 20)) {
    std::snprintf(where, sizeof where,
                  "address %#llx, %lld bytes past the end of %zu bytes at %#llx", at,
                  static_cast<long long>(at - begin - nearest->bytes), nearest->bytes, begin);
  } else {
    std::snprintf(where, sizeof where, "address %#llx, which is no memory of the device", at);
  }
  std::fprintf(stderr, "emulator: kernel %s, block (%u, %u, %u), thread (%u, %u, %u): %s\n",
               running_kernel->name.c_str(), shared.block.x, shared.block.y, shared.block.z,
               shared.thread.x, shared.thread.y, shared.thread.z, where);
}

void on_fault(int signal_number, siginfo_t* info, void* context) {
  if (is_running) {
    explain_fault(*info, signal_number);
    siglongjmp(landing, 1);
  }
  const struct sigaction& before = signal_number == SIGSEGV  ? before_segv
                                   : signal_number == SIGBUS ? before_bus
                                                             : before_fpe;
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal_number, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal_number);
  } else {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
}

void install_handlers() {
  struct sigaction action = {};
  action.sa_sigaction = &on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &before_segv);
  sigaction(SIGBUS, &action, &before_bus);
  sigaction(SIGFPE, &action, &before_fpe);
}

Result run(const Kernel& kernel, void** arguments, size_t shared_bytes) {
  running_kernel = &kernel;
  memory.open();
  std::string error;
  bool finished = false;
  if (sigsetjmp(landing, 1) == 0) {
    is_running = true;
    finished = run_blocks(kernel, arguments, shared_bytes, error);
    is_running = false;
    if (!finished) {
      std::fprintf(stderr, "emulator: kernel %s: %s\n", kernel.name.c_str(), error.c_str());
      broken = kLaunchFailed;
    }
  } else {
    is_running = false;
    abandon_threads();
    broken = kIllegalAddress;
  }
  memory.close();
  return finished ? kSuccess : broken;
}

template <class F>
Result copy(size_t bytes, F f) {
  const std::lock_guard lock(mutex);
  if (broken != kSuccess) return broken;
  if (bytes == 0) return kSuccess;
  memory.open();
  const Result result = f();
  memory.close();
  return result;
}
char* pointer(DevicePointer at) { return reinterpret_cast<char*>(at); }

struct Description {
  Result result;
  const char* name;
  const char* text;
};
constexpr Description kDescriptions[] = {
    {kSuccess, "CUDA_SUCCESS", "no error"},
    {kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {kNoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {kInvalidImage, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {kLaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

int attribute_of(int attribute) {
  switch (attribute) {
    case kMaxThreadsPerBlock: return 1024;
    case kWarpSize: return 32;
    case kClockRate: return 1000000;
    case kMultiprocessorCount: return 4;
    case kL2CacheSize: return 1 << 20;
    case kMaxThreadsPerMultiprocessor: return 2048;
    case kComputeCapabilityMajor: return 9;
    case kComputeCapabilityMinor: return 0;
    case kSharedMemoryPerBlock: return 48 << 10;
    case kSharedMemoryPerBlockOptin: return 48 << 10;
    case kSharedMemoryPerMultiprocessor: return 48 << 10;
    case kRegistersPerMultiprocessor: return 65536;
    default: return 0;
  }
}

}  // namespace
}  // namespace emulator

// The names are the driver's and NVRTC's.
// NOLINTBEGIN(readability-identifier-naming)
#define TSC_EXPORT extern "C" __attribute__((visibility("default")))
using emulator::broken;

TSC_EXPORT Result cuInit(unsigned) {
  const std::lock_guard lock(emulator::mutex);
  if (emulator::device_count() == 0) return kNoDevice;
  if (!emulator::is_initialised) {
    for (int i = 0; i < emulator::kMaxDevices; i++) emulator::contexts[i].device = i;
    emulator::install_handlers();
    emulator::is_initialised = true;
  }
  return kSuccess;
}
TSC_EXPORT Result cuDriverGetVersion(int* version) {
  *version = 13000;
  return kSuccess;
}
TSC_EXPORT Result cuGetErrorName(Result result, const char** text) {
  for (const auto& each : emulator::kDescriptions) {
    if (each.result == result) {
      *text = each.name;
      return kSuccess;
    }
  }
  return kInvalidValue;
}
TSC_EXPORT Result cuGetErrorString(Result result, const char** text) {
  for (const auto& each : emulator::kDescriptions) {
    if (each.result == result) {
      *text = each.text;
      return kSuccess;
    }
  }
  return kInvalidValue;
}
TSC_EXPORT Result cuDeviceGetCount(int* count) {
  *count = emulator::device_count();
  return kSuccess;
}
TSC_EXPORT Result cuDeviceGet(DeviceHandle* device, int ordinal) {
  if (ordinal < 0 || ordinal >= emulator::device_count()) return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}
TSC_EXPORT Result cuDeviceGetName(char* name, int size, DeviceHandle) {
  std::snprintf(name, static_cast<size_t>(size), "tensorscope emulator");
  return kSuccess;
}
TSC_EXPORT Result cuDeviceGetAttribute(int* value, int attribute, DeviceHandle) {
  *value = emulator::attribute_of(attribute);
  return kSuccess;
}
TSC_EXPORT Result cuDeviceTotalMem_v2(size_t* bytes, DeviceHandle) {
  *bytes = emulator::memory.total();
  return kSuccess;
}
TSC_EXPORT Result cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceHandle device) {
  *context = &emulator::contexts[device];
  return kSuccess;
}
TSC_EXPORT Result cuCtxSetCurrent(ContextHandle context) {
  emulator::current = context;
  return kSuccess;
}
TSC_EXPORT Result cuCtxGetCurrent(ContextHandle* context) {
  *context = emulator::current;
  return kSuccess;
}
TSC_EXPORT Result cuCtxSynchronize() { return broken; }
TSC_EXPORT Result cuMemGetInfo_v2(size_t* free, size_t* total) {
  const std::lock_guard lock(emulator::mutex);
  if (emulator::current == nullptr) return kInvalidContext;
  *total = emulator::memory.total();
  *free = *total - emulator::memory.in_use(emulator::current->device);
  return kSuccess;
}
TSC_EXPORT Result cuMemAlloc_v2(DevicePointer* memory, size_t bytes) {
  const std::lock_guard lock(emulator::mutex);
  if (emulator::current == nullptr) return kInvalidContext;
  if (bytes == 0) return kInvalidValue;
  if (emulator::fails("allocate")) return kOutOfMemory;
  *memory = emulator::memory.allocate(bytes, emulator::current->device);
  return *memory == 0 ? kOutOfMemory : kSuccess;
}
TSC_EXPORT Result cuMemFree_v2(DevicePointer memory) {
  const std::lock_guard lock(emulator::mutex);
  return memory == 0 || emulator::memory.free(memory) ? kSuccess : kInvalidValue;
}
TSC_EXPORT Result cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  return *memory == nullptr ? kOutOfMemory : kSuccess;
}
TSC_EXPORT Result cuMemFreeHost(void* memory) {
  std::free(memory);
  return kSuccess;
}
TSC_EXPORT Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, size_t bytes,
                                       StreamHandle) {
  return emulator::copy(bytes, [&] {
    if (!emulator::memory.holds(to, bytes)) return kInvalidValue;
    std::memcpy(emulator::pointer(to), from, bytes);
    return kSuccess;
  });
}
TSC_EXPORT Result cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, size_t bytes, StreamHandle) {
  return emulator::copy(bytes, [&] {
    if (!emulator::memory.holds(from, bytes)) return kInvalidValue;
    std::memcpy(to, emulator::pointer(from), bytes);
    return kSuccess;
  });
}
TSC_EXPORT Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t bytes,
                                       StreamHandle) {
  return emulator::copy(bytes, [&] {
    if (!emulator::memory.holds(to, bytes) || !emulator::memory.holds(from, bytes))
      return kInvalidValue;
    std::memmove(emulator::pointer(to), emulator::pointer(from), bytes);
    return kSuccess;
  });
}
TSC_EXPORT Result cuMemcpyPeerAsync(DevicePointer to, ContextHandle, DevicePointer from,
                                    ContextHandle, size_t bytes, StreamHandle stream) {
  return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}
TSC_EXPORT Result cuMemsetD8Async(DevicePointer to, unsigned char value, size_t count,
                                  StreamHandle) {
  return emulator::copy(count, [&] {
    if (!emulator::memory.holds(to, count)) return kInvalidValue;
    std::memset(emulator::pointer(to), value, count);
    return kSuccess;
  });
}
TSC_EXPORT Result cuStreamCreateWithPriority(StreamHandle* stream, unsigned, int) {
  *stream = new StreamObject{emulator::current == nullptr ? 0 : emulator::current->device};
  return kSuccess;
}
TSC_EXPORT Result cuStreamDestroy_v2(StreamHandle stream) {
  delete stream;
  return kSuccess;
}
TSC_EXPORT Result cuStreamSynchronize(StreamHandle) { return broken; }
TSC_EXPORT Result cuStreamQuery(StreamHandle) { return broken; }
TSC_EXPORT Result cuStreamWaitEvent(StreamHandle, EventHandle, unsigned) { return broken; }
TSC_EXPORT Result cuEventCreate(EventHandle* event, unsigned) {
  *event = new EventObject{};
  return kSuccess;
}
TSC_EXPORT Result cuEventDestroy_v2(EventHandle event) {
  delete event;
  return kSuccess;
}
TSC_EXPORT Result cuEventRecord(EventHandle event, StreamHandle) {
  event->at = std::chrono::steady_clock::now();
  return broken;
}
TSC_EXPORT Result cuEventQuery(EventHandle) { return broken; }
TSC_EXPORT Result cuEventSynchronize(EventHandle) { return broken; }
TSC_EXPORT Result cuEventElapsedTime(float* ms, EventHandle start, EventHandle end) {
  *ms = std::chrono::duration<float, std::milli>(end->at - start->at).count();
  return kSuccess;
}

// The image is a library's file; the loader takes it from memory. It does not say how long it is, so the
// last section's end is looked up (ELF's header).
TSC_EXPORT Result cuModuleLoadData(ModuleHandle* module, const void* image) {
  const auto* const bytes = static_cast<const unsigned char*>(image);
  if (std::memcmp(bytes, "\177ELF", 4) != 0) return kInvalidImage;
  unsigned long long sections = 0;
  unsigned short size = 0;
  unsigned short count = 0;
  std::memcpy(&sections, bytes + 40, sizeof sections);
  std::memcpy(&size, bytes + 58, sizeof size);
  std::memcpy(&count, bytes + 60, sizeof count);
  const size_t length = sections + size_t{size} * count;
  // Under a name of its own, because the loader takes libraries of one name for one; and it is gone again
  // when it is loaded.
  const char* const given = std::getenv("TMPDIR");
  std::string path = std::string(given == nullptr ? "/tmp" : given) + "/tensorscope-kernel-XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) return kInvalidImage;
  bool is_written = true;
  for (size_t done = 0; done < length && is_written;) {
    const ssize_t written = write(file, bytes + done, length - done);
    is_written = written > 0;
    done += is_written ? static_cast<size_t>(written) : 0;
  }
  close(file);
  void* const library = is_written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) std::fprintf(stderr, "emulator: %s\n", dlerror());
  unlink(path.c_str());
  if (library == nullptr) return kInvalidImage;
  *static_cast<emulator::Shared**>(dlsym(library, "tsc_emulator")) = &emulator::shared;
  *module = new ModuleObject{library, {}};
  return kSuccess;
}
TSC_EXPORT Result cuModuleUnload(ModuleHandle module) {
  dlclose(module->library);
  delete module;
  return kSuccess;
}
TSC_EXPORT Result cuModuleGetFunction(FunctionHandle* function, ModuleHandle module,
                                      const char* name) {
  const std::lock_guard lock(emulator::mutex);
  auto& found = module->functions[name];
  if (found == nullptr) {
    using Entry = void (*)(void**);
    const auto entry = [&](const char* prefix) {
      return reinterpret_cast<Entry>(dlsym(module->library, (std::string(prefix) + name).c_str()));
    };
    const Entry block = entry("tsc_block_");
    if (block == nullptr) return kNotFound;
    const bool fibers = *static_cast<int*>(dlsym(module->library, "tsc_needs_fibers")) != 0;
    found.reset(new FunctionObject{{name, block, entry("tsc_thread_"), fibers}});
  }
  *function = found.get();
  return kSuccess;
}
TSC_EXPORT Result cuFuncGetAttribute(int* value, int attribute, FunctionHandle) {
  *value = attribute == kFunctionRegisters ? 32 : 0;
  return kSuccess;
}
TSC_EXPORT Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, FunctionHandle,
                                                              int block_size, size_t) {
  *blocks = 2048 / (block_size < 1 ? 1 : block_size);
  return kSuccess;
}
TSC_EXPORT Result cuLaunchKernel(FunctionHandle function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared_bytes, StreamHandle,
                                 void** parameters, void**) {
  const std::lock_guard lock(emulator::mutex);
  if (broken != kSuccess) return broken;
  if (emulator::current == nullptr) return kInvalidContext;
  const size_t threads = size_t{block_x} * block_y * block_z;
  if (grid_x == 0 || grid_y == 0 || grid_z == 0 || threads == 0 || grid_y > 65535 ||
      grid_z > 65535 || threads > 1024) {
    return kInvalidValue;
  }
  if (emulator::fails("launch")) return kLaunchFailed;
  emulator::shared.grid_size = {grid_x, grid_y, grid_z};
  emulator::shared.block_size = {block_x, block_y, block_z};
  return emulator::run(function->kernel, parameters, shared_bytes);
}

// NOLINTEND(readability-identifier-naming)

}  // namespace tsc::cuda
