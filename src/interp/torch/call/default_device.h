// The device of tensors that are made without one: torch.set_default_device, and `with torch.device(...)`.
#pragma once

#include "core/device.h"

namespace tsc::interp {

Device default_device();
// For the functions of torch that make tensors, the ones that are looked up later, too.
void set_default_device(Device device);

}  // namespace tsc::interp
