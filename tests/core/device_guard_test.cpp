#include "core/device_guard.h"

#include <doctest/doctest.h>

namespace {

using namespace tsc;

class TwoDevices final : public DeviceGuardImpl {
 public:
  int current() const override { return current_; }
  void set_current(int index) override {
    current_ = index;
    changes++;
  }
  int count() const override { return 2; }
  void synchronize(int) override {}
  int changes = 0;

 private:
  int current_ = 0;
};

}  // namespace

TEST_CASE("a guard makes a device the current one for its scope") {
  TwoDevices devices;
  register_device_guard(DeviceType::PrivateUse2, &devices);
  CHECK(device_guard_impl(DeviceType::PrivateUse2) == &devices);
  {
    const DeviceGuard guard(Device(DeviceType::PrivateUse2, 1));
    CHECK(devices.current() == 1);
    CHECK(resolve_device(Device(DeviceType::PrivateUse2)) == Device(DeviceType::PrivateUse2, 1));
    CHECK(resolve_device(Device(DeviceType::PrivateUse2, 0)).index == 0);
    {
      const DeviceGuard inner(Device(DeviceType::PrivateUse2, 0));
      CHECK(devices.current() == 0);
    }
    CHECK(devices.current() == 1);
  }
  CHECK(devices.current() == 0);
  register_device_guard(DeviceType::PrivateUse2, nullptr);
  CHECK(device_guard_impl(DeviceType::PrivateUse2) == nullptr);
  CHECK(resolve_device(Device(DeviceType::CPU)) == Device(DeviceType::CPU));
}
