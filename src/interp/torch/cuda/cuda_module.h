// torch.cuda: devices, memory, streams and events. On a machine without a GPU its functions answer as
// PyTorch's do there.
#pragma once

#include "interp/runtime/objects/module.h"

namespace tsc::interp {

extern const Type kCudaStreamType;
extern const Type kCudaEventType;
extern const Type kCudaDeviceType;
extern const Type kCudaStreamContextType;
extern const Type kCudaPropertiesType;

extern const ModuleInfo kCudaModule;

}  // namespace tsc::interp
