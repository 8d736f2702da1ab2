// torch.library.register_autocast: what autocast does to an operator that a script has made.
#pragma once

#include "core/device.h"
#include "dispatch/operator_handle.h"
#include "interp/runtime/type.h"

namespace tsc::interp {

// ValueError for a device that autocast does not know.
DeviceType autocast_device(const IValue& device_type);
// "AutocastCPU".
std::string autocast_key_name(DeviceType device);

// A kernel for that key: calls the operator again without the key, floating-point tensors of the
// device cast to `dtype` (but doubles, which stay what they are).
IValue make_autocast_kernel(OperatorHandle op, DeviceType device, const IValue& dtype);

}  // namespace tsc::interp
