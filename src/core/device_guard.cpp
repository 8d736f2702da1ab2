#include "core/device_guard.h"

#include <array>
#include <atomic>

namespace tsc {

namespace {

constinit std::array<std::atomic<DeviceGuardImpl*>, kNumDeviceTypes> impls{};

}  // namespace

DeviceGuardImpl* device_guard_impl(DeviceType type) {
  return impls[static_cast<size_t>(type)].load(std::memory_order_acquire);
}

void register_device_guard(DeviceType type, DeviceGuardImpl* impl) {
  impls[static_cast<size_t>(type)].store(impl, std::memory_order_release);
}

Device resolve_device(Device device) {
  const DeviceGuardImpl* impl = device.has_index() ? nullptr : device_guard_impl(device.type);
  return impl == nullptr ? device : Device(device.type, impl->current());
}

DeviceGuard::DeviceGuard(Device device) : type_(device.type), impl_(device_guard_impl(type_)) {
  if (impl_ != nullptr && device.has_index()) {
    previous_ = impl_->current();
    impl_->set_current(device.index);
  }
}

DeviceGuard::~DeviceGuard() {
  if (previous_ >= 0) {
    impl_->set_current(previous_);
  }
}

}  // namespace tsc
