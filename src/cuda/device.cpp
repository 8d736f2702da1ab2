#include "cuda/device.h"

#include <array>
#include <memory>
#include <mutex>

#include "core/device_guard.h"

namespace tsc::cuda {

namespace {

struct Device {
  DeviceHandle handle = 0;
  ContextHandle context = nullptr;
  CudaDeviceProperties properties;
  std::once_flag once;
};
Device& device_at(int index) {
  static std::array<Device, kMaxDevices> devices;
  Device& device = devices[static_cast<size_t>(index)];
  std::call_once(device.once, [&] {
    TSC_CUDA_CHECK(device(&device.handle, index));
    TSC_CUDA_CHECK(retain_primary_context(&device.context, device.handle));
    const auto attribute = [&](int number) {
      int value = 0;
      TSC_CUDA_CHECK(device_attribute(&value, number, device.handle));
      return value;
    };
    char name[256] = "";
    TSC_CUDA_CHECK(device_name(name, sizeof name, device.handle));
    CudaDeviceProperties& to = device.properties;
    to.name = name;
    size_t memory = 0;
    TSC_CUDA_CHECK(device_memory(&memory, device.handle));
    to.total_memory = static_cast<int64_t>(memory);
    to.major = attribute(kComputeCapabilityMajor);
    to.minor = attribute(kComputeCapabilityMinor);
    to.multi_processor_count = attribute(kMultiprocessorCount);
    to.warp_size = attribute(kWarpSize);
    to.max_threads_per_multi_processor = attribute(kMaxThreadsPerMultiprocessor);
    to.max_threads_per_block = attribute(kMaxThreadsPerBlock);
    to.regs_per_multiprocessor = attribute(kRegistersPerMultiprocessor);
    to.l2_cache_size = attribute(kL2CacheSize);
    to.shared_memory_per_block = attribute(kSharedMemoryPerBlock);
    to.shared_memory_per_multiprocessor = attribute(kSharedMemoryPerMultiprocessor);
    to.is_integrated = attribute(kIsIntegrated) != 0;
    to.pci_domain_id = attribute(kPciDomainId);
    to.pci_bus_id = attribute(kPciBusId);
    to.pci_device_id = attribute(kPciDeviceId);
  });
  return device;
}

thread_local int current = 0;
// The device whose context the driver has on this thread.
thread_local int entered = -1;

void check_index(int index) {
  driver();
  TSC_CHECK(index >= 0 && index < device_count(),
            "CUDA error: invalid device ordinal\nThere {} {}, and {} was asked for.",
            device_count() == 1 ? "is one device, number 0" : "are devices 0 to",
            device_count() == 1 ? "" : std::to_string(device_count() - 1), index);
}

class Guard final : public DeviceGuardImpl {
 public:
  int current() const override { return current_device(); }
  void set_current(int index) override { set_device(index); }
  int count() const override { return device_count(); }
  void synchronize(int index) override { synchronize_device(index < 0 ? current_device() : index); }
};

Guard guard;
[[maybe_unused]] const bool registered = (register_device_guard(DeviceType::CUDA, &guard), true);

}  // namespace

int device_count() {
  static const int count = [] {
    const Driver* const found = find_driver();
    int devices = 0;
    return found != nullptr && found->device_count(&devices) == kSuccess
               ? std::min(devices, kMaxDevices)
               : 0;
  }();
  return count;
}

int current_device() {
  if (TSC_UNLIKELY(entered < 0)) {
    check_index(current);
  }
  return current;
}
void set_device(int index) {
  if (TSC_LIKELY(index == current && entered >= 0)) {
    return;
  }
  check_index(index);
  current = index;
}
void enter_device() {
  if (TSC_LIKELY(entered == current)) {
    return;
  }
  check_index(current);
  TSC_CUDA_CHECK(set_context(device_at(current).context));
  entered = current;
}
const CudaDeviceProperties& properties(int index) {
  check_index(index);
  return device_at(index).properties;
}
ContextHandle context_of(int index) {
  check_index(index);
  return device_at(index).context;
}
void synchronize_device(int index) {
  const CudaGuard scope(index);
  enter_device();
  TSC_CUDA_CHECK(synchronize_context());
}

}  // namespace tsc::cuda
