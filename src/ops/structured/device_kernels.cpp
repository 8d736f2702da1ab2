#include "ops/structured/device_kernels.h"

#include <array>
#include <atomic>

namespace tsc {

namespace {

constinit std::array<std::atomic<DeviceKernels*>, kNumDeviceTypes> registered{};

}  // namespace

DeviceKernels* find_device_kernels(DeviceType type) {
  return registered[static_cast<size_t>(type)].load(std::memory_order_acquire);
}
DeviceKernels& device_kernels(DeviceType type) {
  DeviceKernels* const found = find_device_kernels(type);
  TSC_CHECK_NOT_IMPLEMENTED(found != nullptr,
                            "the device {} has no kernels for formulas, copies and fills",
                            to_string(type));
  return *found;
}
void run_device_map(const MapCall& call) {
  if (call.count > 0) device_kernels(call.device.type).map(call);
}
void run_jitted(const TensorIteratorBase& iterator, const JittedFormula& formula,
                ArrayRef<Scalar> numbers) {
  device_kernels(DeviceType::CUDA).run_jitted(iterator, formula, numbers);
}
void register_device_kernels(DeviceType type, DeviceKernels* kernels) {
  registered[static_cast<size_t>(type)].store(kernels, std::memory_order_release);
}

}  // namespace tsc
