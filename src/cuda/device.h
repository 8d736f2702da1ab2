// The CUDA devices, and which of them is current on a thread.
#pragma once

#include <string>

#include "cuda/driver.h"

namespace tsc::cuda {

struct DeviceProperties {
  std::string name;
  int major;  // compute capability
  int minor;
  size_t total_memory;  // bytes
  int multi_processor_count;
  int warp_size;
  int max_threads_per_multi_processor;
  int max_threads_per_block;
  int regs_per_multiprocessor;
  int l2_cache_size;                     // bytes
  int shared_memory_per_block;           // bytes
  int shared_memory_per_multiprocessor;  // bytes
  int is_integrated;
  int pci_domain_id;
  int pci_bus_id;
  int pci_device_id;
};

inline constexpr int kMaxDevices = 16;

// 0 where there is no driver or no device; never throws.
int device_count();
// The index that is current on this thread. RuntimeError where there is no device.
int current_device();
// RuntimeError "CUDA error: invalid device ordinal" for a device that there is not.
void set_device(int index);
// Makes the current device's context current in the driver, which is needed before its other calls.
void enter_device();
const DeviceProperties& properties(int index);
ContextHandle context_of(int index);
// Waits for everything on the device.
void synchronize_device(int index);

// The device for the scope.
class CudaGuard {
 public:
  explicit CudaGuard(int index) : previous_(current_device()) { set_device(index); }
  ~CudaGuard() { set_device(previous_); }
  CudaGuard(const CudaGuard&) = delete;
  CudaGuard& operator=(const CudaGuard&) = delete;

 private:
  int previous_;
};

}  // namespace tsc::cuda
