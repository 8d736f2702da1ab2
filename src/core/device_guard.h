// The current device of each type. A backend that has several devices, or that has to be told which
// one to use, registers functions that read and set it.
#pragma once

#include "core/device.h"

namespace tsc {

class TSC_API DeviceGuardImpl {
 public:
  virtual ~DeviceGuardImpl() = default;
  // The index that is current on this thread.
  virtual int current() const = 0;
  virtual void set_current(int index) = 0;
  virtual int count() const = 0;
  // Returns when everything that was started on the device is done.
  virtual void synchronize(int index) = 0;
};

// The guard of the device type; null where none is registered. Registering a nullptr removes it.
TSC_API DeviceGuardImpl* device_guard_impl(DeviceType type);
TSC_API void register_device_guard(DeviceType type, DeviceGuardImpl* impl);

// `device`, with the current index where it has none and its type has indices.
TSC_API Device resolve_device(Device device);

// Makes a device the current one of its type for the scope.
class TSC_API DeviceGuard {
 public:
  explicit DeviceGuard(Device device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

  DeviceType type() const { return type_; }

 private:
  DeviceType type_;
  DeviceGuardImpl* impl_;
  int previous_ = -1;
};

}  // namespace tsc
