// torch.library.register_autocast: autocast for operators that a script has made.
#pragma once

#include "core/device.h"
#include "dispatch/operator_handle.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// ValueError for a device that autocast does not know.
DeviceType autocast_device(const IValue& device_type);
// "AutocastCPU".
std::string autocast_key_name(DeviceType device);

// A kernel for that key: calls the operator again without the key, with floating-point tensors of
// the device, except doubles, cast to `dtype`.
IValue make_autocast_kernel(OperatorHandle op, DeviceType device, const IValue& dtype);

}  // namespace tsc::interp
