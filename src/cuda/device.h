// The CUDA devices, and which of them is current on a thread.
#pragma once

#include "core/cuda_hooks.h"
#include "cuda/driver.h"

namespace tsc::cuda {

inline constexpr int kMaxDevices = 16;

// 0 where there is no driver or no device; never throws.
int device_count();
// The index that is current on this thread. RuntimeError where there is no device.
int current_device();
// RuntimeError "CUDA error: invalid device ordinal" for a device that there is not.
void set_device(int index);
// Makes the current device's context current in the driver, which is needed before its other calls.
void enter_device();
const CudaDeviceProperties& properties(int index);
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
